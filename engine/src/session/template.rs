//! Marked places of a request, `{{name}}` or `{{name:coding}}`: checked when the corpus is read, filled when the request is sent.

use memchr::memmem;

use super::coding::Coding;
use super::{Stamp, Values};

const OPEN: &[u8] = b"{{";
const CLOSE: &[u8] = b"}}";
/// The longest name in bytes. It tells a place without an end from one with a long name.
const MOST_NAME: usize = 64;
/// The same with a coding behind it.
const MOST_PLACE: usize = MOST_NAME + ":json".len();

/// Whether all places of a request had a value.
#[derive(Debug, PartialEq, Eq)]
pub enum Filled {
    Whole,
    Lacking,
}

/// The names of the places in `text`.
pub fn names(text: &[u8]) -> Result<Vec<&str>, String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(place) = next_place(rest)? {
        found.push(place.name);
        rest = place.after;
    }
    Ok(found)
}

/// Appends `text` with its places filled, up to the first place without a value.
pub fn fill(text: &[u8], values: &Values, stamp: &Stamp, out: &mut Vec<u8>) -> Filled {
    let mut rest = text;
    // The corpus was read with `names`, so there are no wrong places.
    while let Ok(Some(place)) = next_place(rest) {
        out.extend_from_slice(place.before);
        if let Some(value) = values.get(place.name) {
            place.coding.write(value, out);
        } else if let Some(value) = stamp.value(place.name) {
            place.coding.write(value.as_bytes(), out);
        } else {
            return Filled::Lacking;
        }
        rest = place.after;
    }
    out.extend_from_slice(rest);
    Filled::Whole
}

/// The same for a path: characters that a request line may not have are escaped.
pub fn fill_path(text: &[u8], values: &Values, stamp: &Stamp, out: &mut Vec<u8>) -> Filled {
    let begin = out.len();
    let filled = fill(text, values, stamp, out);
    if out[begin..].iter().any(|byte| !byte.is_ascii_graphic()) {
        let raw = out.split_off(begin);
        for byte in raw {
            match byte.is_ascii_graphic() {
                true => out.push(byte),
                false => out.extend_from_slice(format!("%{byte:02X}").as_bytes()),
            }
        }
    }
    filled
}

/// A marked place, with the text before and after it.
struct Place<'a> {
    before: &'a [u8],
    name: &'a str,
    coding: Coding,
    after: &'a [u8],
}

/// The next place of a text.
fn next_place(text: &[u8]) -> Result<Option<Place<'_>>, String> {
    let Some(begin) = memmem::find(text, OPEN) else {
        return Ok(None);
    };
    let inside = &text[begin + OPEN.len()..];
    let window = &inside[..inside.len().min(MOST_PLACE + CLOSE.len())];
    let end = memmem::find(window, CLOSE).ok_or("a place that begins with `{{` has no `}}`")?;
    let inner = std::str::from_utf8(&inside[..end]).unwrap_or_default();
    let (name, coding) = inner.split_once(':').unwrap_or((inner, ""));
    if !is_name(name) {
        return Err("a place's name has letters, digits and `_` only, as in `{{order_id}}`".to_owned());
    }
    let named = inner.len() > name.len();
    let coding = Coding::named(coding).filter(|coding| named == (*coding != Coding::Plain));
    Ok(Some(Place {
        before: &text[..begin],
        name,
        coding: coding.ok_or("a place's coding is `url`, `json` or `xml`, as in `{{order_id:url}}`")?,
        after: &inside[end + CLOSE.len()..],
    }))
}

/// Whether a value may have this name.
pub(super) fn is_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    !name.is_empty() && name.len() <= MOST_NAME && name.bytes().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(text: &str, values: &Values) -> (Filled, String) {
        let mut out = Vec::new();
        let whole = fill(text.as_bytes(), values, &Stamp::default(), &mut out);
        (whole, String::from_utf8(out).unwrap())
    }

    #[test]
    fn places_are_filled_and_what_is_filled_in_is_not_looked_at_again() {
        let mut values = Values::default();
        values.set("id", b"{{id}}");
        assert_eq!(
            filled("<a>{{id}}</a>{{id}}{{counter}}", &values),
            (Filled::Whole, "<a>{{id}}</a>{{id}}0".to_owned())
        );
        assert_eq!(filled("no place", &values), (Filled::Whole, "no place".to_owned()));
    }

    #[test]
    fn a_place_without_value_is_lacking() {
        assert_eq!(filled("x{{id}}", &Values::default()).0, Filled::Lacking);
    }

    #[test]
    fn a_value_cannot_break_out_of_the_request_line() {
        let mut values = Values::default();
        values.set("id", "a b\u{e9}".as_bytes());
        let mut out = Vec::new();
        fill_path(b"/shop/{{id}}?q", &values, &Stamp::default(), &mut out);
        assert_eq!(out, b"/shop/a%20b%C3%A9?q");
    }

    #[test]
    fn a_value_is_written_in_the_coding_of_its_place() {
        let mut values = Values::default();
        values.set("id", "a\"<\\&\u{e9} +".as_bytes());
        for (text, coded) in [
            ("{{id:url}}", "a%22%3C%5C%26%C3%A9%20%2B"),
            ("{{id:json}}", "a\\\"<\\\\&\u{e9} +"),
            ("{{id:xml}}", "a&quot;&lt;\\&amp;\u{e9} +"),
        ] {
            assert_eq!(filled(text, &values), (Filled::Whole, coded.to_owned()));
        }
    }

    #[test]
    fn wrong_places_are_named() {
        assert_eq!(names(b"{{a}} and {{b_2:json}}").unwrap(), ["a", "b_2"]);
        for wrong in [
            "{{", "{{a", "{{}}", "{{a b}}", "{{a}", "{{{a}}}", "{{a:}}", "{{a:b}}", "{{:url}}",
        ] {
            assert!(names(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
