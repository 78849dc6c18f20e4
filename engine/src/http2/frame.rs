//! The frames of HTTP/2 (RFC 9113, 4.1 and 6): heads and constants.

/// The client's connection preface (RFC 9113, 3.4).
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The largest payload of a frame: the default, which we do not raise.
pub const MOST_PAYLOAD: usize = 16 * 1024;

/// The types of frames.
pub mod kind {
    pub const DATA: u8 = 0;
    pub const HEADERS: u8 = 1;
    pub const PRIORITY: u8 = 2;
    pub const RST_STREAM: u8 = 3;
    pub const SETTINGS: u8 = 4;
    pub const PUSH_PROMISE: u8 = 5;
    pub const PING: u8 = 6;
    pub const GOAWAY: u8 = 7;
    pub const WINDOW_UPDATE: u8 = 8;
    pub const CONTINUATION: u8 = 9;
}

/// The flags of frames; the same bit means different things in different types.
pub mod flag {
    pub const ACK: u8 = 0x1;
    pub const END_STREAM: u8 = 0x1;
    pub const END_HEADERS: u8 = 0x4;
    pub const PADDED: u8 = 0x8;
    pub const PRIORITY: u8 = 0x20;
}

/// Settings of a connection (RFC 9113, 6.5.2).
pub mod setting {
    pub const HEADER_TABLE_SIZE: u16 = 1;
    pub const ENABLE_PUSH: u16 = 2;
    pub const MAX_CONCURRENT_STREAMS: u16 = 3;
    pub const INITIAL_WINDOW_SIZE: u16 = 4;
    pub const MAX_FRAME_SIZE: u16 = 5;
    pub const MAX_HEADER_LIST_SIZE: u16 = 6;
}

/// Error codes (RFC 9113, 7).
pub mod code {
    pub const NO_ERROR: u32 = 0;
    pub const PROTOCOL_ERROR: u32 = 1;
    pub const REFUSED_STREAM: u32 = 7;
    pub const CANCEL: u32 = 8;

    /// A GOAWAY of this code (RFC 9113, 7).
    pub fn goaway(code: u32) -> &'static str {
        const BY_CODE: [&str; 14] = [
            "GOAWAY, then an end before the answer",
            "GOAWAY: PROTOCOL_ERROR",
            "GOAWAY: INTERNAL_ERROR",
            "GOAWAY: FLOW_CONTROL_ERROR",
            "GOAWAY: SETTINGS_TIMEOUT",
            "GOAWAY: STREAM_CLOSED",
            "GOAWAY: FRAME_SIZE_ERROR",
            "GOAWAY: REFUSED_STREAM",
            "GOAWAY: CANCEL",
            "GOAWAY: COMPRESSION_ERROR",
            "GOAWAY: CONNECT_ERROR",
            "GOAWAY: ENHANCE_YOUR_CALM",
            "GOAWAY: INADEQUATE_SECURITY",
            "GOAWAY: HTTP_1_1_REQUIRED",
        ];
        BY_CODE
            .get(code as usize)
            .copied()
            .unwrap_or("GOAWAY: a code of its own")
    }
}

/// The nine bytes before a frame's payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameHead {
    /// Of the payload, in bytes.
    pub length: usize,
    pub kind: u8,
    pub flags: u8,
    pub stream: u32,
}

impl FrameHead {
    pub const SIZE: usize = 9;

    #[inline]
    pub fn read(bytes: [u8; Self::SIZE]) -> Self {
        let [high, middle, low, kind, flags, stream @ ..] = bytes;
        Self {
            length: usize::from(high) << 16 | usize::from(middle) << 8 | usize::from(low),
            kind,
            flags,
            stream: u32::from_be_bytes(stream) & 0x7fff_ffff,
        }
    }

    #[inline]
    pub fn write(self, out: &mut Vec<u8>) {
        let [_, high, middle, low] = (self.length as u32).to_be_bytes();
        out.extend_from_slice(&[high, middle, low, self.kind, self.flags]);
        out.extend_from_slice(&self.stream.to_be_bytes());
    }

    #[inline]
    pub fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// Appends a frame whose payload is short.
pub fn write(out: &mut Vec<u8>, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
    let head = FrameHead {
        length: payload.len(),
        kind,
        flags,
        stream,
    };
    head.write(out);
    out.extend_from_slice(payload);
}

/// Appends a header block: HEADERS, and as many CONTINUATION as it takes.
pub fn write_block(out: &mut Vec<u8>, stream: u32, block: &[u8], end_of_stream: bool) {
    let mut kind = kind::HEADERS;
    let mut flags = if end_of_stream { flag::END_STREAM } else { 0 };
    let mut rest = block;
    loop {
        let (piece, after) = rest.split_at(rest.len().min(MOST_PAYLOAD));
        rest = after;
        if rest.is_empty() {
            flags |= flag::END_HEADERS;
        }
        write(out, kind, flags, stream, piece);
        if rest.is_empty() {
            return;
        }
        (kind, flags) = (kind::CONTINUATION, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_as_it_was_written_but_for_the_reserved_bit() {
        let head = FrameHead {
            length: 0x01_02_03,
            kind: kind::HEADERS,
            flags: flag::END_HEADERS,
            stream: 0x7fff_fffd,
        };
        let mut bytes = Vec::new();
        head.write(&mut bytes);
        bytes[5] |= 0x80;
        assert_eq!(FrameHead::read(bytes.try_into().unwrap()), head);
    }

    #[test]
    fn a_long_block_goes_on_in_other_frames_of_which_only_the_last_ends_it() {
        let block = vec![7; 2 * MOST_PAYLOAD + 1];
        let (mut out, mut kinds, mut whole) = (Vec::new(), Vec::new(), Vec::new());
        write_block(&mut out, 1, &block, true);
        let mut rest = &out[..];
        while let Some((head, after)) = rest.split_first_chunk() {
            let head = FrameHead::read(*head);
            kinds.push((head.kind, head.flags));
            whole.extend_from_slice(&after[..head.length]);
            rest = &after[head.length..];
        }
        assert_eq!(
            kinds,
            [
                (kind::HEADERS, flag::END_STREAM),
                (kind::CONTINUATION, 0),
                (kind::CONTINUATION, flag::END_HEADERS)
            ]
        );
        assert_eq!(whole, block);
    }
}
