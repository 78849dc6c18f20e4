//! One connection: reads the server's frames in any pieces, writes ours, and enforces flow control in both directions.

use std::collections::HashMap;

use super::fields::{Fields, MOST_BYTES};
use super::frame::{self, FrameHead, MOST_PAYLOAD, PREFACE, code, flag, kind, setting};
use super::hpack::{Decoder, Encoder};
use super::output::Output;
use super::request::{Blocks, RequestFields, Variable};
use super::window::{FIRST, ReceiveWindow, SendWindow};
use crate::http::Malformed;
use crate::session::Filled;

/// Our receive windows. Answers are processed at once, so windows need not bound memory.
const STREAM_WINDOW: u32 = 4 * 1024 * 1024;
const CONNECTION_WINDOW: u32 = 64 * 1024 * 1024;
/// The most bytes of bodies that wait for the socket, and of all output. The latter bounds replies to a server that does not read them.
const MOST_BODY_PENDING: usize = 256 * 1024;
const MOST_PENDING: usize = 1024 * 1024;
/// The most frames in a row that advance no request; more are a flood.
const MOST_IDLE_FRAMES: u32 = 10_000;
/// The highest stream number.
const LAST_STREAM: u32 = 0x7fff_ffff;

/// An event of the connection.
#[derive(Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// The server's settings have come: requests may be sent.
    Ready,
    /// An answer's head, an interim one too, is in `fields()`; `end` where nothing follows. It took `size` bytes.
    Head {
        lane: u32,
        end: bool,
        size: usize,
    },
    /// A piece of an answer's body; `end` where it is the last. Its frame took so many bytes `beside` it.
    Body {
        lane: u32,
        bytes: &'a [u8],
        end: bool,
        beside: usize,
    },
    /// The fields behind an answer's body are in `fields()`, and end it. They took `size` bytes.
    Trailers {
        lane: u32,
        size: usize,
    },
    /// The server ended a stream without an answer; `refused` if it says that it did not process the request.
    Reset {
        lane: u32,
        refused: bool,
    },
    /// The server takes no more requests; it did not process those of `take_unprocessed()`.
    Leaving,
    /// Bodies that waited for the server's window may be sent.
    Room,
    NeedMore,
}

#[derive(Debug)]
struct Stream {
    lane: u32,
    send: SendWindow,
    receive: ReceiveWindow,
    /// The final head of the answer has come.
    answered: bool,
    /// All of the request is sent, or ready to be.
    request_sent: bool,
}

#[derive(Debug, Clone, Copy)]
enum Place {
    Head,
    Payload(FrameHead),
    /// Of a DATA frame with padding: its length is the next byte.
    PadLength(FrameHead),
    Data {
        stream: u32,
        left: usize,
        padding: usize,
        end: bool,
        beside: usize,
    },
    Skip(usize),
}

/// The client's side of a connection. A lane is the caller's number of the user that waits for an answer.
#[derive(Debug)]
pub struct Connection {
    place: Place,
    /// The beginning of a frame that has not come whole.
    partial: Vec<u8>,
    /// The header block that is coming, its stream, whether that ends with it, and the bytes of its frames.
    block: Vec<u8>,
    block_of: Option<(u32, bool, usize)>,
    decoder: Decoder,
    fields: Fields,
    streams: HashMap<u32, Stream>,
    next_stream: u32,
    most_streams: u32,
    ready: bool,
    /// The server's code for taking no more requests.
    left: Option<u32>,
    /// An answer came whole.
    served: bool,
    unprocessed: Vec<u32>,
    send: SendWindow,
    stream_send: i64,
    receive: ReceiveWindow,
    idle_frames: u32,
    encoder: Encoder,
    blocks: Blocks,
    scratch: Vec<u8>,
    output: Output,
}

impl Default for Connection {
    fn default() -> Self {
        Self::new()
    }
}

