//! Captures: finds a value in an answer by header, regular expression, element path or JSON path, in bounded time and memory.

use std::borrow::Cow;

use regex_automata::util::primitives::NonMaxUsize;
use regex_automata::util::syntax;
use regex_automata::{Input, meta};

use super::template::is_name;
use super::{ElementPath, JsonPath};
use crate::job::Capture;

/// The bytes of a body that are searched for values.
pub const MOST_SCANNED: usize = 1 << 20;
/// The longest value in bytes: an answer must not make later requests grow.
const MOST_VALUE: usize = 4096;

/// The values that a session has captured so far, by name. An empty one is not set: no captured value is empty, and the memory of
/// an earlier session's serves the next.
#[derive(Debug, Clone, Default)]
pub struct Values(Vec<(String, Vec<u8>)>);

impl Values {
    /// Stores a value and replaces an earlier one of that name.
    pub fn set(&mut self, name: &str, value: &[u8]) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, kept)) => {
                kept.clear();
                kept.extend_from_slice(value);
            }
            None => self.0.push((name.to_owned(), value.to_vec())),
        }
    }

    /// Forgets a value.
    pub fn unset(&mut self, name: &str) {
        if let Some((_, kept)) = self.0.iter_mut().find(|(known, _)| known == name) {
            kept.clear();
        }
    }

    pub fn get(&self, name: &str) -> Option<&[u8]> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found
            .map(|(_, value)| value.as_slice())
            .filter(|value| !value.is_empty())
    }

    pub fn clear(&mut self) {
        for (_, value) in &mut self.0 {
            value.clear();
        }
    }
}

/// A regular expression, searched without allocating: `regex` itself allocates for the groups of each match.
#[derive(Debug, Clone)]
struct Expression {
    regex: meta::Regex,
    /// The index of the first slot of the value: of the first group, or of the whole match where there is no group.
    slot: usize,
}

impl Expression {
    /// An error is the reason why it is wrong, or too large.
    fn new(text: &str) -> Result<Self, String> {
        let regex = meta::Builder::new()
            .configure(meta::Config::new().utf8_empty(false))
            .syntax(syntax::Config::new().utf8(false))
            .build(text)
            .map_err(|error| {
                // The last line of the library's message is the reason.
                let message = error.syntax_error().map_or(error.to_string(), ToString::to_string);
                message.lines().last().unwrap_or_default().to_owned()
            })?;
        let slot = 2 * usize::from(regex.captures_len() > 1);
        Ok(Self { regex, slot })
    }

    fn find<'a>(&self, body: &'a [u8]) -> Option<&'a [u8]> {
        let mut slots = [None; 4];
        self.regex
            .search_slots(&Input::new(body), &mut slots[..self.slot + 2])?;
        let place = |index: usize| slots[index].map(NonMaxUsize::get);
        // A match that ends at the bound might be longer.
        let ends_before = place(1)? < MOST_SCANNED;
        let found = place(self.slot)?..place(self.slot + 1)?;
        ends_before.then(|| &body[found])
    }
}

#[derive(Debug, Clone)]
enum Place {
    Header(String),
    Cookie(String),
    Expression(Box<Expression>),
    Path(ElementPath),
    Json(JsonPath),
}

/// One capture of a step, ready for use.
#[derive(Debug, Clone)]
pub struct CompiledCapture {
    pub name: String,
    /// Whether an answer without the value is right.
    pub may_lack: bool,
    place: Place,
}

impl CompiledCapture {
    /// Compiles a capture; an error explains what is wrong with the name, the expression or the path.
    pub fn new(name: &str, capture: &Capture) -> Result<Self, String> {
        if !is_name(name) {
            return Err(format!(
                "the capture `{}` needs a name of letters, digits and `_`",
                name.escape_debug()
            ));
        }
        let place = match capture {
            Capture::Header(capture) => Place::Header(capture.name.clone()),
            Capture::Cookie(capture) => Place::Cookie(capture.name.clone()),
            Capture::Regex(capture) => {
                let expression = Expression::new(&capture.expression);
                Place::Expression(Box::new(
                    expression.map_err(|why| format!("the capture `{name}`: {why}"))?,
                ))
            }
            Capture::Path(capture) => {
                Place::Path(ElementPath::new(&capture.path).map_err(|why| format!("the capture `{name}`: {why}"))?)
            }
            Capture::Json(capture) => {
                Place::Json(JsonPath::new(&capture.path).map_err(|why| format!("the capture `{name}`: {why}"))?)
            }
        };
        Ok(Self {
            name: name.to_owned(),
            may_lack: false,
            place,
        })
    }

    /// Whether the value is in the body.
    pub fn reads_body(&self) -> bool {
        !matches!(self.place, Place::Header(_) | Place::Cookie(_))
    }

