//! The network: the traits that a worker uses, and their implementation with sockets, TLS and epoll.

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

/// An event of one connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ready {
    pub token: u64,
    pub writable: bool,
    /// The peer closed or reset; reading shows which.
    pub hangup: bool,
}

/// The reason why a step on a connection did not succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// Not ready; an event follows.
    WouldBlock,
    /// Much was read that belongs to no answer; there may be more without another event.
    ReadOn,
    /// A failure of the server.
    Server(Failed),
    /// The engine's machine lacks a resource; not a failure of the server.
    Instrument(&'static str),
}

impl Trouble {
    /// Whether the server refused the connection.
    pub fn is_refusal(self) -> bool {
        matches!(self, Self::Server(failed) if failed.kind == Failure::Refused)
    }

    /// Classifies a system error; `otherwise` is the kind of errors that have none of their own.
    pub fn of(error: &std::io::Error, otherwise: Failure) -> Self {
        match error.raw_os_error() {
            Some(libc::EAGAIN | libc::EINPROGRESS | libc::EINTR) => Self::WouldBlock,
            Some(libc::ECONNREFUSED) => Self::Server(Failure::Refused.because("connection refused")),
            Some(libc::EHOSTUNREACH) => Self::Server(Failure::Refused.because("no route to the host")),
            Some(libc::ENETUNREACH) => Self::Server(Failure::Refused.because("the network is unreachable")),
            // Linux reports a reset after the peer's orderly end as EPIPE.
            Some(libc::EPIPE) => Self::Server(Failure::Truncated.into()),
            Some(libc::ECONNRESET | libc::ECONNABORTED) => Self::Server(Failure::Reset.into()),
            Some(libc::ETIMEDOUT) => Self::Server(Failure::Timeout.because("the kernel gave up the connection")),
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

    /// Classifies an error of making or watching a socket, which is never the server's.
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

/// The progress of a new connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    Connecting,
    /// TCP is connected; the TLS handshake runs.
    Securing,
    Ready,
}

/// The state of an idle connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Idle {
    Open,
    Closed,
    /// The server sent data without a request.
    Unasked,
}

/// One connection.
pub trait Transport {
    /// Continues connecting.
    fn establish(&mut self) -> Result<Progress, Trouble>;
    /// Reads available bytes; 0 is the end of the stream. After a bounded number of reads without payload it returns `ReadOn`.
    fn receive(&mut self, buffer: &mut [u8]) -> Result<usize, Trouble>;
    /// Sends as much of the two pieces, one after the other, as the connection takes.
    fn send(&mut self, first: &[u8], second: &[u8]) -> Result<usize, Trouble>;
    /// Sends buffered output.
    fn flush(&mut self) -> Result<(), Trouble>;
    /// The number of sent bytes that the server's machine has not acknowledged. After an orderly close these never reached the server,
    /// because its FIN acknowledges everything that it received.
    fn unacknowledged_bytes(&self) -> u64;
    /// Whether a read that did not fill its buffer has emptied the connection.
    fn short_read_empties(&self) -> bool;
    /// Checks an idle connection.
    fn idle(&mut self) -> Idle;
}

/// Opens connections to one server and waits for what happens on them.
pub trait Wire {
    type Transport: Transport;
    /// Begins a connection; its events will carry `token`.
    fn open(&mut self, token: u64) -> Result<Self::Transport, Trouble>;
    /// The same to another server.
    fn open_elsewhere(&mut self, endpoint: &Endpoint, token: u64) -> Result<Self::Transport, Trouble>;
    /// The number of addresses over which connections are dealt.
    fn addresses(&self) -> usize;
    /// Waits until `until` at the latest, and appends events.
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
            let reason = why(Trouble::of_instrument(&error(number)));
            assert!(reason.contains(step), "{reason}");
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
