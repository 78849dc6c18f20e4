//! From the bytes of a message to its text: a byte order mark decides, then the charset of the Content-Type (RFC 7303).

use std::borrow::Cow;

use crate::Fault;

/// The text of `body`, in UTF-8 or UTF-16.
pub fn decode<'a>(body: &'a [u8], content_type: &str) -> Result<Cow<'a, str>, Fault> {
    if let Some(rest) = body.strip_prefix(b"\xEF\xBB\xBF") {
        return utf8(rest);
    }
    if let Some(rest) = body.strip_prefix(b"\xFF\xFE") {
        return utf16(rest, u16::from_le_bytes);
    }
    if let Some(rest) = body.strip_prefix(b"\xFE\xFF") {
        return utf16(rest, u16::from_be_bytes);
    }
    match charset(content_type).to_ascii_lowercase().as_str() {
        "" | "utf-8" | "us-ascii" => utf8(body),
        "utf-16" | "utf-16be" => utf16(body, u16::from_be_bytes),
        "utf-16le" => utf16(body, u16::from_le_bytes),
        other => Err(Fault::client(format!("charset {other} is not known here"))),
    }
}

fn charset(content_type: &str) -> &str {
    let parameters = content_type.split(';').skip(1);
    let named = parameters.filter_map(|parameter| parameter.split_once('='));
    let mut charsets = named.filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    charsets.next().map_or("", |(_, value)| value.trim().trim_matches('"'))
}

fn utf8(body: &[u8]) -> Result<Cow<'_, str>, Fault> {
    std::str::from_utf8(body)
        .map(Cow::Borrowed)
        .map_err(|error| Fault::client(error.to_string()))
}

fn utf16(body: &[u8], unit: fn([u8; 2]) -> u16) -> Result<Cow<'_, str>, Fault> {
    let pairs = body.chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return Err(Fault::client("an odd number of bytes is no UTF-16"));
    }
    let units = pairs.map(|pair| unit([pair[0], pair[1]]));
    let text: Result<String, _> = char::decode_utf16(units).collect();
    text.map(Cow::Owned).map_err(|error| Fault::client(error.to_string()))
}
