package steelyard.soakit.service;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.dataformat.xml.annotation.JacksonXmlProperty;
import com.fasterxml.jackson.dataformat.xml.annotation.JacksonXmlRootElement;
import java.util.HashSet;
import java.util.List;

/**
 * Sushi Boats as Jackson XML binds it: all stories become objects, also those that are not kept.
 */
final class JacksonNews {

  private JacksonNews() {}

  static Digest answer(Document posting) {
    var interests = new HashSet<String>();
    if (posting.interests != null) {
      posting.interests.topic.forEach(topic -> interests.add(topic.strip()));
    }
    List<Kept> kept =
        posting.story.stream()
            .filter(story -> story.topic != null && interests.contains(story.topic))
            .map(Kept::of)
            .toList();
    return new Digest(Binding.required(posting.id, "id"), posting.story.size(), kept);
  }

  // What is asked of a posting; the rest of it is passed over. Jackson sets the fields.

  static final class Document {
    @JacksonXmlProperty(localName = "id", isAttribute = true)
    public String id;

    public Interests interests;
    public List<Story> story = List.of();
  }

  static final class Interests {
    public List<String> topic = List.of();
  }

  static final class Story {
    @JacksonXmlProperty(localName = "id", isAttribute = true)
    public String id;

    @JacksonXmlProperty(localName = "topic", isAttribute = true)
    public String topic;

    @JacksonXmlProperty(localName = "priority", isAttribute = true)
    public String priority;

    @JacksonXmlProperty(localName = JacksonBinding.OF_COMMON + "language", isAttribute = true)
    public String language;

    public String headline = "";
    public Body body;
  }

  static final class Body {
    public List<String> paragraph = List.of();
  }

  @JacksonXmlRootElement(localName = "NewsDigest", namespace = Names.NEWS)
  @JsonPropertyOrder({"Posting", "Stories", "Kept"})
  record Digest(String posting, int stories, List<Kept> kept) {}

  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonPropertyOrder({"StoryId", "Headline", "Priority", "Language", "Characters"})
  record Kept(String storyId, String headline, String priority, String language, int characters) {

    static Kept of(Story story) {
      List<String> paragraphs = story.body == null ? List.of() : story.body.paragraph;
      int characters =
          paragraphs.stream().mapToInt(text -> text.codePointCount(0, text.length())).sum();
      return new Kept(story.id, story.headline, story.priority, story.language, characters);
    }
  }
}
