//! The control channel: the keeper's commands over a socket, for a caller that must not wait for the lab.

use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use super::lines::Lines;
use super::protocol::Answer;

/// A socket that takes one caller at a time; further ones wait until it has hung up.
#[derive(Debug)]
pub struct Control {
    path: PathBuf,
    listener: UnixListener,
    caller: Option<Caller>,
}

#[derive(Debug)]
struct Caller {
    stream: UnixStream,
    lines: Lines,
}

/// Input of the channel.
#[derive(Debug, PartialEq)]
pub enum Call {
    Line(String),
    HungUp,
}

impl Control {
    /// Makes the socket, accessible to its owner only. Call it before any thread starts: the mask of new files belongs to the process.
    pub fn open(path: &Path) -> std::io::Result<Self> {
        // SAFETY: takes and gives a number.
        let before = unsafe { libc::umask(0o177) };
        let listener = UnixListener::bind(path);
        // SAFETY: as above.
        unsafe { libc::umask(before) };
        let listener = listener?;
        listener.set_nonblocking(true)?;
        Ok(Self {
            path: path.to_owned(),
            listener,
            caller: None,
        })
    }

    /// The descriptor to wait on: the caller's, or that of the next caller.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        match &self.caller {
            Some(caller) => caller.stream.as_fd(),
            None => self.listener.as_fd(),
        }
    }

    /// Accepts a caller, or reads its lines.
    pub fn read(&mut self) {
        match &mut self.caller {
            Some(caller) => caller.lines.read_from(caller.stream.as_fd()),
            None => self.caller = self.listener.accept().ok().and_then(|(stream, _)| Caller::new(stream)),
        }
    }

    /// The next line that was read, or the caller's end.
    pub fn next(&mut self) -> Option<Call> {
        let caller = self.caller.as_mut()?;
        if let Some(line) = caller.lines.next() {
            return Some(Call::Line(line));
        }
        if caller.lines.ended() {
            self.caller = None;
            return Some(Call::HungUp);
        }
        None
    }

    /// Answers the caller. A caller that does not read is disconnected, so that it cannot block the keeper; lines that it sent before are
    /// still read.
    pub fn say(&mut self, answer: &Answer) {
        if let Some(caller) = &mut self.caller
            && caller.stream.write_all(&answer.to_line()).is_err()
        {
            let _ = caller.stream.shutdown(std::net::Shutdown::Both);
        }
    }
}

impl Caller {
    fn new(stream: UnixStream) -> Option<Self> {
        stream.set_nonblocking(true).ok()?;
        Some(Self {
            stream,
            lines: Lines::default(),
        })
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}
