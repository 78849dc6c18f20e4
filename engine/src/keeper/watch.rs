//! Waits for the keeper's events: a line, the end of input, a signal, a child's end.

use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};

use super::KeeperError;
use super::control::{Call, Control};
use super::lines::Lines;
use super::protocol::{self, Answer};

#[derive(Debug)]
pub enum Event {
    Line(String, Origin),
    EndOfInput,
    /// The control channel's caller hung up.
    HungUp,
    /// SIGTERM, SIGINT, SIGHUP or SIGQUIT, by number.
    Signal(u8),
    ChildChanged,
    /// The time limit passed.
    Nothing,
}

/// The origin of a line, where its answer goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    Input,
    Control,
}

/// Standard input, the control channel and the signals, polled together, so that none waits for another.
#[derive(Debug)]
pub struct Watch {
    signals: SignalFd,
    input: Lines,
    control: Option<Control>,
}

impl Watch {
    /// Blocks the signals, which are read from a descriptor from then on. Call it before the command starts.
    pub fn begin(control: Option<Control>) -> Result<Self, KeeperError> {
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
            input: Lines::default(),
            control,
        })
    }

    /// The next event, or `Nothing` after `limit`. Signals come before lines.
    pub fn next(&mut self, limit: Option<Duration>) -> Event {
        if let Some(event) = self.pending() {
            return event;
        }
        let milliseconds = limit.map_or(PollTimeout::NONE, |limit| {
            // Rounded up, since a wait of 0 would spin until the limit.
            PollTimeout::try_from(limit + Duration::from_micros(999)).unwrap_or(PollTimeout::MAX)
        });
        // SAFETY: descriptor 0 is nobody else's to close in this program.
        let standard_input = unsafe { BorrowedFd::borrow_raw(0) };
        let mut files = vec![
            PollFd::new(self.signals.as_fd(), PollFlags::POLLIN),
            PollFd::new(standard_input, PollFlags::POLLIN),
        ];
        files.extend(
            self.control
                .as_ref()
                .map(|control| PollFd::new(control.descriptor(), PollFlags::POLLIN)),
        );
        if let Err(errno) = poll(&mut files, milliseconds) {
            // Only an interruption is expected; after any other failure polling again would fail too.
            return if errno == Errno::EINTR {
                Event::Nothing
            } else {
                Event::EndOfInput
            };
        }
        let ready: Vec<bool> = files.iter().map(|file| file.any().unwrap_or(true)).collect();
        if ready[1] {
            self.input.read_from(standard_input);
        }
        if let (Some(control), Some(true)) = (&mut self.control, ready.get(2)) {
            control.read();
        }
        self.pending().unwrap_or(Event::Nothing)
    }

    /// Answers a line where it came from.
    pub fn say(&mut self, answer: &Answer, origin: Origin) {
        match (origin, &mut self.control) {
            (Origin::Control, Some(control)) => control.say(answer),
            _ => protocol::say(answer),
        }
    }

    /// The events that are available already.
    fn pending(&mut self) -> Option<Event> {
        if let Some(event) = self.signal() {
            return Some(event);
        }
        if let Some(line) = self.input.next() {
            return Some(Event::Line(line, Origin::Input));
        }
        if self.input.ended() {
            return Some(Event::EndOfInput);
        }
        self.control.as_mut()?.next().map(|call| match call {
            Call::Line(line) => Event::Line(line, Origin::Control),
            Call::HungUp => Event::HungUp,
        })
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
}
