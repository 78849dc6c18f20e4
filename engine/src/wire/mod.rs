//! The engine's way to the network: what a worker needs of it, and the real one made of sockets, TLS and epoll.

mod epoll;
mod resolve;
mod socket;
mod tls;
mod tls_failure;
mod transport;

pub use epoll::{Interrupt, Poller};
pub use resolve::resolve;
pub use socket::Socket;
pub use tls::client_config;
pub use transport::{Endpoint, RealTransport, RealWire};

use crate::clock::Ns;
use crate::verify::{Failed, Failure};

/// What the network tells of one connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ready {
    pub token: u64,
    pub writable: bool,
    /// The peer closed or reset: reading on will tell which.
    pub hangup: bool,
}

/// Why a step on a connection did not succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// Nothing to do now; an event will tell when.
    WouldBlock,
    /// Much was read, and nothing of it was an answer's: there may be more, of which no event will tell.
    ReadOn,
    /// The server's side of it.
    Server(Failed),
    /// The engine's own machine is out of something; never the server's failure.
    Instrument(&'static str),
}

impl Trouble {
    /// Whether the server takes no connection at the address.
    pub fn is_refusal(self) -> bool {
        matches!(self, Self::Server(failed) if failed.kind == Failure::Refused)
    }

    /// Sorts an error of the system; `otherwise` is what an error means that has no kind of its own.
    pub fn of(error: &std::io::Error, otherwise: Failure) -> Self {
        match error.raw_os_error() {
            Some(libc::EAGAIN | libc::EINPROGRESS | libc::EINTR) => Self::WouldBlock,
            Some(libc::ECONNREFUSED) => Self::Server(Failure::Refused.because("connection refused")),
            Some(libc::EHOSTUNREACH) => Self::Server(Failure::Refused.because("no route to the host")),
            Some(libc::ENETUNREACH) => Self::Server(Failure::Refused.because("the network is unreachable")),
            // Linux tells of a reset that came after the peer's orderly end as EPIPE.
            Some(libc::EPIPE) => Self::Server(Failure::Truncated.into()),
            Some(libc::ECONNRESET | libc::ECONNABORTED) => Self::Server(Failure::Reset.into()),
            Some(libc::ETIMEDOUT) => Self::Server(Failure::Timeout.because("the kernel gave the connection up")),
            Some(libc::EADDRNOTAVAIL) => {
                Self::Instrument("no local port was free (EADDRNOTAVAIL); widen net.ipv4.ip_local_port_range")
            }
            Some(libc::EMFILE | libc::ENFILE) => {
                Self::Instrument("no file descriptor was free (EMFILE); raise the limit of open files (ulimit -Hn)")
            }
            Some(libc::ENOBUFS | libc::ENOMEM) => {
                Self::Instrument("no memory for sockets was free (ENOBUFS, ENOMEM); free some or use fewer connections")
            }
            Some(libc::EPERM | libc::EACCES) => {
                Self::Instrument("this machine forbids the connection (EPERM, EACCES); look at its firewall")
            }
            _ => Self::Server(otherwise.into()),
        }
    }

    /// Sorts an error of making a socket or of watching it, in which the server has no part.
    pub fn of_instrument(error: &std::io::Error) -> Self {
        match error.raw_os_error() {
            Some(libc::ENOSPC) => {
                Self::Instrument("no more sockets can be watched (ENOSPC); raise fs.epoll.max_user_watches")
            }
            Some(libc::EAFNOSUPPORT) => {
                Self::Instrument("this machine cannot connect to such an address (EAFNOSUPPORT); is IPv6 switched off?")
            }
            _ => match Self::of(error, Failure::Refused) {
                Self::Instrument(why) => Self::Instrument(why),
                _ => Self::Instrument("this machine can make or watch no socket; look at its system log"),
            },
        }
    }
}

/// How far a new connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    Connecting,
    /// TCP is up; TLS is at work.
    Securing,
    Ready,
}

/// What an idle connection turns out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Idle {
    Open,
    Closed,
    /// The server sent what nobody had asked for.
    Unasked,
}

/// One connection.
pub trait Transport {
    /// Carries on with connecting.
    fn establish(&mut self) -> Result<Progress, Trouble>;
    /// Reads what is there; 0 is the end of the stream. After a bounded number of reads without anything for us it is `ReadOn`.
    fn receive(&mut self, buffer: &mut [u8]) -> Result<usize, Trouble>;
    /// Sends as much of the two pieces, in turn, as the connection takes.
    fn send(&mut self, first: &[u8], second: &[u8]) -> Result<usize, Trouble>;
    /// Sends what was taken and could not be sent at once.
    fn flush(&mut self) -> Result<(), Trouble>;
    /// How many of the bytes sent the server's machine has not acknowledged. Asked after the server closed its side in order, this says
    /// what can never have reached the server: it acknowledges with its end what it had taken by then.
    fn unacknowledged_bytes(&self) -> u64;
    /// Whether a read that did not fill its buffer has emptied the connection.
    fn short_read_empties(&self) -> bool;
    /// Looks at a connection on which no request is under way.
    fn idle(&mut self) -> Idle;
}

/// Opens connections to one server and waits for what happens on them.
pub trait Wire {
    type Transport: Transport;
    /// Begins a connection; its events will carry `token`.
    fn open(&mut self, token: u64) -> Result<Self::Transport, Trouble>;
    /// How many addresses connections are dealt over, one after the other.
    fn addresses(&self) -> usize;
    /// Waits until `until` at the latest, and appends what happened.
    fn wait(&mut self, now: Ns, until: Ns, events: &mut Vec<Ready>) -> std::io::Result<()>;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(trouble: Trouble) -> &'static str {
        match trouble {
            Trouble::Instrument(why) => why,
            other => panic!("{other:?} is not the instrument's"),
        }
    }

    #[test]
    fn what_this_machine_lacks_is_the_instruments_and_says_what_to_do() {
        let error = std::io::Error::from_raw_os_error;
        for (number, step) in [
            (libc::ENOSPC, "max_user_watches"),
            (libc::ENOMEM, "fewer connections"),
            (libc::EMFILE, "ulimit"),
            (libc::EAFNOSUPPORT, "IPv6"),
            (libc::EPERM, "firewall"),
            (libc::EEXIST, "system log"),
        ] {
            let told = why(Trouble::of_instrument(&error(number)));
            assert!(told.contains(step), "{told}");
        }
        for number in [libc::EADDRNOTAVAIL, libc::ENOBUFS, libc::EMFILE, libc::EACCES] {
            assert!(why(Trouble::of(&error(number), Failure::Refused)).contains(';'));
        }
        assert_eq!(
            Trouble::of(&error(libc::ECONNREFUSED), Failure::Reset),
            Trouble::Server(Failure::Refused.because("connection refused"))
        );
    }
}
