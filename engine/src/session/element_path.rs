//! The path of an element in an XML answer, found in one pass that stores only a depth: no tree, no entities, no allocation.

use memchr::{memchr, memmem};

/// The names from the root to an element, and the name of an attribute if the path ends with one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ElementPath {
    names: Vec<String>,
    attribute: Option<String>,
}

/// One piece of markup.
enum Tag<'a> {
    Begin {
        name: &'a [u8],
        inside: &'a [u8],
        empty: bool,
    },
    End,
    Other,
}

impl ElementPath {
    /// Reads `a/b/c` or `a/b/@name`.
    pub fn new(text: &str) -> Result<Self, String> {
        let mut names: Vec<String> = text.trim_start_matches('/').split('/').map(str::to_owned).collect();
        let attribute = match names.last().and_then(|last| last.strip_prefix('@')) {
            Some(name) => {
                let name = name.to_owned();
                names.pop();
                Some(name)
            }
            None => None,
        };
        let all = names.iter().chain(&attribute);
        if names.is_empty()
            || all
                .clone()
                .any(|name| name.is_empty() || !name.bytes().all(is_name_byte))
        {
            return Err(format!(
                "`{}` is not a path of elements such as `Envelope/Body/answer/id`",
                text.escape_debug()
            ));
        }
        Ok(Self { names, attribute })
    }

    /// The text of the first element at this path up to its first markup, or its attribute, as it is in `body`. The search ends where the
    /// body is not well-formed.
    pub fn find<'a>(&self, body: &'a [u8]) -> Option<&'a [u8]> {
        let (mut depth, mut matched) = (0usize, 0usize);
        let mut rest = body;
        while let Some(begin) = memchr(b'<', rest) {
            let (tag, after) = read_tag(&rest[begin + 1..])?;
            rest = after;
            match tag {
                Tag::Other => {}
                Tag::End => {
                    depth = depth.checked_sub(1)?;
                    matched = matched.min(depth);
                }
                Tag::Begin { name, inside, empty } => {
                    let fits =
                        matched == depth && self.names.get(depth).is_some_and(|own| own.as_bytes() == local(name));
                    if fits && depth + 1 == self.names.len() {
                        let found = match &self.attribute {
                            Some(attribute) => value_of(inside, attribute),
                            None if empty => Some(&rest[..0]),
                            None => Some(rest[..memchr(b'<', rest)?].trim_ascii()),
                        };
                        if found.is_some() {
                            return found;
                        }
                    }
                    if !empty {
                        matched += usize::from(fits);
                        depth += 1;
                    }
                }
            }
        }
        None
    }
}

/// A piece of markup after its `<`, and the rest of the text; None if the markup has no end.
fn read_tag(text: &[u8]) -> Option<(Tag<'_>, &[u8])> {
    for (begin, end) in [
        (&b"!--"[..], &b"-->"[..]),
        (b"![CDATA[", b"]]>"),
        (b"?", b"?>"),
        (b"!", b">"),
    ] {
        if let Some(inside) = text.strip_prefix(begin) {
            let length = memmem::find(inside, end)? + end.len();
            return Some((Tag::Other, &inside[length..]));
        }
    }
    let length = tag_length(text)?;
    let (inside, after) = (&text[..length], &text[length + 1..]);
    if inside.starts_with(b"/") {
        return Some((Tag::End, after));
    }
    let empty = inside.ends_with(b"/");
    let inside = inside.strip_suffix(b"/").unwrap_or(inside);
    let name_length = inside.iter().position(u8::is_ascii_whitespace).unwrap_or(inside.len());
    let (name, inside) = inside.split_at(name_length);
    Some((Tag::Begin { name, inside, empty }, after))
}

/// The position of a tag's `>` outside the quotes of its attributes.
fn tag_length(text: &[u8]) -> Option<usize> {
    let mut quote = None;
    for (place, byte) in text.iter().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(place),
            (None, b'"' | b'\'') => quote = Some(*byte),
            (Some(open), byte) if open == *byte => quote = None,
            _ => {}
        }
    }
    None
}

/// The value of an attribute among those of a tag.
fn value_of<'a>(mut inside: &'a [u8], wanted: &str) -> Option<&'a [u8]> {
    loop {
        let equals = memchr(b'=', inside)?;
        let name = inside[..equals].trim_ascii();
        let after = inside[equals + 1..].trim_ascii_start();
        let quote = *after.first().filter(|byte| matches!(byte, b'"' | b'\''))?;
        let length = memchr(quote, &after[1..])?;
        if local(name) == wanted.as_bytes() {
            return Some(&after[1..=length]);
        }
        inside = &after[length + 2..];
    }
}

/// A name without its prefix.
fn local(name: &[u8]) -> &[u8] {
    memchr(b':', name).map_or(name, |colon| &name[colon + 1..])
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.') || !byte.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, body: &str) -> Option<String> {
        let found = ElementPath::new(path).unwrap().find(body.as_bytes());
        found.map(|value| String::from_utf8(value.to_vec()).unwrap())
    }

    #[test]
    fn the_element_at_the_path_is_found_whatever_stands_before_it() {
        let body = "<?xml version='1.0'?><!DOCTYPE e><!-- <e><id>0</id></e> --><s:e xmlns:s='u'><h><id>1</id></h>\
            <b/><![CDATA[<b><id>2</id></b>]]><s:b q='>'><x><id>3</id></x><id n=\"5\">\n 4 </id></s:b></s:e>";
        assert_eq!(found("e/b/id", body).as_deref(), Some("4"));
        assert_eq!(found("/e/h/id", body).as_deref(), Some("1"));
        assert_eq!(found("e/b/id/@n", body).as_deref(), Some("5"));
        assert_eq!(found("e/b/@q", body).as_deref(), Some(">"));
        assert_eq!(found("e/id", body), None);
        assert_eq!(found("b/id", body), None);
    }

    #[test]
    fn a_body_that_is_not_well_formed_gives_nothing_beyond_its_fault() {
        for body in [
            "",
            "<",
            "<e",
            "<e><b",
            "</e><e><id>1</id></e>",
            "<e><id>1",
            "<e a='><id>1</id>",
            "<!--<e><id>1</id>",
        ] {
            assert_eq!(found("e/id", body), None, "{body}");
        }
        assert_eq!(found("e/@a", "<e a=7>"), None);
    }

    #[test]
    fn paths_without_names_are_refused() {
        for wrong in ["", "/", "a//b", "@a", "a/@", "a b", "a/*"] {
            assert!(ElementPath::new(wrong).is_err(), "{wrong}");
        }
    }
}
