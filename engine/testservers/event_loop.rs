//! One thread that answers many connections: `null`, `delay`, `freeze` and `defer` are this loop with different plans.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::time::Duration;

use anyhow::{Context, Result};
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};

use crate::answers::{self, Stamped};
use crate::clock::{now_ns, sleep_until};
use crate::deferring::{Admission, Work};
use crate::freezes::Freezes;
use crate::recording::Recording;
use crate::requests::{Progress, RequestReader};

const MOST_EVENTS: usize = 256;
const LISTENER: u64 = u64::MAX;
const TIMER: u64 = u64::MAX - 1;

/// How requests are answered.
pub struct Plan {
    /// Time from the read that completes a request to the write of its answer.
    pub delay_ns: u64,
    /// Whether one worker answers, one request after the other, each in `delay_ns`.
    pub one_worker: bool,
    /// Whether answers tell their instants.
    pub stamped: bool,
    pub freezes: Option<Freezes>,
    pub recording: Option<Recording>,
    pub work: Option<Work>,
}

struct Connection {
    stream: TcpStream,
    reader: RequestReader,
    /// Tells apart connections that had the same descriptor, for answers that are due later.
    number: u64,
}

/// An answer to be written later; ordered by its instant.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Due {
    write_ns: u64,
    read_ns: u64,
    descriptor: RawFd,
    number: u64,
    close: bool,
}

pub struct EventLoop {
    plan: Plan,
    listener: TcpListener,
    epoll: Epoll,
    timer: TimerFd,
    /// By descriptor.
    connections: Vec<Option<Connection>>,
    accepted: u64,
    answered: u64,
    /// When the one worker has done all that it was asked.
    free_ns: u64,
    due: BinaryHeap<Reverse<Due>>,
    right: Vec<u8>,
    refusal: Vec<u8>,
    stamped: Stamped,
    input: Vec<u8>,
}

impl EventLoop {
    pub fn new(listener: TcpListener, plan: Plan) -> Result<Self> {
        listener.set_nonblocking(true)?;
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
        let timer = TimerFd::new(
            ClockId::CLOCK_MONOTONIC,
            TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC,
        )?;
        epoll.add(&listener, EpollEvent::new(EpollFlags::EPOLLIN, LISTENER))?;
        epoll.add(timer.as_fd(), EpollEvent::new(EpollFlags::EPOLLIN, TIMER))?;
        Ok(Self {
            plan,
            listener,
            epoll,
            timer,
            connections: Vec::new(),
            accepted: 0,
            answered: 0,
            free_ns: 0,
            due: BinaryHeap::new(),
            right: answers::right(),
            refusal: answers::refusal(),
            stamped: Stamped::new(),
            input: vec![0; 64 * 1024],
        })
    }

    /// Serves until the process ends.
    pub fn run(&mut self) -> Result<()> {
        let mut events = vec![EpollEvent::empty(); MOST_EVENTS];
        loop {
            self.set_timer()?;
            let done_before = self.accepted + self.answered;
            let count = match self.epoll.wait(&mut events, EpollTimeout::NONE) {
                Ok(count) => count,
                Err(nix::errno::Errno::EINTR) => 0,
                Err(errno) => return Err(errno).context("cannot wait for events"),
            };
            for event in &events[..count] {
                match event.data() {
                    LISTENER => self.accept(),
                    TIMER => self.timer.wait().or_else(ignore_unready)?,
                    // Was a descriptor, so it fits.
                    descriptor => self.read(descriptor as RawFd),
                }
            }
            self.write_due();
            self.freeze_when_due(self.accepted + self.answered == done_before);
        }
    }

    /// Wakes us for the next answer that is due or the next freeze.
    fn set_timer(&mut self) -> Result<()> {
        let answer = self.due.peek().map(|Reverse(due)| due.write_ns);
        let freeze = self.plan.freezes.as_ref().map(|freezes| freezes.wakes_ns(now_ns()));
        let Some(next_ns) = answer.into_iter().chain(freeze).min() else {
            return Ok(());
        };
        let at = TimeSpec::from_duration(Duration::from_nanos(next_ns));
        self.timer
            .set(Expiration::OneShot(at), TimerSetTimeFlags::TFD_TIMER_ABSTIME)
            .context("cannot set the timer")
    }

