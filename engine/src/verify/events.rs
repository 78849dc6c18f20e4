//! Finds where events end in the body of an answer, which comes in pieces: server-sent events, or the messages of gRPC.

use crate::job::EventForm;

/// What of a body has been read, and how many events have ended since that was last asked.
#[derive(Debug, Default)]
pub struct EventScan {
    ended: u64,
    line: Line,
    /// Whether the event that is being read has data.
    has_data: bool,
    /// A line ended with a carriage return, so that a line feed may belong to it.
    after_return: bool,
    /// The bytes of a message's prefix that have come, and how many of the message are missing.
    prefix: [u8; PREFIX],
    prefix_length: usize,
    missing: u32,
}

/// The line that is being read: its length, and whether it names the field `data` so far.
#[derive(Debug)]
struct Line {
    length: usize,
    names_data: bool,
}

impl Default for Line {
    fn default() -> Self {
        Self {
            length: 0,
            names_data: true,
        }
    }
}

const DATA: &[u8] = b"data";
/// gRPC's prefix of a message: whether it is compressed, and its length.
const PREFIX: usize = 5;

impl EventScan {
    /// Reads a piece of the body.
    pub fn feed(&mut self, form: EventForm, piece: &[u8]) {
        match form {
            EventForm::EventStream => piece.iter().for_each(|byte| self.feed_letter(*byte)),
            EventForm::Grpc => self.feed_messages(piece),
        }
    }

    /// How many events have ended since the last call.
    #[inline]
    pub fn take(&mut self) -> u64 {
        std::mem::take(&mut self.ended)
    }

    /// A blank line ends an event; one without data is none (WHATWG HTML, 9.2.6).
    fn feed_letter(&mut self, byte: u8) {
        let second_half = byte == b'\n' && self.after_return;
        self.after_return = byte == b'\r';
        if second_half {
            return;
        }
        if byte != b'\n' && byte != b'\r' {
            let expected = DATA.get(self.line.length).copied().unwrap_or(b':');
            self.line.names_data &= self.line.length > DATA.len() || byte == expected;
            self.line.length += 1;
            return;
        }
        let line = std::mem::take(&mut self.line);
        if line.length > 0 {
            self.has_data |= line.names_data && line.length >= DATA.len();
        } else if std::mem::take(&mut self.has_data) {
            self.ended += 1;
        }
    }

    fn feed_messages(&mut self, mut piece: &[u8]) {
        while !piece.is_empty() {
            if self.prefix_length < PREFIX {
                self.prefix[self.prefix_length] = piece[0];
                self.prefix_length += 1;
                piece = &piece[1..];
                if self.prefix_length < PREFIX {
                    continue;
                }
                let [_, length @ ..] = self.prefix;
                self.missing = u32::from_be_bytes(length);
            }
            let taken = piece.len().min(self.missing as usize);
            piece = &piece[taken..];
            self.missing -= taken as u32;
            if self.missing == 0 {
                self.ended += 1;
                self.prefix_length = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The events that have ended, however the body is cut.
    fn events(form: EventForm, body: &[u8]) -> u64 {
        let counted = |size: usize| {
            let mut scan = EventScan::default();
            body.chunks(size)
                .map(|piece| {
                    scan.feed(form, piece);
                    scan.take()
                })
                .sum::<u64>()
        };
        let whole = counted(body.len().max(1));
        for size in [1, 2, 3, 7] {
            assert_eq!(counted(size), whole, "in pieces of {size}");
        }
        whole
    }

    #[test]
    fn an_event_ends_with_a_blank_line_and_has_data() {
        let sse = |text: &str| events(EventForm::EventStream, text.as_bytes());
        assert_eq!(sse("data: a\n\ndata: b\n\n"), 2);
        assert_eq!(sse("data: a\r\n\r\nid: 1\r\ndata\r\n\r\n"), 2);
        assert_eq!(sse("data: a\r\rdata:b\r\r"), 2);
        assert_eq!(sse("event: tick\ndata: a\ndata: b\n\n"), 1);
        assert_eq!(sse(": keep alive\n\n\n\nretry: 10\n\n"), 0);
        assert_eq!(sse("database: a\n\ndat: a\n\nxdata: a\n\n"), 0);
        assert_eq!(sse("data: unfinished\n"), 0);
    }

    #[test]
    fn a_message_of_grpc_ends_with_its_last_byte() {
        let message = |length: u8| [vec![0, 0, 0, 0, length], vec![7; usize::from(length)]].concat();
        assert_eq!(events(EventForm::Grpc, &message(3)), 1);
        assert_eq!(
            events(EventForm::Grpc, &[message(0), message(0), message(9)].concat()),
            3
        );
        assert_eq!(events(EventForm::Grpc, &message(9)[..13]), 0);
    }
}
