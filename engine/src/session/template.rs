//! Marked places of a request, `{{name}}`, `{{name:coding}}` or `{{function(...)}}`: checked when the corpus is read, filled when the request
//! is sent.

use super::coding::Coding;
use super::computed::{self, Computed, Filling, Spot};

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

/// The names of the values that the places in `text` need.
pub fn names(text: &[u8]) -> Result<Vec<&str>, String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(place) = next_place(rest)? {
        match place.computed {
            true => found.extend(Computed::parse(place.value)?.names(place.value)),
            false => found.push(place.value),
        }
        rest = place.after;
    }
    Ok(found)
}

/// Checks the places of a text that stands at `spot`; an error explains what is wrong with one.
pub fn check(text: &[u8], spot: Spot) -> Result<(), String> {
    let mut rest = text;
    while let Some(place) = next_place(rest)? {
        if place.computed {
            Computed::parse(place.value)?.check(place.value, spot)?;
        }
        rest = place.after;
    }
    Ok(())
}

/// Whether `text` has a place.
pub fn has_place(text: &[u8]) -> bool {
    matches!(next_place(text), Ok(Some(_)))
}

/// Whether a place of `text` has a computed value.
pub fn has_computed(text: &[u8]) -> bool {
    let mut rest = text;
    while let Ok(Some(place)) = next_place(rest) {
        if place.computed {
            return true;
        }
        rest = place.after;
    }
    false
}

/// Appends `text` with its places filled, up to the first place without a value.
pub fn fill(text: &[u8], filling: &Filling, out: &mut Vec<u8>) -> Filled {
    let mut rest = text;
    // The corpus was read with `check`, so there are no wrong places.
    while let Ok(Some(place)) = next_place(rest) {
        out.extend_from_slice(place.before);
        if place.computed {
            if computed::write(place.value, filling, place.coding, out).is_none() {
                return Filled::Lacking;
            }
        } else if let Some(value) = filling.values.get(place.value) {
            place.coding.write(value, out);
        } else if let Some(value) = filling.stamp.value(place.value) {
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
pub fn fill_path(text: &[u8], filling: &Filling, out: &mut Vec<u8>) -> Filled {
    let begin = out.len();
    let filled = fill(text, filling, out);
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
    /// The name of a value, or the text of a computed one.
    value: &'a str,
    computed: bool,
    coding: Coding,
    after: &'a [u8],
}

/// The next place of a text.
fn next_place(text: &[u8]) -> Result<Option<Place<'_>>, String> {
    // Faster than a search for both bytes, which is prepared anew for each text.
    let mut braces = memchr::memchr_iter(OPEN[0], text);
    let Some(begin) = braces.find(|begin| text[*begin..].starts_with(OPEN)) else {
        return Ok(None);
    };
    let inside = &text[begin + OPEN.len()..];
    let word = inside.iter().take_while(|byte| is_name_byte(**byte)).count();
    // The usual case, read without looking at anything twice.
    if (1..=MOST_NAME).contains(&word) && inside[word..].starts_with(CLOSE) {
        return Ok(Some(Place {
            before: &text[..begin],
            value: std::str::from_utf8(&inside[..word]).unwrap_or_default(),
            computed: false,
            coding: Coding::Plain,
            after: &inside[word + CLOSE.len()..],
        }));
    }
    let computed = word > 0 && inside.get(word) == Some(&b'(');
    let length = match computed {
        true => computed::length(inside).ok_or("a computed value has no closing bracket, or is too long")?,
        false => 0,
    };
    let window = &inside[length..inside.len().min(length + MOST_PLACE + CLOSE.len())];
    let end = length
        + window
            .windows(2)
            .position(|pair| pair == CLOSE)
            .ok_or("a place that begins with `{{` has no `}}`")?;
    let inner = std::str::from_utf8(&inside[..end]).map_err(|_| "a place is not UTF-8")?;
    let (value, coding) = match computed {
        true => (&inner[..length], &inner[length..]),
        false => inner.split_at(inner.find(':').unwrap_or(inner.len())),
    };
    if !computed && !is_name(value) {
        return Err("a place's name has letters, digits and `_` only, as in `{{order_id}}`".to_owned());
    }
    let coding = match coding.strip_prefix(':') {
        Some(named) => Coding::named(named).filter(|coding| *coding != Coding::Plain),
        None => Some(Coding::Plain).filter(|_| coding.is_empty()),
    };
    Ok(Some(Place {
        before: &text[..begin],
        value,
        computed,
        coding: coding.ok_or("a place's coding is `url`, `json` or `xml`, as in `{{order_id:url}}`")?,
        after: &inside[end + CLOSE.len()..],
    }))
}

/// Whether a value may have this name.
pub(super) fn is_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= MOST_NAME && name.bytes().all(is_name_byte)
}

pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::super::{Stamp, Values};
    use super::*;

    fn filled(text: &str, values: &Values) -> (Filled, String) {
        let mut out = Vec::new();
        let whole = fill(text.as_bytes(), &Filling::new(values, &Stamp::default()), &mut out);
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
        fill_path(b"/shop/{{id}}?q", &Filling::new(&values, &Stamp::default()), &mut out);
        assert_eq!(out, b"/shop/a%20b%C3%A9?q");
    }

    #[test]
    fn a_computed_value_is_written_in_a_coding_and_ends_where_its_brackets_do() {
        let mut values = Values::default();
        values.set("id", b"\"?");
        for (text, expected) in [
            ("<{{base64(id)}}>", "<Ij8=>"),
            ("{{base64(id):url}}{{id}}", "Ij8%3D\"?"),
            ("{{base64('}}')}}}}", "fX0=}}"),
            ("{{hex(json(id))}}", "5c223f"),
        ] {
            assert_eq!(filled(text, &values), (Filled::Whole, expected.to_owned()), "{text}");
        }
        assert_eq!(filled("{{base64(other)}}", &values).0, Filled::Lacking);
        assert_eq!(names(b"{{base64(id, other)}}{{x}}").unwrap(), ["id", "other", "x"]);
        assert!(has_computed(b"{{id}} {{uuid()}}") && !has_computed(b"{{id}} uuid()"));
        assert!(check(b"{{sha256(body)}}", Spot::Header).is_ok());
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
            "{{",
            "{{a",
            "{{}}",
            "{{a b}}",
            "{{a}",
            "{{{a}}}",
            "{{a:}}",
            "{{a:b}}",
            "{{:url}}",
            "{{hex(a}}",
            "{{hex(a) }}",
            "{{hex(a):}}",
            "{{hex(a):b}}",
            "{{hex(a)url}}",
            "{{nothing(a)}}",
            "{{hex(a)",
            "{{(a)}}",
        ] {
            assert!(names(wrong.as_bytes()).is_err(), "{wrong}");
        }
        assert!(check(b"{{sha256(body)}}", Spot::Body).is_err());
    }
}
