//! Reads an answer from the bytes of a connection in any pieces; copies only a head that comes in pieces.

mod fields;

use std::mem::MaybeUninit;

use super::chunked::{Chunk, ChunkReader};
use super::malformed::Malformed;
use super::redirect::is_redirect;

/// A piece of an answer.
#[derive(Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// The final answer's head is read; `status()` and the rest are known.
    Head,
    /// A piece of the body; `whole` if it is the whole body.
    Body {
        bytes: &'a [u8],
        whole: bool,
    },
    /// The answer is complete; the rest of the input does not belong to it.
    Done,
    NeedMore,
}

#[derive(Debug, Clone)]
enum State {
    Head,
    Length { left: u64, begun: bool },
    Chunked(ChunkReader),
    UntilClose,
    Done,
}

/// The largest head, in bytes and fields.
const MOST_HEAD_BYTES: usize = 64 * 1024;
const MOST_FIELDS: usize = 128;
/// The most interim (1xx) answers before the final one.
const MOST_INTERIM: u32 = 32;

/// Which fields of an answer's head are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WantedFields {
    None,
    Cookies,
    All,
}

/// The content coding of an answer's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Coding {
    #[default]
    Plain,
    Gzip,
    /// `deflate`, which is zlib's format (RFC 9110, 8.4.1.2).
    Deflate,
}

/// The state of reading one answer; `reset` prepares it for the next.
#[derive(Debug)]
pub struct ResponseReader {
    state: State,
    /// The begin of a head that is not complete yet.
    partial: Vec<u8>,
    interim: u32,
    status: u16,
    keep_alive: bool,
    coding: Coding,
    /// The wanted lines of the head.
    fields: Vec<u8>,
    wanted: WantedFields,
    answers_head: bool,
    /// The head as received, if it is kept.
    head: Vec<u8>,
    keeps_head: bool,
    /// The Location of a redirect, if it is kept.
    location: Vec<u8>,
    keeps_location: bool,
}

impl Default for ResponseReader {
    fn default() -> Self {
        Self::new()
    }
}

impl ResponseReader {
    /// A reader for answers to any request except HEAD; it keeps no field of the head.
    pub fn new() -> Self {
        Self {
            state: State::Head,
            partial: Vec::new(),
            interim: 0,
            status: 0,
            keep_alive: true,
            coding: Coding::Plain,
            fields: Vec::new(),
            wanted: WantedFields::None,
            answers_head: false,
            head: Vec::new(),
            keeps_head: false,
            location: Vec::new(),
            keeps_location: false,
        }
    }

    /// Sets whether the Location of redirects is kept.
    pub fn keep_locations(&mut self, kept: bool) {
        self.keeps_location = kept;
    }

    /// The Location of the last answer; empty if none is kept, or the answer is no redirect.
    pub fn location(&self) -> &[u8] {
        &self.location
    }

    /// Sets whether the head of each answer is kept.
    pub fn keep_heads(&mut self, kept: bool) {
        self.keeps_head = kept;
        self.head.clear();
    }

    /// The lines of the last answer's head, the status line first; empty if none is kept.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// Prepares for the next answer. `answers_head`: the request is a HEAD request, whose answer has no body.
    #[inline]
    pub fn reset(&mut self, wanted: WantedFields, answers_head: bool) {
        self.state = State::Head;
        self.partial.clear();
        self.interim = 0;
        self.status = 0;
        self.fields.clear();
        self.head.clear();
        self.location.clear();
        self.wanted = wanted;
        self.answers_head = answers_head;
    }

    pub fn status(&self) -> u16 {
        self.status
    }

    /// Whether the server keeps the connection open after this answer.
    pub fn keep_alive(&self) -> bool {
        self.keep_alive
    }

    /// The body's content coding.
    #[inline]
    pub fn coding(&self) -> Coding {
        self.coding
    }

    /// The wanted lines of the head, `Name:value`, each with its line end.
    pub fn fields(&self) -> &[u8] {
        &self.fields
    }

