//! Sushi Boats, by streaming: a pull reader on the message itself; of a story that is skipped nothing is kept.

use serde::Serialize;
use steelyard_soap::{Fault, Reader, Start};

use crate::documents;

const NEWS_SPACE: &str = "urn:steelyard:soakit:news";
const COMMON_SPACE: &str = "urn:steelyard:soakit:common";

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct NewsDigest {
    #[serde(rename = "@xmlns")]
    space: &'static str,
    posting: String,
    stories: usize,
    kept: Vec<Kept>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Kept {
    story_id: String,
    headline: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    characters: usize,
}

/// Keeps the stories that match an interest.
pub fn digest(reader: &mut Reader<'_>) -> Result<String, Fault> {
    let posting = documents::enter(reader, NEWS_SPACE, "NewsPosting")?;
    let id = attribute(reader, &posting, "", "id")?;
    let mut digest = NewsDigest {
        space: NEWS_SPACE,
        posting: id.ok_or_else(|| Fault::client("the posting has no id"))?,
        stories: 0,
        kept: Vec::new(),
    };
    let mut interests = Vec::new();
    while let Some(start) = reader.child()? {
        if start.is(NEWS_SPACE, "Interests") {
            while reader.child()?.is_some() {
                interests.push(reader.text()?.trim().to_owned());
            }
        } else if start.is(NEWS_SPACE, "Story") {
            digest.stories += 1;
            let topic = attribute(reader, &start, "", "topic")?;
            if topic.is_some_and(|topic| interests.contains(&topic)) {
                digest.kept.push(keep(reader, &start)?);
            } else {
                reader.skip()?;
            }
        } else {
            reader.skip()?;
        }
    }
    documents::written(&digest)
}

/// What is told of a story, which is open and read to its end.
fn keep(reader: &mut Reader<'_>, story: &Start<'_>) -> Result<Kept, Fault> {
    let mut kept = Kept {
        story_id: attribute(reader, story, "", "id")?.unwrap_or_default(),
        headline: String::new(),
        priority: attribute(reader, story, "", "priority")?,
        language: attribute(reader, story, COMMON_SPACE, "language")?,
        characters: 0,
    };
    while let Some(start) = reader.child()? {
        if start.is(NEWS_SPACE, "Headline") {
            kept.headline = reader.text()?;
        } else if start.is(NEWS_SPACE, "Body") {
            while reader.child()?.is_some() {
                kept.characters += reader.text()?.chars().count();
            }
        } else {
            reader.skip()?;
        }
    }
    Ok(kept)
}

/// The value of an attribute of an element that is open; `space` is empty for one without a namespace.
fn attribute(reader: &Reader<'_>, start: &Start<'_>, space: &str, name: &str) -> Result<Option<String>, Fault> {
    for attribute in start.tag.attributes().flatten() {
        if reader
            .attribute_name(attribute.key)
            .is_some_and(|(of, local)| of == space && local == name)
        {
            return Ok(Some(attribute.unescape_value()?.into_owned()));
        }
    }
    Ok(None)
}
