//! HPACK (RFC 7541). Reading supports everything that a server may send; writing uses only what pays for a client that repeats a
//! few heads.

use std::collections::VecDeque;

use httlib_huffman::DecoderSpeed;

use super::fields::Fields;
use super::static_table::STATIC;
use crate::http::Malformed;

/// The default size of either side's table (RFC 9113, 6.5.2).
const TABLE_BYTES: usize = 4096;
/// The overhead of an entry (RFC 7541, 4.1).
const ENTRY_BYTES: usize = 32;
/// The most continuation bytes of a number; valid numbers need no more.
const MOST_NUMBER_BYTES: u32 = 4;

const BROKEN: Malformed = Malformed("a header block that is not HPACK");

/// The server's table, and the state of reading one block.
#[derive(Debug)]
pub struct Decoder {
    /// The newest first: length of the name, then name and value.
    table: VecDeque<(usize, Box<[u8]>)>,
    size: usize,
    most: usize,
    name: Vec<u8>,
    value: Vec<u8>,
}

impl Default for Decoder {
    fn default() -> Self {
        Self {
            table: VecDeque::new(),
            size: 0,
            most: TABLE_BYTES,
            name: Vec::new(),
            value: Vec::new(),
        }
    }
}

impl Decoder {
    /// Reads a whole block into `fields`; an error ends the connection, since the table no longer matches the server's.
    pub fn decode(&mut self, mut block: &[u8], fields: &mut Fields) -> Result<(), Malformed> {
        fields.clear();
        let mut updates_allowed = true;
        while let Some(&first) = block.first() {
            let is_update = first & 0xe0 == 0x20;
            match first {
                0x80.. => {
                    let index = number(&mut block, 7)?;
                    let (name, value) = self.entry(index)?;
                    fields.push(name, value)?;
                }
                0x40..0x80 => {
                    self.literal(&mut block, 6)?;
                    fields.push(&self.name, &self.value)?;
                    self.insert();
                }
                0x20..0x40 => {
                    let most = number(&mut block, 5)?;
                    if most > TABLE_BYTES || !updates_allowed {
                        return Err(BROKEN);
                    }
                    self.most = most;
                    self.evict();
                }
                _ => {
                    self.literal(&mut block, 4)?;
                    fields.push(&self.name, &self.value)?;
                }
            }
            updates_allowed &= is_update;
        }
        Ok(())
    }

    fn entry(&self, index: usize) -> Result<(&[u8], &[u8]), Malformed> {
        match index.checked_sub(1).ok_or(BROKEN)? {
            known if known < STATIC.len() => Ok(STATIC[known]),
            dynamic => {
                let (name, both) = self.table.get(dynamic - STATIC.len()).ok_or(BROKEN)?;
                Ok(both.split_at(*name))
            }
        }
    }

    /// Reads name and value; the name may be that of an entry.
    fn literal(&mut self, block: &mut &[u8], prefix: u32) -> Result<(), Malformed> {
        let mut name = std::mem::take(&mut self.name);
        name.clear();
        let read = match number(block, prefix)? {
            0 => string(block, &mut name),
            index => self.entry(index).map(|(known, _)| name.extend_from_slice(known)),
        };
        self.name = name;
        read?;
        self.value.clear();
        string(block, &mut self.value)
    }

    fn insert(&mut self) {
        self.size += self.name.len() + self.value.len() + ENTRY_BYTES;
        let both = [&self.name[..], &self.value].concat();
        self.table.push_front((self.name.len(), both.into_boxed_slice()));
        self.evict();
    }

    fn evict(&mut self) {
        while self.size > self.most
            && let Some((_, both)) = self.table.pop_back()
        {
            self.size -= both.len() + ENTRY_BYTES;
        }
    }
}

/// A number in the low `prefix` bits of the first byte and continuation bytes (RFC 7541, 5.1).
fn number(block: &mut &[u8], prefix: u32) -> Result<usize, Malformed> {
    let (first, mut rest) = block.split_first().ok_or(BROKEN)?;
    let most = (1usize << prefix) - 1;
    let mut value = usize::from(*first) & most;
    if value == most {
        let mut shift = 0;
        loop {
            let (byte, after) = rest.split_first().ok_or(BROKEN)?;
            if shift == 7 * MOST_NUMBER_BYTES {
                return Err(BROKEN);
            }
            rest = after;
            value += usize::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
        }
    }
    *block = rest;
    Ok(value)
}

