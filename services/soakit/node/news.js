// Sushi Boats: keeps the stories that match an interest.

import { Fault, many, prefixed, textOf } from './values.js';

export function digest(posting) {
  const id = posting.attributes?.id;
  if (id === undefined) throw new Fault('the posting has no id');
  const interests = new Set(many(posting.Interests?.Topic).map((topic) => textOf(topic).trim()));
  const stories = many(posting.Story);
  return {
    Posting: id,
    Stories: stories.length,
    Kept: stories.filter((story) => interests.has(story?.attributes?.topic)).map(keep),
  };
}

function keep(story) {
  const paragraphs = many(story.Body?.Paragraph).map(textOf);
  return {
    StoryId: story.attributes.id ?? '',
    Headline: textOf(story.Headline) ?? '',
    Priority: story.attributes.priority,
    Language: prefixed(story, 'language'),
    Characters: paragraphs.reduce((sum, text) => sum + [...text].length, 0),
  };
}