    fn accept(&mut self) {
        while let Ok((stream, _)) = self.listener.accept() {
            let descriptor = stream.as_raw_fd();
            let ready = stream.set_nonblocking(true).and_then(|()| stream.set_nodelay(true));
            // Descriptors are not negative.
            let event = EpollEvent::new(EpollFlags::EPOLLIN, descriptor as u64);
            if ready.is_err() || self.epoll.add(&stream, event).is_err() {
                continue;
            }
            self.accepted += 1;
            let place = descriptor as usize;
            if self.connections.len() <= place {
                self.connections.resize_with(place + 1, || None);
            }
            let reader = RequestReader::default();
            self.connections[place] = Some(Connection {
                stream,
                reader,
                number: self.accepted,
            });
        }
    }

    fn read(&mut self, descriptor: RawFd) {
        let place = descriptor as usize;
        let Some(Some(connection)) = self.connections.get_mut(place) else {
            return;
        };
        let count = match connection.stream.read(&mut self.input) {
            Ok(count) if count > 0 => count,
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return,
            _ => return self.connections[place] = None,
        };
        let read_ns = if self.plan.stamped || self.plan.delay_ns > 0 {
            now_ns()
        } else {
            0
        };
        let mut begin = 0;
        while begin < count {
            let Some(Some(connection)) = self.connections.get_mut(place) else {
                return;
            };
            match connection.reader.feed(&self.input[begin..count]) {
                Progress::More | Progress::Head => return,
                Progress::Senseless => return self.connections[place] = None,
                Progress::Complete { used, close } => {
                    begin += used;
                    let number = connection.number;
                    let begin_ns = if self.plan.one_worker {
                        self.free_ns.max(read_ns)
                    } else {
                        read_ns
                    };
                    self.free_ns = begin_ns + self.plan.delay_ns;
                    let due = Due {
                        write_ns: self.free_ns,
                        read_ns,
                        descriptor,
                        number,
                        close,
                    };
                    if self.plan.delay_ns == 0 {
                        self.write(&due);
                    } else {
                        self.due.push(Reverse(due));
                    }
                }
            }
        }
    }

    fn write_due(&mut self) {
        while let Some(Reverse(due)) = self.due.pop_if_due() {
            self.write(&due);
        }
    }

    fn write(&mut self, due: &Due) {
        let place = due.descriptor as usize;
        let Some(Some(connection)) = self.connections.get_mut(place) else {
            return;
        };
        if connection.number != due.number {
            return;
        }
        let admission = self.plan.work.as_ref().map_or(Admission::Admitted, Work::on_request);
        let answer = if admission == Admission::Refused {
            &self.refusal
        } else if self.plan.stamped {
            let write_ns = now_ns();
            if let Some(recording) = &self.plan.recording {
                recording.add(due.read_ns, write_ns);
            }
            self.stamped.fill(due.read_ns, write_ns)
        } else {
            &self.right
        };
        let written = connection.stream.write(answer);
        self.answered += 1;
        if let Some(freezes) = &mut self.plan.freezes {
            freezes.answered();
        }
        // An answer always fits the buffer of a client that reads; one that sends on without reading loses us.
        if due.close || !written.is_ok_and(|count| count == answer.len()) {
            self.connections[place] = None;
        }
    }

    fn freeze_when_due(&mut self, idle: bool) {
        let Some(freezes) = &mut self.plan.freezes else { return };
        freezes.after_batch(idle);
        if let Some(end_ns) = freezes.begin_if_due(now_ns()) {
            sleep_until(end_ns);
            freezes.end(now_ns());
        }
    }
}

/// Takes the first of a heap only when its time has come.
trait PopIfDue {
    fn pop_if_due(&mut self) -> Option<Reverse<Due>>;
}

impl PopIfDue for BinaryHeap<Reverse<Due>> {
    fn pop_if_due(&mut self) -> Option<Reverse<Due>> {
        if self.peek().is_some_and(|Reverse(due)| due.write_ns <= now_ns()) {
            self.pop()
        } else {
            None
        }
    }
}

fn ignore_unready(errno: nix::errno::Errno) -> nix::Result<()> {
    if errno == nix::errno::Errno::EAGAIN {
        Ok(())
    } else {
        Err(errno)
    }
}
