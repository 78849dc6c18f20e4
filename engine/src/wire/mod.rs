//! The engine's way to the network: what a worker needs of it, and the real one made of sockets, TLS and epoll.

mod epoll;
mod resolve;
mod socket;
mod tls;
mod transport;

pub use epoll::{Interrupt, Poller};
pub use resolve::resolve;
pub use socket::Socket;
pub use tls::client_config;
pub use transport::{Endpoint, RealTransport, RealWire};

use crate::clock::Ns;
use crate::verify::Failure;

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
    /// The server's side of it.
    Server(Failure),
    /// The engine's own machine is out of something; never the server's failure.
    Instrument(&'static str),
}

impl Trouble {
    /// Sorts an error of the system; `otherwise` is what an error means that has no kind of its own.
    pub fn of(error: &std::io::Error, otherwise: Failure) -> Self {
        match error.raw_os_error() {
            Some(libc::EAGAIN | libc::EINPROGRESS | libc::EINTR) => Self::WouldBlock,
            Some(libc::ECONNREFUSED) => Self::Server(Failure::Refused),
            Some(libc::ECONNRESET | libc::EPIPE | libc::ECONNABORTED) => Self::Server(Failure::Reset),
            Some(libc::ETIMEDOUT) => Self::Server(Failure::Timeout),
            Some(libc::EADDRNOTAVAIL) => Self::Instrument("no local port was free (EADDRNOTAVAIL)"),
            Some(libc::EMFILE | libc::ENFILE) => Self::Instrument("no file descriptor was free (EMFILE)"),
            Some(libc::ENOBUFS | libc::ENOMEM) => Self::Instrument("no memory for sockets (ENOBUFS)"),
            _ => Self::Server(otherwise),
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
    /// Reads what is there; 0 is the end of the stream.
    fn receive(&mut self, buffer: &mut [u8]) -> Result<usize, Trouble>;
    /// Sends as much of the two pieces, in turn, as the connection takes.
    fn send(&mut self, first: &[u8], second: &[u8]) -> Result<usize, Trouble>;
    /// Sends what was taken and could not be sent at once.
    fn flush(&mut self) -> Result<(), Trouble>;
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
    /// Waits until `until` at the latest, and appends what happened.
    fn wait(&mut self, now: Ns, until: Ns, events: &mut Vec<Ready>) -> std::io::Result<()>;
}
