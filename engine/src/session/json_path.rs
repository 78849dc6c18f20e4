//! The path of a value in a JSON answer, found in one pass that stops at the value: no tree, no recursion.

use std::borrow::Cow;

use memchr::memchr2;

use crate::job::JsonStep;

/// Keys and indexes from the root to a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonPath(Vec<JsonStep>);

/// The most steps of a path.
const MOST_STEPS: usize = 32;

impl JsonPath {
    pub fn new(steps: &[JsonStep]) -> Result<Self, String> {
        match steps.len() {
            1..=MOST_STEPS => Ok(Self(steps.to_vec())),
            count => Err(format!(
                "a path in JSON has 1 to {MOST_STEPS} keys and indexes, not {count}"
            )),
        }
    }

    /// The text of the string, number or boolean at this path; None for null, objects and arrays. Of equal keys the first counts. The
    /// search ends at the value, so nothing after it is checked.
    pub fn find<'a>(&self, body: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        let mut cursor = Cursor(body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body));
        for step in &self.0 {
            match step {
                JsonStep::Key(key) => cursor.enter_object(key.as_bytes())?,
                JsonStep::Index(index) => cursor.enter_array(*index)?,
            }
        }
        cursor.read_scalar()
    }
}

/// The rest of a body. Each method returns None where the body is not JSON, or ends.
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    /// Skips white space and takes this byte.
    fn take(&mut self, byte: u8) -> Option<()> {
        self.0 = self.0.trim_ascii_start().strip_prefix(&[byte])?;
        Some(())
    }

    fn peek(&mut self) -> Option<u8> {
        self.0 = self.0.trim_ascii_start();
        self.0.first().copied()
    }

    /// Moves to the value of this key in the object at hand.
    fn enter_object(&mut self, key: &[u8]) -> Option<()> {
        self.take(b'{')?;
        loop {
            let name = unescape(self.read_string()?)?;
            self.take(b':')?;
            if *name == *key {
                return Some(());
            }
            self.skip_value()?;
            self.take(b',')?;
        }
    }

    /// Moves to the element with this index, counted from 0, in the array at hand.
    fn enter_array(&mut self, index: u32) -> Option<()> {
        self.take(b'[')?;
        for _ in 0..index {
            self.skip_value()?;
            self.take(b',')?;
        }
        (self.peek()? != b']').then_some(())
    }

    fn skip_value(&mut self) -> Option<()> {
        match self.peek()? {
            b'"' => self.read_string().map(|_| ()),
            b'{' | b'[' => self.skip_nested(),
            _ => self.read_literal().map(|_| ()),
        }
    }

    /// Skips an object or array; counts brackets instead of matching their kinds.
    fn skip_nested(&mut self) -> Option<()> {
        let mut depth = 0usize;
        loop {
            let place = self
                .0
                .iter()
                .position(|byte| matches!(byte, b'"' | b'{' | b'[' | b'}' | b']'))?;
            let byte = self.0[place];
            self.0 = &self.0[place..];
            if byte == b'"' {
                self.read_string()?;
                continue;
            }
            self.0 = &self.0[1..];
            match byte {
                b'{' | b'[' => depth += 1,
                _ => depth -= 1,
            }
            if depth == 0 {
                return Some(());
            }
        }
    }

    /// The string at hand without its quotes, its escapes as they are.
    fn read_string(&mut self) -> Option<&'a [u8]> {
        self.take(b'"')?;
        let text = self.0;
        let mut end = 0;
        loop {
            end += memchr2(b'"', b'\\', &text[end..])?;
            if text[end] == b'"' {
                self.0 = &text[end + 1..];
                return Some(&text[..end]);
            }
            // The escaped byte is no end of the string.
            end += 2;
            if end > text.len() {
                return None;
            }
        }
    }

    /// The number, `true`, `false` or `null` at hand. One that reaches the end of the body may be cut off.
    fn read_literal(&mut self) -> Option<&'a [u8]> {
        let text = self.0.trim_ascii_start();
        let is_end = |byte: &u8| matches!(byte, b',' | b']' | b'}') || byte.is_ascii_whitespace();
        let (literal, rest) = text.split_at(text.iter().position(is_end)?);
        self.0 = rest;
        let is_number = literal.first().is_some_and(|byte| matches!(byte, b'-' | b'0'..=b'9'))
            && literal
                .iter()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'));
        (is_number || matches!(literal, b"true" | b"false" | b"null")).then_some(literal)
    }

    fn read_scalar(&mut self) -> Option<Cow<'a, [u8]>> {
        match self.peek()? {
            b'"' => unescape(self.read_string()?),
            b'{' | b'[' | b'n' => None,
            _ => self.read_literal().map(Cow::Borrowed),
        }
    }
}

/// The text of a string whose escapes are these; None where an escape is wrong.
fn unescape(raw: &[u8]) -> Option<Cow<'_, [u8]>> {
    if !raw.contains(&b'\\') {
        return Some(Cow::Borrowed(raw));
    }
    let (mut out, mut rest) = (Vec::with_capacity(raw.len()), raw);
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'\\' {
            out.push(*byte);
            continue;
        }
        let (escape, after) = rest.split_first()?;
        rest = after;
        match escape {
            b'"' | b'\\' | b'/' => out.push(*escape),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'u' => {
                let character = read_unicode(&mut rest)?;
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
            _ => return None,
        }
    }
    Some(Cow::Owned(out))
}

