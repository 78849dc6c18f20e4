// Sushi Boats: keeps the stories that match an interest.

#include <algorithm>

#include "documents.h"

namespace {

// The characters of a text in UTF-8, by code points: all bytes but those that continue one.
size_t characters(const std::string &text) {
    return std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; });
}

n__KeptStory *kept(struct soap *soap, const n__Story &story) {
    size_t count = 0;
    for (const std::string &paragraph : in(story.Body).Paragraph) {
        count += characters(paragraph);
    }
    n__KeptStory *answer = soap_new_req_n__KeptStory(soap, story.id, story.Headline, std::to_string(count));
    answer->Priority = story.priority;
    answer->Language = story.c__language;
    return answer;
}

}  // namespace

n__NewsDigestDocument *digest(struct soap *soap, const n__NewsPostingDocument &posting) {
    const std::vector<n__Topic> &interests = in(posting.Interests).Topic;
    auto *answer = soap_new_req_n__NewsDigestDocument(soap, posting.id, std::to_string(posting.Story.size()));
    for (const n__Story *story : posting.Story) {
        if (std::find(interests.begin(), interests.end(), in(story).topic) != interests.end()) {
            answer->Kept.push_back(kept(soap, *story));
        }
    }
    return answer;
}