    /// Reads the next piece of `input` and advances it.
    #[inline]
    pub fn next<'a>(&mut self, input: &mut &'a [u8]) -> Result<Event<'a>, Malformed> {
        match &mut self.state {
            State::Done => Ok(Event::Done),
            State::Head => self.read_head(input),
            _ if input.is_empty() => Ok(Event::NeedMore),
            State::Length { left, begun } => {
                let length = input.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
                let (bytes, rest) = input.split_at(length);
                *input = rest;
                *left -= length as u64;
                let over = *left == 0;
                let whole = over && !*begun;
                *begun = true;
                if over {
                    self.state = State::Done;
                }
                Ok(Event::Body { bytes, whole })
            }
            State::Chunked(reader) => match reader.next(input)? {
                Chunk::Data(bytes) => Ok(Event::Body { bytes, whole: false }),
                Chunk::NeedMore => Ok(Event::NeedMore),
                Chunk::Over => {
                    self.state = State::Done;
                    Ok(Event::Done)
                }
            },
            State::UntilClose => Ok(Event::Body {
                bytes: std::mem::take(input),
                whole: false,
            }),
        }
    }

    /// Whether the end of the connection completes the answer.
    pub fn end_of_stream(&mut self) -> bool {
        if matches!(self.state, State::UntilClose) {
            self.state = State::Done;
        }
        matches!(self.state, State::Done)
    }

    fn read_head<'a>(&mut self, input: &mut &'a [u8]) -> Result<Event<'a>, Malformed> {
        loop {
            let taken = if self.partial.is_empty() {
                self.parse_head(input)?
            } else {
                let before = self.partial.len();
                let room = MOST_HEAD_BYTES.saturating_sub(before).min(input.len());
                let mut whole = std::mem::take(&mut self.partial);
                whole.extend_from_slice(&input[..room]);
                let parsed = self.parse_head(&whole)?;
                self.partial = whole;
                if parsed.is_none() && room < input.len() {
                    return Err(Malformed("the head has no end"));
                }
                parsed.map(|length| length - before)
            };
            match taken {
                Some(length) => {
                    *input = &input[length..];
                    self.partial.clear();
                    if !matches!(self.state, State::Head) {
                        return Ok(Event::Head);
                    }
                }
                None => {
                    if self.partial.is_empty() {
                        if input.len() > MOST_HEAD_BYTES {
                            return Err(Malformed("the head has no end"));
                        }
                        self.partial.extend_from_slice(input);
                    }
                    *input = &[];
                    return Ok(Event::NeedMore);
                }
            }
        }
    }

    /// Parses a head at the start of `bytes`; returns its length if it is whole. The state becomes that of its body, or stays the same
    /// after the head of an interim answer.
    fn parse_head(&mut self, bytes: &[u8]) -> Result<Option<usize>, Malformed> {
        if bytes.is_empty() {
            return Ok(None);
        }
        let mut fields = [const { MaybeUninit::uninit() }; MOST_FIELDS];
        let mut head = httparse::Response::new(&mut []);
        let mut config = httparse::ParserConfig::default();
        // Folded lines are obsolete, but a client must read them (RFC 9112, 5.2).
        config.allow_obsolete_multiline_headers_in_responses(true);
        let parsed = config.parse_response_with_uninit_headers(&mut head, bytes, &mut fields);
        let length = match parsed {
            Ok(httparse::Status::Complete(length)) => length,
            Ok(httparse::Status::Partial) => return Ok(None),
            Err(httparse::Error::TooManyHeaders) => return Err(Malformed("the head has more than 128 fields")),
            Err(_) => return Err(Malformed("the head is not HTTP/1.1")),
        };
        if length > MOST_HEAD_BYTES {
            return Err(Malformed("the head has no end"));
        }
        let status = head.code.unwrap_or_default();
        if status < 200 {
            self.interim += 1;
            if !(100..200).contains(&status) || status == 101 || self.interim > MOST_INTERIM {
                return Err(Malformed("an interim answer that was not asked for"));
            }
            return Ok(Some(length));
        }
        if status > 599 {
            return Err(Malformed("the status is not one of HTTP"));
        }
        self.status = status;
        if self.keeps_head {
            self.head.extend_from_slice(&bytes[..length]);
        }
        let framing = Framing::read(head.headers, head.version == Some(1))?;
        self.keep_alive = framing.keep_alive;
        self.coding = framing.coding;
        if self.keeps_location && is_redirect(status) {
            let mut fields = head.headers.iter();
            if let Some(field) = fields.find(|field| field.name.eq_ignore_ascii_case("location")) {
                self.location.extend_from_slice(field.value.trim_ascii());
            }
        }
        if self.wanted == WantedFields::All || self.wanted == WantedFields::Cookies && framing.sets_cookies {
            for field in head.headers.iter() {
                self.keep_field(field.name.as_bytes(), field.value);
            }
        }
        self.state = if self.answers_head || status == 204 || status == 304 {
            State::Done
        } else if framing.chunked {
            State::Chunked(ChunkReader::new())
        } else {
            match framing.length {
                Some(0) => State::Done,
                Some(length) => State::Length {
                    left: length,
                    begun: false,
                },
                None => {
                    self.keep_alive = false;
                    State::UntilClose
                }
            }
        };
        Ok(Some(length))
    }
}

