//! Waits for sockets with nanosecond precision.
//!
//! Every socket is registered once, edge-triggered, and never touched again: a request costs one write and one read, and
//! its share of a wait. The wait takes nanoseconds (`epoll_pwait2`), with the thread's timer slack at its least; the last
//! stretch before an instant that is due is spent polling without sleep, since the kernel wakes late.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::Arc;

use super::Ready;
use super::socket::check_result;
use crate::clock::{Ns, SECOND};

const EVENTS_AT_ONCE: usize = 256;
/// The last part of a wait, which is polled instead of slept: longer than the kernel's usual delay.
const POLLED_NS: Ns = 60_000;
/// The token of the interrupt.
const INTERRUPT: u64 = u64::MAX;

pub struct Poller {
    epoll: OwnedFd,
    events: Vec<libc::epoll_event>,
}

impl Poller {
    /// `interrupt` ends any wait at once.
    pub fn new(interrupt: &Interrupt) -> io::Result<Self> {
        // SAFETY: a plain system call; the descriptor that it gives is ours alone.
        let epoll = unsafe {
            let fd = libc::epoll_create1(libc::EPOLL_CLOEXEC);
            OwnedFd::from_raw_fd(check_result(fd as isize)? as RawFd)
        };
        let poller = Self {
            epoll,
            events: vec![libc::epoll_event { events: 0, u64: 0 }; EVENTS_AT_ONCE],
        };
        poller.register(interrupt.0.as_raw_fd(), INTERRUPT, libc::EPOLLIN)?;
        Ok(poller)
    }

    /// Adds a socket for all events.
    pub fn add(&self, fd: RawFd, token: u64) -> io::Result<()> {
        self.register(
            fd,
            token,
            libc::EPOLLIN | libc::EPOLLOUT | libc::EPOLLRDHUP | libc::EPOLLET,
        )
    }

    fn register(&self, fd: RawFd, token: u64, interest: libc::c_int) -> io::Result<()> {
        let mut event = libc::epoll_event {
            events: interest as u32,
            u64: token,
        };
        // SAFETY: both descriptors are open and the event is valid.
        let result = unsafe { libc::epoll_ctl(self.epoll.as_raw_fd(), libc::EPOLL_CTL_ADD, fd, &mut event) };
        check_result(result as isize).map(|_| ())
    }

    /// Waits until `until` at the latest, and appends events to `ready`.
    #[inline]
    pub fn wait(&mut self, now: Ns, until: Ns, ready: &mut Vec<Ready>) -> io::Result<()> {
        let left = until.saturating_sub(now).saturating_sub(POLLED_NS);
        let timeout = libc::timespec {
            tv_sec: (left / SECOND) as i64,
            tv_nsec: (left % SECOND) as i64,
        };
        // SAFETY: the buffer holds as many events as are asked for, and the time-out outlives the call.
        let result = unsafe {
            libc::syscall(
                libc::SYS_epoll_pwait2,
                self.epoll.as_raw_fd(),
                self.events.as_mut_ptr(),
                EVENTS_AT_ONCE as libc::c_int,
                std::ptr::from_ref(&timeout),
                std::ptr::null::<libc::sigset_t>(),
                0usize,
            )
        };
        let count = match check_result(result as isize) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
            Err(error) => return Err(error),
        };
        for event in &self.events[..count] {
            let (flags, token) = (event.events, event.u64);
            if token != INTERRUPT {
                ready.push(Ready {
                    token,
                    writable: flags & libc::EPOLLOUT as u32 != 0,
                    hangup: flags & (libc::EPOLLRDHUP | libc::EPOLLHUP | libc::EPOLLERR) as u32 != 0,
                });
            }
        }
        Ok(())
    }
}

/// Ends the waits of all its pollers, from any thread, permanently.
#[derive(Debug, Clone)]
pub struct Interrupt(Arc<OwnedFd>);

impl Interrupt {
    pub fn new() -> io::Result<Self> {
        // SAFETY: a plain system call; the descriptor that it gives is ours alone.
        unsafe {
            let fd = libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK);
            Ok(Self(Arc::new(
                OwnedFd::from_raw_fd(check_result(fd as isize)? as RawFd),
            )))
        }
    }

    pub fn raise(&self) {
        let one = 1u64;
        // SAFETY: eight valid bytes. It can only fail where the counter is full, and then it is raised already.
        unsafe { libc::write(self.0.as_raw_fd(), std::ptr::from_ref(&one).cast(), size_of_val(&one)) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{Clock, MILLISECOND, Monotonic};

    #[test]
    fn a_wait_ends_when_it_is_due_and_not_long_before() {
        let mut poller = Poller::new(&Interrupt::new().unwrap()).unwrap();
        let begin = Monotonic.now();
        let until = begin + 5 * MILLISECOND;
        let mut now = begin;
        while now < until {
            poller.wait(now, until, &mut Vec::new()).unwrap();
            now = Monotonic.now();
        }
        assert!(now - begin >= 5 * MILLISECOND);
    }

    #[test]
    fn an_interrupt_ends_a_long_wait() {
        let interrupt = Interrupt::new().unwrap();
        let mut poller = Poller::new(&interrupt).unwrap();
        interrupt.raise();
        let now = Monotonic.now();
        poller.wait(now, now + 3600 * SECOND, &mut Vec::new()).unwrap();
        assert!(Monotonic.now() - now < 60 * SECOND);
    }
}
