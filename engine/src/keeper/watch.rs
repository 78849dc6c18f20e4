//! Waits for what the keeper must react to: a line, the end of input, a signal, a child's end.

use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};

use super::KeeperError;

/// A line longer than this is no line of the protocol; its pieces are answered as wrong lines.
const LONGEST_LINE: usize = 4096;

#[derive(Debug)]
pub enum Event {
    Line(String),
    EndOfInput,
    /// SIGTERM, SIGINT, SIGHUP or SIGQUIT, by number.
    Signal(u8),
    ChildChanged,
    /// The time given was over.
    Nothing,
}

/// Standard input and the signals that concern us, in one place, so that neither waits for the other.
#[derive(Debug)]
pub struct Watch {
    signals: SignalFd,
    input: Vec<u8>,
    input_ended: bool,
}

impl Watch {
    /// From here on the signals wait to be read instead of interrupting. To be called before the command is started.
    pub fn begin() -> Result<Self, KeeperError> {
        let system = |errno| KeeperError::System {
            what: "watch for signals",
            errno,
        };
        let concern: SigSet = [
            Signal::SIGTERM,
            Signal::SIGINT,
            Signal::SIGHUP,
            Signal::SIGQUIT,
            Signal::SIGCHLD,
        ]
        .into_iter()
        .collect();
        concern.thread_block().map_err(system)?;
        let signals = SignalFd::with_flags(&concern, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK).map_err(system)?;
        Ok(Self {
            signals,
            input: Vec::new(),
            input_ended: false,
        })
    }

    /// The next event, or `Nothing` after `limit`. Signals come before lines.
    pub fn next(&mut self, limit: Option<Duration>) -> Event {
        if let Some(event) = self.signal() {
            return event;
        }
        if let Some(line) = self.whole_line() {
            return Event::Line(line);
        }
        if self.input_ended {
            return Event::EndOfInput;
        }
        let milliseconds = limit.map_or(PollTimeout::NONE, |limit| {
            // Rounded up, since a wait of 0 would spin until the limit.
            PollTimeout::try_from(limit + Duration::from_micros(999)).unwrap_or(PollTimeout::MAX)
        });
        // SAFETY: descriptor 0 is nobody else's to close in this program.
        let standard_input = unsafe { BorrowedFd::borrow_raw(0) };
        let mut files = [
            PollFd::new(self.signals.as_fd(), PollFlags::POLLIN),
            PollFd::new(standard_input, PollFlags::POLLIN),
        ];
        if let Err(errno) = poll(&mut files, milliseconds) {
            // Nothing but an interruption is to be expected; a poll that fails otherwise cannot be waited on.
            return if errno == Errno::EINTR {
                Event::Nothing
            } else {
                Event::EndOfInput
            };
        }
        let input_is_ready = files[1].any().unwrap_or(true);
        if let Some(event) = self.signal() {
            return event;
        }
        if input_is_ready {
            self.read(standard_input);
            if let Some(line) = self.whole_line() {
                return Event::Line(line);
            }
        }
        if self.input_ended {
            Event::EndOfInput
        } else {
            Event::Nothing
        }
    }

    fn signal(&mut self) -> Option<Event> {
        let signal = self.signals.read_signal().ok()??;
        let number = u8::try_from(signal.ssi_signo).ok()?;
        Some(if i32::from(number) == Signal::SIGCHLD as i32 {
            Event::ChildChanged
        } else {
            Event::Signal(number)
        })
    }

    fn read(&mut self, standard_input: BorrowedFd<'_>) {
        let mut piece = [0; LONGEST_LINE];
        match nix::unistd::read(standard_input, &mut piece) {
            Ok(0) => self.input_ended = true,
            Ok(length) => self.input.extend_from_slice(&piece[..length]),
            Err(Errno::EINTR | Errno::EAGAIN) => {}
            // An input that cannot be read brings no more orders.
            Err(_) => self.input_ended = true,
        }
    }

    fn whole_line(&mut self) -> Option<String> {
        let end = match self.input.iter().position(|&byte| byte == b'\n') {
            Some(end) => end,
            None if self.input.len() > LONGEST_LINE => self.input.len() - 1,
            None => return None,
        };
        let line: Vec<u8> = self.input.drain(..=end).collect();
        Some(String::from_utf8_lossy(&line).trim_end().to_owned())
    }
}
