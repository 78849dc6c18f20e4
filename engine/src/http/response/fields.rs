//! Answers whose heads are fields and whose bodies are frames: those of HTTP/2 (RFC 9113, 8.1 and 8.2).

use std::io::Write;

use super::{Framing, MOST_INTERIM, Malformed, ResponseReader, State, WantedFields, is_redirect};

/// Fields that only HTTP/1.1 may have.
const NOT_ALLOWED: [&[u8]; 5] = [
    b"connection",
    b"keep-alive",
    b"proxy-connection",
    b"transfer-encoding",
    b"upgrade",
];

impl ResponseReader {
    /// Reads a head, `:status` first; `end` if nothing follows it. Returns whether it is the final one.
    pub fn take_fields<'a>(
        &mut self,
        mut fields: impl Iterator<Item = (&'a [u8], &'a [u8])>,
        end: bool,
    ) -> Result<bool, Malformed> {
        let status = fields.next().filter(|(name, _)| *name == b":status");
        let status = status.and_then(|(_, digits)| read_status(digits));
        let status = status.ok_or(Malformed("the head has no status"))?;
        if status < 200 {
            self.interim += 1;
            if end || status == 101 || self.interim > MOST_INTERIM {
                return Err(Malformed("an interim answer that was not asked for"));
            }
            return Ok(false);
        }
        self.status = status;
        if self.keeps_head {
            // Writing to memory cannot fail.
            let _ = writeln!(self.head, "HTTP/2 {status}");
        }
        let mut framing = Framing::default();
        for (name, value) in fields {
            if self.keeps_head {
                [name, b": ", value, b"\n"]
                    .iter()
                    .for_each(|piece| self.head.extend_from_slice(piece));
            }
            if !is_field(name, value) {
                return Err(Malformed("a field that HTTP/2 does not have"));
            }
            match name {
                b"content-length" => framing.take_length(value)?,
                b"content-encoding" => framing.take_coding(value),
                b"location" if self.keeps_location && is_redirect(status) && self.location.is_empty() => {
                    self.location.extend_from_slice(value.trim_ascii());
                }
                _ => {}
            }
            if self.wanted != WantedFields::None {
                self.keep_field(name, value);
            }
        }
        self.coding = framing.coding;
        self.state = match framing.length {
            _ if self.answers_head || status == 204 || status == 304 => State::Done,
            Some(left) => State::Length { left, begun: false },
            None => State::UntilClose,
        };
        Ok(true)
    }

    /// Counts a piece of the body.
    #[inline]
    pub fn take_piece(&mut self, length: usize) -> Result<(), Malformed> {
        match &mut self.state {
            State::Length { left, .. } if *left >= length as u64 => *left -= length as u64,
            State::UntilClose => {}
            _ if length == 0 => {}
            _ => return Err(Malformed("more body than the head says")),
        }
        Ok(())
    }

    /// Whether the end of the stream completes the answer.
    #[inline]
    pub fn take_end(&mut self) -> Result<(), Malformed> {
        match std::mem::replace(&mut self.state, State::Done) {
            State::Length { left: 1.., .. } => Err(Malformed("less body than the head says")),
            State::Head => Err(Malformed("an end without a head")),
            _ => Ok(()),
        }
    }
}

fn read_status(digits: &[u8]) -> Option<u16> {
    let text = std::str::from_utf8(digits).ok().filter(|text| text.len() == 3)?;
    let status = text
        .bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| text.parse().ok())?;
    status.filter(|status| (100..600).contains(status))
}

/// Whether a field may stand in a head: its name in small letters, nothing in the value that would end a line.
fn is_field(name: &[u8], value: &[u8]) -> bool {
    let letter = |byte: &u8| byte.is_ascii_graphic() && !byte.is_ascii_uppercase() && *byte != b':';
    let text = |byte: &u8| !matches!(byte, b'\r' | b'\n' | 0);
    !name.is_empty() && name.iter().all(letter) && value.iter().all(text) && !NOT_ALLOWED.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Field = (&'static str, &'static str);

    /// The result of a head, pieces of these lengths, and the end.
    fn read(fields: &[Field], pieces: &[usize]) -> Result<(u16, bool), Malformed> {
        let mut reader = ResponseReader::new();
        let bytes = fields.iter().map(|(name, value)| (name.as_bytes(), value.as_bytes()));
        let is_final = reader.take_fields(bytes, false)?;
        pieces.iter().try_for_each(|length| reader.take_piece(*length))?;
        if is_final {
            reader.take_end()?;
        }
        Ok((reader.status(), is_final))
    }

    const OK: Field = (":status", "200");

    #[test]
    fn a_body_is_as_long_as_its_head_says_if_it_says_so() {
        assert_eq!(read(&[OK], &[3, 4]), Ok((200, true)));
        let length = ("content-length", "7");
        assert_eq!(read(&[OK, length], &[3, 4]), Ok((200, true)));
        assert!(read(&[OK, length], &[3, 5]).is_err());
        assert!(read(&[OK, length], &[3, 3]).is_err());
        assert_eq!(read(&[(":status", "304"), length], &[]), Ok((304, true)));
        assert!(read(&[(":status", "204")], &[1]).is_err());
        assert_eq!(read(&[(":status", "103"), ("link", "a")], &[]), Ok((0, false)));
    }

    #[test]
    fn heads_that_are_none_are_malformed() {
        let wrong: [&[Field]; 9] = [
            &[],
            &[("server", "x"), OK],
            &[OK, OK],
            &[(":status", "20")],
            &[(":status", "+20")],
            &[(":status", "099")],
            &[OK, ("Server", "x")],
            &[OK, ("connection", "close")],
            &[OK, ("x", "a\nb")],
        ];
        for fields in wrong {
            assert!(read(fields, &[]).is_err(), "{fields:?}");
        }
    }
}
