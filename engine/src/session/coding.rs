//! How a value is written into a place of a request, so that it cannot end the text around it.

/// The coding of a place: `{{name}}` takes the value as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    Plain,
    /// Percent-encoded, as in a query or a form.
    Url,
    /// As within a JSON string.
    Json,
    /// As an XML text or attribute.
    Xml,
}

impl Coding {
    /// The coding of this name; empty for none.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "" => Some(Self::Plain),
            "url" => Some(Self::Url),
            "json" => Some(Self::Json),
            "xml" => Some(Self::Xml),
            _ => None,
        }
    }

    /// Appends `value` in this coding. Values have no control characters.
    pub fn write(self, value: &[u8], out: &mut Vec<u8>) {
        if self == Self::Plain {
            return out.extend_from_slice(value);
        }
        for byte in value {
            match (self, byte) {
                (Self::Url, byte) if !byte.is_ascii_alphanumeric() && !b"-._~".contains(byte) => {
                    out.extend_from_slice(format!("%{byte:02X}").as_bytes());
                }
                (Self::Json, b'"' | b'\\') => out.extend_from_slice(&[b'\\', *byte]),
                (Self::Xml, b'&') => out.extend_from_slice(b"&amp;"),
                (Self::Xml, b'<') => out.extend_from_slice(b"&lt;"),
                (Self::Xml, b'>') => out.extend_from_slice(b"&gt;"),
                (Self::Xml, b'"') => out.extend_from_slice(b"&quot;"),
                (_, byte) => out.push(*byte),
            }
        }
    }
}
