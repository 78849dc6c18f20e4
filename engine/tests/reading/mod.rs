//! Reads an answer that comes in any pieces, and tells all that can be seen of it.

use steelyard_engine::http::{Event, ResponseReader, WantedFields};

/// What was read before the answer, the input or the protocol ended.
#[derive(Debug, PartialEq, Eq)]
pub struct Reading {
    pub status: u16,
    pub keep_alive: bool,
    pub cookies: Vec<u8>,
    pub body: Vec<u8>,
    pub ended: Ended,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Ended {
    /// Complete, with so many bytes behind it.
    Done {
        surplus: usize,
    },
    /// Complete because the stream ended.
    WithStream,
    Truncated,
    Malformed,
}

/// Reads one answer from pieces, after which the stream ends.
pub fn read<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Reading {
    let mut reader = ResponseReader::new();
    reader.reset(WantedFields::Cookies, false);
    let mut body = Vec::new();
    let mut ended = None;
    let mut surplus = 0;
    for mut input in pieces {
        let length = input.len();
        while ended.is_none() {
            match reader.next(&mut input) {
                Ok(Event::Head) => {}
                Ok(Event::Body { bytes, .. }) => body.extend_from_slice(bytes),
                Ok(Event::NeedMore) => break,
                Ok(Event::Done) => ended = Some(Ended::Done { surplus: 0 }),
                Err(_) => ended = Some(Ended::Malformed),
            }
            assert!(input.len() <= length);
        }
        if matches!(ended, Some(Ended::Done { .. })) {
            surplus += input.len();
        }
    }
    let ended = match ended {
        Some(Ended::Done { .. }) => Ended::Done { surplus },
        Some(ended) => ended,
        None if reader.end_of_stream() => Ended::WithStream,
        None => Ended::Truncated,
    };
    let (status, keep_alive) = (reader.status(), reader.keep_alive());
    Reading {
        status,
        keep_alive,
        cookies: reader.fields().to_vec(),
        body,
        ended,
    }
}