impl Connection {
    /// A new connection, with our preface ready to be sent.
    pub fn new() -> Self {
        let mut connection = Self {
            place: Place::Head,
            partial: Vec::new(),
            block: Vec::new(),
            block_of: None,
            decoder: Decoder::default(),
            fields: Fields::default(),
            streams: HashMap::new(),
            next_stream: 1,
            most_streams: u32::MAX,
            ready: false,
            left: None,
            served: false,
            unprocessed: Vec::new(),
            send: SendWindow::new(FIRST),
            stream_send: FIRST,
            receive: ReceiveWindow::new(CONNECTION_WINDOW),
            idle_frames: 0,
            encoder: Encoder::default(),
            blocks: Blocks::default(),
            scratch: Vec::new(),
            output: Output::default(),
        };
        connection.output.add(|out| {
            out.extend_from_slice(PREFACE);
            let settings = [
                (setting::ENABLE_PUSH, 0),
                (setting::INITIAL_WINDOW_SIZE, STREAM_WINDOW),
                (setting::MAX_HEADER_LIST_SIZE, MOST_BYTES as u32),
            ];
            let mut payload = Vec::new();
            for (name, value) in settings {
                payload.extend_from_slice(&name.to_be_bytes());
                payload.extend_from_slice(&value.to_be_bytes());
            }
            frame::write(out, kind::SETTINGS, 0, 0, &payload);
            let more = CONNECTION_WINDOW - FIRST as u32;
            frame::write(out, kind::WINDOW_UPDATE, 0, 0, &more.to_be_bytes());
        });
        connection
    }

    /// The fields of the head, or behind the body, that came last.
    pub fn fields(&self) -> &Fields {
        &self.fields
    }

    /// Requests under way.
    pub fn in_flight(&self) -> usize {
        self.streams.len()
    }

    /// Whether the server's settings have come.
    #[inline]
    pub fn is_ready(&self) -> bool {
        self.ready
    }

    /// Whether the server takes no more requests, or there are no more numbers for them.
    pub fn is_leaving(&self) -> bool {
        self.is_left() || self.next_stream > LAST_STREAM - 2
    }

    /// Whether the server takes no more requests.
    pub fn is_left(&self) -> bool {
        self.left.is_some()
    }

    /// Whether the server takes no more requests and finds nothing wrong.
    pub fn leaves_in_order(&self) -> bool {
        self.left == Some(code::NO_ERROR)
    }