impl ResponseReader {
    /// Keeps a field of the head, if it is wanted.
    #[inline]
    fn keep_field(&mut self, name: &[u8], value: &[u8]) {
        if self.wanted == WantedFields::All || name.eq_ignore_ascii_case(b"set-cookie") {
            self.fields.extend_from_slice(name);
            self.fields.push(b':');
            let begin = self.fields.len();
            self.fields.extend_from_slice(value);
            // Line breaks of a folded value mean spaces.
            for byte in &mut self.fields[begin..] {
                if matches!(byte, b'\r' | b'\n') {
                    *byte = b' ';
                }
            }
            self.fields.push(b'\n');
        }
    }
}

/// The framing of the body and the fate of the connection, from a head (RFC 9112, 6.3 and 9.3).
#[derive(Default)]
struct Framing {
    length: Option<u64>,
    chunked: bool,
    keep_alive: bool,
    coding: Coding,
    sets_cookies: bool,
}

impl Framing {
    fn read(fields: &[httparse::Header], http_1_1: bool) -> Result<Self, Malformed> {
        let mut framing = Self {
            length: None,
            chunked: false,
            keep_alive: http_1_1,
            coding: Coding::Plain,
            sets_cookies: false,
        };
        for field in fields {
            // The length of the name rules out most fields cheaply.
            match field.name.len() {
                14 if field.name.eq_ignore_ascii_case("content-length") => framing.take_length(field.value)?,
                17 if field.name.eq_ignore_ascii_case("transfer-encoding") => {
                    if framing.chunked || !field.value.trim_ascii().eq_ignore_ascii_case(b"chunked") {
                        return Err(Malformed("a transfer coding other than chunked"));
                    }
                    framing.chunked = true;
                }
                16 if field.name.eq_ignore_ascii_case("content-encoding") => framing.take_coding(field.value),
                10 if field.name.eq_ignore_ascii_case("set-cookie") => framing.sets_cookies = true,
                10 if field.name.eq_ignore_ascii_case("connection") => {
                    for token in field.value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
                        if token.eq_ignore_ascii_case(b"close") {
                            framing.keep_alive = false;
                        } else if token.eq_ignore_ascii_case(b"keep-alive") && !http_1_1 {
                            framing.keep_alive = true;
                        }
                    }
                }
                _ => {}
            }
        }
        if framing.chunked && framing.length.is_some() {
            return Err(Malformed("both Content-Length and Transfer-Encoding"));
        }
        Ok(framing)
    }

    /// Other codings are left as they are: the request did not ask for them, and the rules judge the body.
    fn take_coding(&mut self, value: &[u8]) {
        let name = value.trim_ascii();
        let named = |known: &[u8]| name.eq_ignore_ascii_case(known);
        self.coding = match self.coding {
            Coding::Plain if named(b"gzip") || named(b"x-gzip") => Coding::Gzip,
            Coding::Plain if named(b"deflate") => Coding::Deflate,
            coding => coding,
        };
    }

    fn take_length(&mut self, value: &[u8]) -> Result<(), Malformed> {
        let digits = value.trim_ascii();
        let add = |sum: u64, digit: &u8| match digit {
            b'0'..=b'9' => sum.checked_mul(10)?.checked_add(u64::from(digit - b'0')),
            _ => None,
        };
        let length = if digits.is_empty() {
            None
        } else {
            digits.iter().try_fold(0, add)
        };
        let length = length.ok_or(Malformed("Content-Length is not a length"))?;
        if self.length.is_some_and(|earlier| earlier != length) {
            return Err(Malformed("two lengths that differ"));
        }
        self.length = Some(length);
        Ok(())
    }
}
