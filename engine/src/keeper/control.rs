//! The control channel: the keeper's lines over a socket, for a caller that must not wait for the lab.

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

/// What came over the channel.
#[derive(Debug, PartialEq)]
pub enum Call {
    Line(String),
    HungUp,
}

impl Control {
    /// Makes the socket, for its owner alone. To be called before any thread is started: the mask of new files is the process's.
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

    /// What to wait upon: the caller, or the next one.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        match &self.caller {
            Some(caller) => caller.stream.as_fd(),
            None => self.listener.as_fd(),
        }
    }

    /// Takes a caller, or reads what it says.
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

    /// Answers the caller. One that does not read is given up, so that it cannot keep us from anything else: what it said is
    /// read to its end, which comes with the shut-down.
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
