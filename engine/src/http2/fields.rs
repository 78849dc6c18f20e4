//! The fields of one header block, in one buffer that is reused for the next.

use crate::http::Malformed;

/// The most fields, and bytes of fields; the same bounds as for HTTP/1.1.
const MOST_FIELDS: usize = 128;
pub const MOST_BYTES: usize = 64 * 1024;

/// Names and values in their order.
#[derive(Debug, Default)]
pub struct Fields {
    bytes: Vec<u8>,
    /// Where each name and each value ends.
    ends: Vec<(usize, usize)>,
}

impl Fields {
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Adds a field; an error if there are too many.
    pub fn push(&mut self, name: &[u8], value: &[u8]) -> Result<(), Malformed> {
        if self.ends.len() == MOST_FIELDS || self.bytes.len() + name.len() + value.len() > MOST_BYTES {
            return Err(Malformed("the header block has more than 128 fields or 64 KiB"));
        }
        self.bytes.extend_from_slice(name);
        let name_end = self.bytes.len();
        self.bytes.extend_from_slice(value);
        self.ends.push((name_end, self.bytes.len()));
        Ok(())
    }

    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let mut begin = 0;
        self.ends.iter().map(move |&(name_end, end)| {
            let field = (&self.bytes[begin..name_end], &self.bytes[name_end..end]);
            begin = end;
            field
        })
    }

    /// The status of an answer, if the first field is one.
    pub fn status(&self) -> Option<u16> {
        match self.iter().next()? {
            (b":status", digits) if digits.len() == 3 => digits.iter().try_fold(0, |sum, digit| match digit {
                b'0'..=b'9' => Some(sum * 10 + u16::from(digit - b'0')),
                _ => None,
            }),
            _ => None,
        }
    }
}