/// Appends a string, plain or in the Huffman code (RFC 7541, 5.2), to `out`.
fn string(block: &mut &[u8], out: &mut Vec<u8>) -> Result<(), Malformed> {
    let packed = block.first().is_some_and(|first| first & 0x80 != 0);
    let length = number(block, 7)?;
    let (bytes, rest) = block.split_at_checked(length).ok_or(BROKEN)?;
    *block = rest;
    if packed {
        return httlib_huffman::decode(bytes, out, DecoderSpeed::FiveBits).map_err(|_| BROKEN);
    }
    out.extend_from_slice(bytes);
    Ok(())
}

/// Our table, which grows until it is full and then stays as it is: the fields of the first heads are those that come again.
#[derive(Debug)]
pub struct Encoder {
    /// The oldest first.
    table: Vec<(Vec<u8>, Vec<u8>)>,
    size: usize,
    most: usize,
    /// The server allows a smaller table, so the next block must announce it.
    lowered: bool,
    version: u64,
}

impl Default for Encoder {
    fn default() -> Self {
        Self {
            table: Vec::new(),
            size: 0,
            most: TABLE_BYTES,
            lowered: false,
            version: 0,
        }
    }
}

impl Encoder {
    /// The server allows a table of so many bytes.
    pub fn allow(&mut self, most: u32) {
        if (most as usize) < self.most {
            self.most = most as usize;
            self.table.clear();
            self.size = 0;
            self.lowered = true;
            self.version += 1;
        }
    }

    /// The version of the table; it changes whenever a field may be written differently.
    #[inline]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Begins a block; true if it changes the table, so that the block must not be reused.
    #[inline]
    pub fn begin(&mut self, out: &mut Vec<u8>) -> bool {
        let lowered = std::mem::take(&mut self.lowered);
        if lowered {
            write_number(out, 0x20, 5, 0);
            write_number(out, 0x20, 5, self.most);
        }
        lowered
    }

    /// Appends a field that will come again.
    pub fn keep(&mut self, name: &[u8], value: &[u8], out: &mut Vec<u8>) {
        let whole = |entry: &(&[u8], &[u8])| *entry == (name, value);
        if let Some(place) = STATIC.iter().position(whole) {
            return write_number(out, 0x80, 7, place + 1);
        }
        let known = self.table.iter().position(|(own, text)| own == name && text == value);
        if let Some(place) = known {
            return write_number(out, 0x80, 7, STATIC.len() + self.table.len() - place);
        }
        let size = self.size + name.len() + value.len() + ENTRY_BYTES;
        if size > self.most {
            return write_literal(out, 0, 4, name, value);
        }
        write_literal(out, 0x40, 6, name, value);
        self.table.push((name.to_vec(), value.to_vec()));
        self.size = size;
        self.version += 1;
    }

    /// Appends a field that differs in each request.
    #[inline]
    pub fn pass(&self, name: &[u8], value: &[u8], out: &mut Vec<u8>) {
        write_literal(out, 0, 4, name, value);
    }
}

#[inline]
fn write_literal(out: &mut Vec<u8>, pattern: u8, prefix: u32, name: &[u8], value: &[u8]) {
    let known = STATIC.iter().position(|(own, _)| *own == name);
    write_number(out, pattern, prefix, known.map_or(0, |place| place + 1));
    if known.is_none() {
        write_number(out, 0, 7, name.len());
        out.extend_from_slice(name);
    }
    write_number(out, 0, 7, value.len());
    out.extend_from_slice(value);
}