/// The character after `\u`, of one code unit or of a surrogate pair.
fn read_unicode(rest: &mut &[u8]) -> Option<char> {
    let first = read_code_unit(rest)?;
    if !(0xd800..0xdc00).contains(&first) {
        return char::from_u32(first);
    }
    *rest = rest.strip_prefix(b"\\u")?;
    let second = read_code_unit(rest)?;
    let is_low = (0xdc00..0xe000).contains(&second);
    is_low.then(|| char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00)))?
}

fn read_code_unit(rest: &mut &[u8]) -> Option<u32> {
    let (digits, after) = rest.split_at_checked(4)?;
    *rest = after;
    let is_hexadecimal = digits.iter().all(u8::is_ascii_hexdigit);
    let text = std::str::from_utf8(digits).ok().filter(|_| is_hexadecimal)?;
    u32::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn path(steps: Value) -> JsonPath {
        let steps: Vec<JsonStep> = serde_json::from_value(steps).unwrap();
        JsonPath::new(&steps).unwrap()
    }

    fn found(steps: Value, body: &str) -> Option<String> {
        let value = path(steps).find(body.as_bytes());
        value.map(|value| String::from_utf8(value.into_owned()).unwrap())
    }

    #[test]
    fn the_value_at_the_path_is_found_whatever_stands_before_it() {
        let body = r#" {"a": {"id": 1}, "b\"]": [[], {"x": "}"}], "items": [ {"id": "x"}, {"no": null, "id" : "7\u00e9\/" } ],
            "price": -1.5e3, "paid":true}"#;
        assert_eq!(found(json!(["items", 1, "id"]), body).as_deref(), Some("7\u{e9}/"));
        assert_eq!(found(json!(["items", 0, "id"]), body).as_deref(), Some("x"));
        assert_eq!(found(json!(["price"]), body).as_deref(), Some("-1.5e3"));
        assert_eq!(found(json!(["paid"]), body).as_deref(), Some("true"));
        assert_eq!(found(json!(["b\"]", 1, "x"]), body).as_deref(), Some("}"));
        assert_eq!(found(json!([1]), "\u{feff}[1, 2, 3]").as_deref(), Some("2"));
        assert_eq!(
            found(json!(["a"]), r#"{"a": "\ud83d\ude00"}"#).as_deref(),
            Some("\u{1f600}")
        );
    }

    #[test]
    fn what_is_not_there_or_not_a_text_has_no_value() {
        let body = r#"{"a": [1, {}, null], "o": {"x": 1}}"#;
        for steps in [
            json!(["b"]),
            json!(["a", 3]),
            json!(["a", "0"]),
            json!([0]),
            json!(["a"]),
            json!(["a", 1]),
            json!(["a", 2]),
            json!(["o"]),
            json!(["o", "x", "y"]),
        ] {
            assert_eq!(found(steps.clone(), body), None, "{steps}");
        }
        assert!(JsonPath::new(&[]).is_err());
    }

    #[test]
    fn the_search_stops_at_the_value_and_a_body_that_is_cut_before_gives_none() {
        assert_eq!(found(json!(["a"]), r#"{"a": "x", and no JSON"#).as_deref(), Some("x"));
        for body in [
            "",
            "{",
            r#"{"a"#,
            r#"{"a": "#,
            r#"{"a": 12"#,
            r#"{"a": "x"#,
            r#"{"a": "x\"#,
            r#"{"b": {"#,
            r#"{"b": ]]]"#,
            r#"{"a": "\ud83d"}"#,
            r#"{"a": "\u12"}"#,
            r#"{"a": "\x"}"#,
            r#"{"a": nul}"#,
            r#"{"a": x}"#,
            "<a/>",
        ] {
            assert_eq!(found(json!(["a"]), body), None, "{body}");
        }
    }

    #[test]
    fn a_million_open_brackets_need_no_stack() {
        let deep = format!("{{\"b\": {}, \"a\": 1}}", "[".repeat(1_000_000));
        assert_eq!(found(json!(["a"]), &deep), None);
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "[\\PC\"\\\\\n]{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                proptest::collection::btree_map("[ab\"\\\\{\u{e9}]{0,2}", inner, 0..5)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    /// All paths in a value with the text that they should find.
    fn paths(value: &Value, before: &[Value], all: &mut Vec<(Vec<Value>, Option<String>)>) {
        let extended = |step: Value| [before, &[step]].concat();
        match value {
            Value::Array(items) => (0..)
                .zip(items)
                .for_each(|(index, item)| paths(item, &extended(json!(index)), all)),
            Value::Object(members) => members
                .iter()
                .for_each(|(key, item)| paths(item, &extended(json!(key)), all)),
            Value::String(text) => all.push((before.to_vec(), Some(text.clone()))),
            Value::Null => all.push((before.to_vec(), None)),
            scalar => all.push((before.to_vec(), Some(scalar.to_string()))),
        }
    }

    proptest! {
        #[test]
        fn every_value_of_any_json_is_found_at_its_path(value in any_json(), pretty: bool) {
            let body = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
            let mut all = Vec::new();
            paths(&value, &[], &mut all);
            for (steps, text) in all.into_iter().filter(|(steps, _)| !steps.is_empty()) {
                prop_assert_eq!(found(json!(steps), &body), text, "{:?} in {}", steps, body);
            }
        }
    }
}
