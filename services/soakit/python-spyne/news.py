"""Sushi Boats: keeps the stories that match an interest, as the reader comes to their ends; of the others nothing is kept."""

from documents import MOST_DEPTH, WHITE_SPACE, document_at, refuse_type, refused
from models import COMMON, NEWS, KeptStory, NewsDigest

POSTING, INTERESTS, TOPIC, STORY, HEADLINE, BODY, PARAGRAPH = (
    f"{{{NEWS}}}{name}" for name in ("NewsPosting", "Interests", "Topic", "Story", "Headline", "Body", "Paragraph")
)


def digest(events):
    """The NewsDigest of a NewsPosting whose elements begin and end one after the other (`start` and `end`)."""
    path, interests, stories, kept, posting = [], set(), 0, [], None
    for event, element in events:
        if event == "start":
            if not path:
                refuse_type(element)
                posting = document_at(element, POSTING).get("id")
            path.append(element.tag)
            if len(path) > MOST_DEPTH:
                raise refused("the elements nest too deep")
            continue
        if path == [POSTING, INTERESTS, TOPIC]:
            interests.add((element.text or "").strip(WHITE_SPACE))
        elif path == [POSTING, STORY]:
            stories += 1
            if element.get("topic") in interests:
                kept.append(kept_story(element))
            element.clear()
        path.pop()
    if posting is None:
        raise refused("the posting has no id")
    return NewsDigest(Posting=posting, Stories=stories, Kept=kept)


def kept_story(story):
    return KeptStory(
        StoryId=story.get("id", ""),
        Headline=story.findtext(HEADLINE, ""),
        Priority=story.get("priority"),
        Language=story.get(f"{{{COMMON}}}language"),
        Characters=sum(len(paragraph.text or "") for paragraph in story.iterfind(f"{BODY}/{PARAGRAPH}")),
    )