#[inline]
fn write_number(out: &mut Vec<u8>, pattern: u8, prefix: u32, value: usize) {
    let most = (1usize << prefix) - 1;
    if value < most {
        return out.push(pattern | value as u8);
    }
    out.push(pattern | most as u8);
    let mut left = value - most;
    while left >= 0x80 {
        out.push(left as u8 | 0x80);
        left >>= 7;
    }
    out.push(left as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(decoder: &mut Decoder, block: &[u8]) -> Result<Vec<(String, String)>, Malformed> {
        let mut fields = Fields::default();
        decoder.decode(block, &mut fields)?;
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        Ok(fields.iter().map(|(name, value)| (text(name), text(value))).collect())
    }

    fn bytes(hex: &str) -> Vec<u8> {
        let digits: String = hex.split_whitespace().collect();
        let pair = |place: usize| u8::from_str_radix(&digits[place..place + 2], 16).unwrap();
        (0..digits.len()).step_by(2).map(pair).collect()
    }

    /// The answers of RFC 7541, C.6, in the Huffman code; their table there is 256 bytes, which a size update says here.
    #[test]
    fn the_answers_of_the_standard_are_read_with_evictions_from_the_table() {
        let mut decoder = Decoder::default();
        let first = bytes(
            "3fe101 4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d \
             29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3",
        );
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let location = pair("location", "https://www.example.com");
        let private = pair("cache-control", "private");
        let date = pair("date", "Mon, 21 Oct 2013 20:13:21 GMT");
        assert_eq!(
            read(&mut decoder, &first).unwrap(),
            [pair(":status", "302"), private.clone(), date.clone(), location.clone()]
        );
        let second = bytes("4883 640e ffc1 c0bf");
        assert_eq!(
            read(&mut decoder, &second).unwrap(),
            [pair(":status", "307"), private.clone(), date, location.clone()]
        );
        let third = bytes(
            "88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 \
             e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07",
        );
        let read = read(&mut decoder, &third).unwrap();
        assert_eq!(read[..2], [pair(":status", "200"), private]);
        assert_eq!(read[3..5], [location, pair("content-encoding", "gzip")]);
        assert!(decoder.size <= 256 && decoder.table.len() == 3);
    }

    #[test]
    fn what_is_written_is_read_again_and_comes_to_a_byte_a_field() {
        let (mut encoder, mut decoder) = (Encoder::default(), Decoder::default());
        let fields = [
            (":method", "POST"),
            (":path", "/service"),
            ("soapaction", "\"\""),
            ("x-long", &"v".repeat(300)),
        ];
        let mut lengths = Vec::new();
        for _ in 0..2 {
            let mut block = Vec::new();
            assert!(!encoder.begin(&mut block));
            for (name, value) in fields {
                encoder.keep(name.as_bytes(), value.as_bytes(), &mut block);
            }
            encoder.pass(b"content-length", b"258", &mut block);
            lengths.push(block.len());
            let read = read(&mut decoder, &block).unwrap();
            for (own, other) in fields.iter().chain(&[("content-length", "258")]).zip(read) {
                assert_eq!(*own, (&*other.0, &*other.1));
            }
        }
        assert_eq!(lengths[1], 4 + 6);
        assert!(lengths[0] > 300);
    }

    #[test]
    fn a_full_table_stays_as_it_is_and_one_that_the_server_makes_smaller_is_begun_anew() {
        let (mut encoder, mut decoder) = (Encoder::default(), Decoder::default());
        let value = "v".repeat(1000);
        let mut block = |encoder: &mut Encoder| {
            let mut block = Vec::new();
            encoder.begin(&mut block);
            for number in 0..6 {
                encoder.keep(format!("x-{number}").as_bytes(), value.as_bytes(), &mut block);
            }
            assert_eq!(read(&mut decoder, &block).unwrap().len(), 6);
            assert_eq!(decoder.size, encoder.size);
            block.len()
        };
        block(&mut encoder);
        assert_eq!(encoder.table.len(), 3);
        let before = encoder.version();
        let full = block(&mut encoder);
        assert_eq!(encoder.version(), before);
        encoder.allow(1100);
        assert!(block(&mut encoder) > full && encoder.table.len() == 1);
        encoder.allow(0);
        block(&mut encoder);
        assert!(encoder.table.is_empty());
    }

    #[test]
    fn broken_blocks_are_told_and_none_is_read_beyond_its_end() {
        for broken in [
            &[0x80][..],
            &[0xff],
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
            &[0xc0],
            &[0x40],
            &[0x40, 0x05, b'a'],
            &[0x40, 0x81],
            &[0x00, 0x01, b'a'],
            &[0x00, 0x01, b'a', 0x84, 0xff, 0xff, 0xff, 0xff],
            &[0x3f, 0xff, 0x7f],
            &[0x88, 0x20],
        ] {
            assert!(read(&mut Decoder::default(), broken).is_err(), "{broken:02x?}");
        }
        let many = [0x88; 129];
        assert!(read(&mut Decoder::default(), &many).is_err());
    }
}
