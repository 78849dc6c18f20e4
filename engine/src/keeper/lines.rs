//! Splits the input of a descriptor into lines.

use std::os::fd::BorrowedFd;

use nix::errno::Errno;

/// A line longer than this is no line of the protocol; its pieces are answered as wrong lines.
const LONGEST_LINE: usize = 4096;

/// Bytes of a stream that are not a whole line yet.
#[derive(Debug, Default)]
pub struct Lines {
    read: Vec<u8>,
    ended: bool,
}

impl Lines {
    /// Reads the available input; an input that cannot be read counts as ended.
    pub fn read_from(&mut self, input: BorrowedFd<'_>) {
        let mut piece = [0; LONGEST_LINE];
        match nix::unistd::read(input, &mut piece) {
            Ok(0) => self.ended = true,
            Ok(length) => self.read.extend_from_slice(&piece[..length]),
            Err(Errno::EINTR | Errno::EAGAIN) => {}
            Err(_) => self.ended = true,
        }
    }

    /// The next whole line, without its end.
    pub fn next(&mut self) -> Option<String> {
        let end = match self.read.iter().position(|&byte| byte == b'\n') {
            Some(end) => end,
            None if self.read.len() > LONGEST_LINE => self.read.len() - 1,
            None => return None,
        };
        let line: Vec<u8> = self.read.drain(..=end).collect();
        Some(String::from_utf8_lossy(&line).trim_end().to_owned())
    }

    /// Whether the input has ended.
    pub fn ended(&self) -> bool {
        self.ended
    }
}
