//! The output of a connection that is not sent yet.

/// Bytes in order; the first `sent` ones are sent.
#[derive(Debug, Default)]
pub struct Output {
    bytes: Vec<u8>,
    sent: usize,
    /// The total length of all output.
    written: u64,
}

/// Sent bytes are removed once there are this many.
const WORTH_MOVING: usize = 64 * 1024;

impl Output {
    /// Appends what `write` does.
    #[inline]
    pub fn add(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        let before = self.bytes.len();
        write(&mut self.bytes);
        self.written += (self.bytes.len() - before) as u64;
    }

    #[inline]
    pub fn pending(&self) -> &[u8] {
        &self.bytes[self.sent..]
    }

    #[inline]
    pub fn total(&self) -> u64 {
        self.written
    }

    /// Removes `count` sent bytes.
    #[inline]
    pub fn advance(&mut self, count: usize) {
        self.sent += count;
        if self.sent == self.bytes.len() {
            self.bytes.clear();
            self.sent = 0;
        } else if self.sent >= WORTH_MOVING {
            self.bytes.drain(..self.sent);
            self.sent = 0;
        }
    }
}