    /// The value in an answer with these header lines (`Name:value`) and this body; None if it is missing, too long, or not text.
    pub fn find<'a>(&self, fields: &'a [u8], body: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        let body = &body[..body.len().min(MOST_SCANNED)];
        let value = match &self.place {
            Place::Header(name) => fields_named(fields, name).next().map(Cow::Borrowed),
            Place::Cookie(name) => cookie(fields, name).map(Cow::Borrowed),
            Place::Expression(expression) => expression.find(body).map(Cow::Borrowed),
            Place::Path(path) => path.find(body).map(Cow::Borrowed),
            Place::Json(path) => path.find(body),
        }?;
        is_value(&value).then_some(value)
    }
}

/// Whether a value may fill a place: text of one line, neither empty nor too long.
pub(super) fn is_value(value: &[u8]) -> bool {
    let is_plain = value.iter().all(|byte| matches!(byte, b' '..=b'~'));
    let is_text = || std::str::from_utf8(value).is_ok_and(|text| !text.chars().any(char::is_control));
    (is_plain || is_text()) && !value.is_empty() && value.len() <= MOST_VALUE
}

/// The values of the fields of this name, in order.
fn fields_named<'a>(fields: &'a [u8], name: &str) -> impl Iterator<Item = &'a [u8]> {
    fields.split(|byte| *byte == b'\n').filter_map(move |line| {
        let colon = line.iter().position(|byte| *byte == b':')?;
        line[..colon]
            .eq_ignore_ascii_case(name.as_bytes())
            .then(|| line[colon + 1..].trim_ascii())
    })
}

/// The value of the cookie of this name that the fields set last, as a user agent keeps it.
fn cookie<'a>(fields: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let pairs = fields_named(fields, "set-cookie").filter_map(|value| {
        let pair = value.split(|byte| *byte == b';').next()?;
        let equals = pair.iter().position(|byte| *byte == b'=')?;
        (pair[..equals].trim_ascii() == name.as_bytes()).then(|| pair[equals + 1..].trim_ascii())
    });
    pairs.last()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn capture(place: serde_json::Value) -> CompiledCapture {
        CompiledCapture::new("id", &serde_json::from_value(place).unwrap()).unwrap()
    }

    #[test]
    fn a_value_is_found_in_a_header_by_an_expression_and_by_paths() {
        let fields = b"Server: x\nX-Id: 7\nX-Id: 0\nSet-Cookie: ab=0\nset-cookie:b=1\nSet-Cookie: b=2; Path=/\n";
        let body = b"<a><id>8</id>order=9;</a>";
        for (place, value) in [
            (json!({"kind": "header", "name": "x-id"}), &b"7"[..]),
            (json!({"kind": "cookie", "name": "b"}), b"2"),
            (json!({"kind": "regex", "expression": r"order=(\d+)"}), b"9"),
            (json!({"kind": "regex", "expression": r"order=\d+"}), b"order=9"),
            (json!({"kind": "path", "path": "a/id"}), b"8"),
        ] {
            assert_eq!(
                capture(place.clone()).find(fields, body).as_deref(),
                Some(value),
                "{place}"
            );
        }
        let json = capture(json!({"kind": "json", "path": ["items", 1, "id"]}));
        let found = json.find(b"", br#"{"items": [{}, {"id": 8}]}"#);
        assert_eq!(found.as_deref(), Some(&b"8"[..]));
    }

    #[test]
    fn what_is_missing_too_long_binary_or_beyond_the_bound_is_no_value() {
        let expression = capture(json!({"kind": "regex", "expression": "(?s-u)id=(.*?);"}));
        let long = format!("id={};", "x".repeat(MOST_VALUE + 1));
        let far = format!("{}id=7;", " ".repeat(MOST_SCANNED));
        for body in [
            &b""[..],
            b"id=;",
            b"id=\xff;",
            b"id=a\nb;",
            b"id=\0;",
            long.as_bytes(),
            far.as_bytes(),
        ] {
            assert_eq!(expression.find(b"", body), None);
        }
        let header = capture(json!({"kind": "header", "name": "X"}));
        assert_eq!(header.find(b"Y: 1\nno colon\n", b""), None);
    }

    #[test]
    fn names_and_places_that_cannot_be_are_refused() {
        let header = serde_json::from_value(json!({"kind": "header", "name": "X"})).unwrap();
        assert!(CompiledCapture::new("a b", &header).is_err());
        for place in [
            json!({"kind": "regex", "expression": "("}),
            json!({"kind": "path", "path": "a//b"}),
            json!({"kind": "json", "path": []}),
        ] {
            assert!(CompiledCapture::new("id", &serde_json::from_value(place).unwrap()).is_err());
        }
    }
}
