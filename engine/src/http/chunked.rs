//! The chunked transfer coding (RFC 9112, 7.1), read piece by piece.

use super::malformed::Malformed;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Size { digits: u8 },
    Extension,
    SizeEnd,
    Data,
    DataReturn,
    DataEnd,
    TrailerStart,
    TrailerLine,
    TrailerEnd,
    LastEnd,
    Over,
}

/// Reads chunk after chunk; stores no bytes.
#[derive(Debug, Clone)]
pub struct ChunkReader {
    place: Place,
    /// The current chunk's size while that is read, then its remaining bytes.
    left: u64,
    /// Bytes of extensions and trailers, which are ignored.
    overhead: u32,
}

pub enum Chunk<'a> {
    Data(&'a [u8]),
    NeedMore,
    Over,
}

/// The most bytes of extensions and trailers.
const MOST_OVERHEAD: u32 = 64 * 1024;

impl ChunkReader {
    pub fn new() -> Self {
        Self {
            place: Place::Size { digits: 0 },
            left: 0,
            overhead: 0,
        }
    }

    /// Reads the next piece of `input` and advances it.
    pub fn next<'a>(&mut self, input: &mut &'a [u8]) -> Result<Chunk<'a>, Malformed> {
        loop {
            if self.place == Place::Over {
                return Ok(Chunk::Over);
            }
            let Some(&byte) = input.first() else {
                return Ok(Chunk::NeedMore);
            };
            if self.place == Place::Data {
                let length = input.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
                let (data, rest) = input.split_at(length);
                *input = rest;
                self.left -= length as u64;
                if self.left == 0 {
                    self.place = Place::DataReturn;
                }
                return Ok(Chunk::Data(data));
            }
            *input = &input[1..];
            self.place = self.step(byte)?;
        }
    }

    fn step(&mut self, byte: u8) -> Result<Place, Malformed> {
        Ok(match (self.place, byte) {
            (Place::Size { digits }, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => {
                if digits == 15 {
                    return Err(Malformed("a chunk's size has more than 15 digits"));
                }
                let digit = (byte as char).to_digit(16).unwrap_or_default();
                self.left = self.left * 16 + u64::from(digit);
                Place::Size { digits: digits + 1 }
            }
            (Place::Size { digits: 1.. }, b'\r') => Place::SizeEnd,
            (Place::Size { digits: 1.. }, b';' | b' ' | b'\t') => Place::Extension,
            (Place::Size { .. }, _) => return Err(Malformed("a chunk's size is not a hexadecimal number")),
            (Place::Extension, b'\r') => Place::SizeEnd,
            (Place::Extension, _) => self.skip(Place::Extension)?,
            (Place::SizeEnd, b'\n') if self.left == 0 => Place::TrailerStart,
            (Place::SizeEnd, b'\n') => Place::Data,
            (Place::DataReturn, b'\r') => Place::DataEnd,
            (Place::DataEnd, b'\n') => Place::Size { digits: 0 },
            (Place::TrailerStart, b'\r') => Place::LastEnd,
            (Place::TrailerStart | Place::TrailerLine, b'\n') => {
                return Err(Malformed("a trailer line with a wrong end"));
            }
            (Place::TrailerLine, b'\r') => Place::TrailerEnd,
            (Place::TrailerStart | Place::TrailerLine, _) => self.skip(Place::TrailerLine)?,
            (Place::TrailerEnd, b'\n') => Place::TrailerStart,
            (Place::LastEnd, b'\n') => Place::Over,
            _ => return Err(Malformed("a chunk line with a wrong end")),
        })
    }

    fn skip(&mut self, place: Place) -> Result<Place, Malformed> {
        self.overhead += 1;
        if self.overhead > MOST_OVERHEAD {
            return Err(Malformed("chunk extensions and trailers have no end"));
        }
        Ok(place)
    }
}