    /// The server's reason for leaving, in words.
    pub fn why_left(&self) -> &'static str {
        self.left.map_or("", code::goaway)
    }

    /// Whether an answer came whole.
    pub fn has_served(&self) -> bool {
        self.served
    }

    /// Whether another request may be sent, of `most` that we want under way at once.
    #[inline]
    pub fn can_ask(&self, most: u32) -> bool {
        let most = most.min(self.most_streams) as usize;
        self.ready && !self.is_leaving() && self.streams.len() < most
    }

    /// Returns and forgets the lanes whose requests the server did not process.
    pub fn take_unprocessed(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.unprocessed)
    }

    /// Returns and forgets all lanes that wait for an answer.
    pub fn abandon(&mut self) -> Vec<u32> {
        let mut streams: Vec<_> = self.streams.drain().map(|(id, stream)| (id, stream.lane)).collect();
        streams.sort_unstable();
        streams.into_iter().map(|(_, lane)| lane).collect()
    }

    /// The pending output.
    #[inline]
    pub fn output(&self) -> &[u8] {
        self.output.pending()
    }

    /// Removes `count` sent bytes from the output.
    #[inline]
    pub fn advance_output(&mut self, count: usize) {
        self.output.advance(count);
    }

    /// The total length of all output so far.
    #[inline]
    pub fn output_total(&self) -> u64 {
        self.output.total()
    }

    /// Writes a request's head to the output; returns its stream, and whether all marked places had a value.
    #[inline]
    pub fn start_request(&mut self, lane: u32, fields: &RequestFields, variable: &Variable) -> (u32, Filled) {
        self.start(lane, variable.body.is_empty(), |encoder, blocks, block| {
            fields.write(encoder, blocks, variable, block)
        })
    }

    /// Starts a request to which a redirect of one with these `fields` led; `head` is its head in HTTP/1.1.
    pub fn start_redirected(&mut self, lane: u32, fields: &RequestFields, head: &[u8], has_body: bool) -> u32 {
        let (id, _) = self.start(lane, !has_body, |encoder, _, block| {
            fields.write_head(head, encoder, block);
            Filled::Whole
        });
        id
    }

    #[inline]
    fn start(
        &mut self,
        lane: u32,
        request_sent: bool,
        write: impl FnOnce(&mut Encoder, &mut Blocks, &mut Vec<u8>) -> Filled,
    ) -> (u32, Filled) {
        let id = self.next_stream;
        self.next_stream += 2;
        let mut block = std::mem::take(&mut self.scratch);
        block.clear();
        let filled = write(&mut self.encoder, &mut self.blocks, &mut block);
        self.output.add(|out| frame::write_block(out, id, &block, request_sent));
        self.scratch = block;
        let stream = Stream {
            lane,
            send: SendWindow::new(self.stream_send),
            receive: ReceiveWindow::new(STREAM_WINDOW),
            answered: false,
            request_sent,
        };
        self.streams.insert(id, stream);
        (id, filled)
    }

    /// Writes as much of the rest of a request's body as windows and output allow; returns the number of bytes.
    #[inline]
    pub fn send_body(&mut self, id: u32, rest: &[u8]) -> usize {
        let Some(stream) = self.streams.get_mut(&id) else {
            return 0;
        };
        let mut taken = 0;
        while !stream.request_sent {
            let free = MOST_BODY_PENDING.saturating_sub(self.output.pending().len());
            let room = self.send.room().min(stream.send.room()).min(free).min(MOST_PAYLOAD);
            let piece = &rest[taken..][..room.min(rest.len() - taken)];
            if piece.is_empty() {
                break;
            }
            taken += piece.len();
            stream.request_sent = taken == rest.len();
            let flags = if stream.request_sent { flag::END_STREAM } else { 0 };
            self.output.add(|out| frame::write(out, kind::DATA, flags, id, piece));
            stream.send.take(piece.len());
            self.send.take(piece.len());
            self.idle_frames = 0;
        }
        taken
    }

    /// Forgets a stream whose answer is complete or no longer wanted, and resets it if the server may continue it.
    #[inline]
    pub fn close(&mut self, id: u32, answered: bool) {
        self.served |= answered;
        if let Some(stream) = self.streams.remove(&id)
            && !(answered && stream.request_sent)
        {
            self.reset(id, code::CANCEL);
        }
    }

    fn reset(&mut self, id: u32, why: u32) {
        self.output
            .add(|out| frame::write(out, kind::RST_STREAM, 0, id, &why.to_be_bytes()));
    }

    /// Reads the next piece of `input` and advances it. An error ends the connection.
    #[inline]
    pub fn next<'a>(&mut self, input: &mut &'a [u8]) -> Result<Event<'a>, Malformed> {
        loop {
            match self.place {
                Place::Head => {
                    let Some(bytes) = self.gather(input, FrameHead::SIZE) else {
                        return Ok(Event::NeedMore);
                    };
                    let head = match bytes {
                        Whole::Here(bytes) => read_head(bytes),
                        Whole::Gathered => read_head(&self.partial),
                    };
                    self.partial.clear();
                    if let Some(event) = self.begin_frame(head)? {
                        return Ok(event);
                    }
                }
                Place::Payload(head) => {
                    let Some(bytes) = self.gather(input, head.length) else {
                        return Ok(Event::NeedMore);
                    };
                    self.place = Place::Head;
                    let event = match bytes {
                        Whole::Here(bytes) => self.frame(head, bytes)?,
                        Whole::Gathered => {
                            let partial = std::mem::take(&mut self.partial);
                            let event = self.frame(head, &partial)?;
                            self.partial = partial;
                            event
                        }
                    };
                    self.partial.clear();
                    if let Some(event) = event {
                        return Ok(event);
                    }
                }
                Place::PadLength(head) => {
                    let Some((padding, rest)) = input.split_first() else {
                        return Ok(Event::NeedMore);
                    };
                    *input = rest;
                    if let Some(event) = self.begin_data(head, usize::from(*padding))? {
                        return Ok(event);
                    }
                }
                Place::Data { .. } => {
                    if let Some(event) = self.data(input) {
                        return Ok(event);
                    }
                }
                Place::Skip(left) => {
                    let skipped = left.min(input.len());
                    *input = &input[skipped..];
                    self.place = match left - skipped {
                        0 => Place::Head,
                        left => Place::Skip(left),
                    };
                    if left > skipped {
                        return Ok(Event::NeedMore);
                    }
                }
            }
        }
    }

    /// The next `length` bytes, once all have come: in the input, or gathered in `partial`.
    #[inline]
    fn gather<'a>(&mut self, input: &mut &'a [u8], length: usize) -> Option<Whole<'a>> {
        if self.partial.is_empty()
            && let Some((bytes, rest)) = input.split_at_checked(length)
        {
            *input = rest;
            return Some(Whole::Here(bytes));
        }
        let (bytes, rest) = input.split_at((length - self.partial.len()).min(input.len()));
        self.partial.extend_from_slice(bytes);
        *input = rest;
        (self.partial.len() == length).then_some(Whole::Gathered)
    }

    /// Checks that need only a frame's head.
    #[inline]
    fn begin_frame<'a>(&mut self, head: FrameHead) -> Result<Option<Event<'a>>, Malformed> {
        if head.length > MOST_PAYLOAD {
            return Err(Malformed("a frame of more than 16 KiB, or no HTTP/2"));
        }
        if !self.ready && (head.kind != kind::SETTINGS || head.has(flag::ACK)) {
            return Err(Malformed("the server does not begin with its settings"));
        }
        if let Some((stream, _, _)) = self.block_of
            && (head.kind != kind::CONTINUATION || head.stream != stream)
        {
            return Err(Malformed("a header block is broken off by another frame"));
        }
        self.idle_frames += 1;
        if self.idle_frames > MOST_IDLE_FRAMES {
            return Err(Malformed("endless frames without an answer"));
        }
        match head.kind {
            kind::DATA if head.has(flag::PADDED) && head.length == 0 => Err(Malformed("padding without its length")),
            kind::DATA if head.has(flag::PADDED) => {
                self.place = Place::PadLength(head);
                Ok(None)
            }
            kind::DATA => self.begin_data(head, 0),
            _ => {
                self.place = Place::Payload(head);
                Ok(None)
            }
        }
    }

    /// The whole frame, padding and all, counts in the windows (RFC 9113, 6.1).
    #[inline]
    fn begin_data<'a>(&mut self, head: FrameHead, padding: usize) -> Result<Option<Event<'a>>, Malformed> {
        let pad_length = usize::from(head.has(flag::PADDED));
        let left = (head.length - pad_length)
            .checked_sub(padding)
            .ok_or(Malformed("more padding than the frame holds"))?;
        self.check_stream(head.stream)?;
        if let Some(more) = self.receive.take(head.length)? {
            self.allow(0, more);
        }
        let end = head.has(flag::END_STREAM);
        if let Some(stream) = self.streams.get_mut(&head.stream) {
            if !stream.answered {
                return Err(Malformed("a body before its head"));
            }
            if let Some(more) = stream.receive.take(head.length)?
                && !end
            {
                self.allow(head.stream, more);
            }
        }
        let beside = FrameHead::SIZE + pad_length + padding;
        self.place = Place::Data {
            stream: head.stream,
            left,
            padding,
            end,
            beside,
        };
        Ok(None)
    }

    /// The next piece of a DATA frame, if its stream is open.
    #[inline]
    fn data<'a>(&mut self, input: &mut &'a [u8]) -> Option<Event<'a>> {
        let Place::Data {
            stream,
            left,
            padding,
            end,
            beside,
        } = self.place
        else {
            return None;
        };
        let (bytes, rest) = input.split_at(left.min(input.len()));
        if bytes.is_empty() && left > 0 {
            return Some(Event::NeedMore);
        }
        *input = rest;
        let left = left - bytes.len();
        self.place = match (left, padding) {
            (0, 0) => Place::Head,
            (0, _) => Place::Skip(padding),
            _ => Place::Data {
                stream,
                left,
                padding,
                end,
                beside: 0,
            },
        };
        let end = end && left == 0;
        match self.streams.get(&stream) {
            Some(known) if !bytes.is_empty() || end => {
                self.idle_frames = 0;
                let lane = known.lane;
                Some(Event::Body {
                    lane,
                    bytes,
                    end,
                    beside,
                })
            }
            // The stream is closed, or the piece is empty.
            _ => None,
        }
    }

    /// A stream's number must be one of ours.
    fn check_stream(&self, id: u32) -> Result<(), Malformed> {
        match id % 2 == 1 && id < self.next_stream {
            true => Ok(()),
            false => Err(Malformed("a frame on a stream that was never opened")),
        }
    }

    /// Enlarges the server's window.
    fn allow(&mut self, stream: u32, more: u32) {
        self.output
            .add(|out| frame::write(out, kind::WINDOW_UPDATE, 0, stream, &more.to_be_bytes()));
    }

    /// A whole frame, of any type but DATA.
    fn frame<'a>(&mut self, head: FrameHead, payload: &[u8]) -> Result<Option<Event<'a>>, Malformed> {
        let event = match head.kind {
            kind::HEADERS => self.headers(head, payload),
            kind::CONTINUATION => self.go_on_with_block(head, payload),
            kind::SETTINGS => self.settings(head, payload),
            kind::RST_STREAM => self.on_reset(head, payload),
            kind::GOAWAY => self.on_leave(head, payload),
            kind::WINDOW_UPDATE => self.on_window(head, payload),
            kind::PING => match payload.len() == 8 && head.stream == 0 {
                true => {
                    if !head.has(flag::ACK) {
                        self.output
                            .add(|out| frame::write(out, kind::PING, flag::ACK, 0, payload));
                    }
                    Ok(None)
                }
                false => Err(Malformed("an invalid PING")),
            },
            kind::PUSH_PROMISE => Err(Malformed("a push, which the client disabled")),
            // Priorities are for servers; frames of unknown types are ignored (RFC 9113, 4.1).
            _ => Ok(None),
        }?;
        if self.output.pending().len() > MOST_PENDING {
            return Err(Malformed("the server asks for replies and does not read them"));
        }
        Ok(event)
    }

    fn headers<'a>(&mut self, head: FrameHead, payload: &[u8]) -> Result<Option<Event<'a>>, Malformed> {
        self.check_stream(head.stream)?;
        const SHORT: Malformed = Malformed("a HEADERS frame that is too short");
        let (mut rest, mut padding) = (payload, 0);
        if head.has(flag::PADDED) {
            let (length, after) = rest.split_first().ok_or(SHORT)?;
            (padding, rest) = (usize::from(*length), after);
        }
        if head.has(flag::PRIORITY) {
            rest = rest.get(5..).ok_or(SHORT)?;
        }
        let fragment = rest.len().checked_sub(padding).ok_or(SHORT)?;
        self.block.clear();
        self.block_of = Some((head.stream, head.has(flag::END_STREAM), 0));
        self.take_fragment(head, &rest[..fragment])
    }

    fn go_on_with_block<'a>(&mut self, head: FrameHead, payload: &[u8]) -> Result<Option<Event<'a>>, Malformed> {
        match self.block_of {
            Some(_) => self.take_fragment(head, payload),
            None => Err(Malformed("a header block without beginning")),
        }
    }

    fn take_fragment<'a>(&mut self, head: FrameHead, fragment: &[u8]) -> Result<Option<Event<'a>>, Malformed> {
        if self.block.len() + fragment.len() > MOST_BYTES {
            return Err(Malformed("a header block without end"));
        }
        let Some((id, end, size)) = &mut self.block_of else {
            return Ok(None);
        };
        *size += FrameHead::SIZE + head.length;
        if !head.has(flag::END_HEADERS) {
            self.block.extend_from_slice(fragment);
            return Ok(None);
        }
        let (id, end, size) = (*id, *end, *size);
        self.block_of = None;
        // Every block is read, because it changes the connection's table.
        if self.block.is_empty() {
            self.decoder.decode(fragment, &mut self.fields)?;
        } else {
            self.block.extend_from_slice(fragment);
            self.decoder.decode(&self.block, &mut self.fields)?;
        }
        let Some(stream) = self.streams.get_mut(&id) else {
            return Ok(None);
        };
        self.idle_frames = 0;
        let lane = stream.lane;
        if !stream.answered {
            stream.answered = self.fields.status().is_none_or(|status| status >= 200);
            return Ok(Some(Event::Head { lane, end, size }));
        }
        match end {
            true => Ok(Some(Event::Trailers { lane, size })),
            false => Err(Malformed("trailers that do not end the stream")),
        }
    }

    fn settings<'a>(&mut self, head: FrameHead, payload: &[u8]) -> Result<Option<Event<'a>>, Malformed> {
        let whole = payload.len().is_multiple_of(6) && head.stream == 0;
        if !whole || head.has(flag::ACK) && !payload.is_empty() {
            return Err(Malformed("invalid settings"));
        }
        if head.has(flag::ACK) {
            return Ok(None);
        }
        for setting in payload.chunks_exact(6) {
            let value = u32::from_be_bytes([setting[2], setting[3], setting[4], setting[5]]);
            self.set(u16::from_be_bytes([setting[0], setting[1]]), value)?;
        }
        self.output
            .add(|out| frame::write(out, kind::SETTINGS, flag::ACK, 0, &[]));
        Ok(Some(match std::mem::replace(&mut self.ready, true) {
            false => Event::Ready,
            // Windows may be larger than before, and streams more.
            true => Event::Room,
        }))
    }

    fn set(&mut self, name: u16, value: u32) -> Result<(), Malformed> {
        match name {
            setting::HEADER_TABLE_SIZE => self.encoder.allow(value),
            setting::MAX_CONCURRENT_STREAMS => self.most_streams = value,
            setting::INITIAL_WINDOW_SIZE => {
                let more = i64::from(value) - self.stream_send;
                self.stream_send = i64::from(value);
                SendWindow::new(0).widen(self.stream_send)?;
                for stream in self.streams.values_mut() {
                    stream.send.widen(more)?;
                }
            }
            setting::ENABLE_PUSH if value > 0 => return Err(Malformed("a server that enables push")),
            setting::MAX_FRAME_SIZE if !(1 << 14..1 << 24).contains(&value) => {
                return Err(Malformed("an invalid largest frame size"));
            }
            _ => {}
        }
        Ok(())
    }

    fn on_reset<'a>(&mut self, head: FrameHead, payload: &[u8]) -> Result<Option<Event<'a>>, Malformed> {
        self.check_stream(head.stream)?;
        let why = payload.try_into().map_err(|_| Malformed("an invalid RST_STREAM"))?;
        let refused = u32::from_be_bytes(why) == code::REFUSED_STREAM;
        let stream = self.streams.remove(&head.stream);
        Ok(stream.map(|stream| {
            self.idle_frames = 0;
            Event::Reset {
                lane: stream.lane,
                refused,
            }
        }))
    }

    fn on_leave<'a>(&mut self, head: FrameHead, payload: &[u8]) -> Result<Option<Event<'a>>, Malformed> {
        if payload.len() < 8 || head.stream != 0 {
            return Err(Malformed("an invalid GOAWAY"));
        }
        let number = |at: usize| u32::from_be_bytes([payload[at], payload[at + 1], payload[at + 2], payload[at + 3]]);
        let (last, why) = (number(0) & LAST_STREAM, number(4));
        // A later GOAWAY without an error does not undo one with an error.
        self.left = Some(self.left.unwrap_or_default().max(why));
        let mut above: Vec<u32> = self.streams.keys().copied().filter(|id| *id > last).collect();
        above.sort_unstable();
        let gone = above.iter().filter_map(|id| self.streams.remove(id));
        self.unprocessed.extend(gone.map(|stream| stream.lane));
        Ok(Some(Event::Leaving))
    }

    fn on_window<'a>(&mut self, head: FrameHead, payload: &[u8]) -> Result<Option<Event<'a>>, Malformed> {
        let more = payload.try_into().map(u32::from_be_bytes).unwrap_or(0) & LAST_STREAM;
        if more == 0 {
            return Err(Malformed("a window update of 0"));
        }
        if head.stream == 0 {
            self.send.widen(i64::from(more))?;
            return Ok(Some(Event::Room));
        }
        self.check_stream(head.stream)?;
        match self.streams.get_mut(&head.stream) {
            Some(stream) => stream.send.widen(i64::from(more)).map(|()| Some(Event::Room)),
            None => Ok(None),
        }
    }
}

/// The location of the requested bytes.
enum Whole<'a> {
    Here(&'a [u8]),
    Gathered,
}

fn read_head(bytes: &[u8]) -> FrameHead {
    let mut own = [0; FrameHead::SIZE];
    own.copy_from_slice(bytes);
    FrameHead::read(own)
}
