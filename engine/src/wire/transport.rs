//! A connection over a socket, plain or with TLS, and its endpoint.

use std::net::SocketAddr;
use std::sync::Arc;

use rustls::ClientConfig;
use rustls_pki_types::ServerName;

use super::socket::Socket;
use super::tls::TlsSession;
use super::{Idle, Poller, Progress, Ready, Transport, Trouble, Wire};
use crate::clock::Ns;
use crate::verify::Failure;

/// The endpoint of connections to one subject: one address or several, over which they are dealt in turn.
#[derive(Clone)]
pub struct Endpoint {
    pub addresses: Vec<SocketAddr>,
    pub tls: Option<(Arc<ClientConfig>, ServerName<'static>)>,
}

/// Connections to one subject, and the poller that watches them.
pub struct RealWire {
    endpoint: Endpoint,
    poller: Poller,
    /// The number of connections opened so far, offset so that several threads begin with different addresses.
    opened: usize,
}

impl RealWire {
    /// `first` is the place of the first address: several threads begin with different ones.
    pub fn new(endpoint: Endpoint, poller: Poller, first: usize) -> Self {
        Self {
            endpoint,
            poller,
            opened: first,
        }
    }
}

impl Endpoint {
    /// Begins a connection, the `number`th to it; its events will carry `token`.
    fn open(&self, number: usize, poller: &Poller, token: u64) -> Result<RealTransport, Trouble> {
        let refused = |error: std::io::Error| Trouble::of(&error, Failure::Refused);
        let lacks = |error: std::io::Error| Trouble::of_instrument(&error);
        let address = self.addresses[number % self.addresses.len()];
        let socket = Socket::new(&address).map_err(lacks)?;
        let connected = match socket.connect(&address).map_err(refused) {
            Ok(()) => true,
            Err(Trouble::WouldBlock) => false,
            Err(trouble) => return Err(trouble),
        };
        // Registered only now: a socket that is not connecting yet would report a hang-up.
        poller.add(socket.fd(), token).map_err(lacks)?;
        let tls = match &self.tls {
            None => None,
            Some((config, name)) => Some(Box::new(TlsSession::new(config, name)?)),
        };
        Ok(RealTransport {
            socket,
            connected,
            tls,
            taken: 0,
        })
    }
}

impl Wire for RealWire {
    type Transport = RealTransport;

    fn open(&mut self, token: u64) -> Result<RealTransport, Trouble> {
        self.opened += 1;
        self.endpoint.open(self.opened - 1, &self.poller, token)
    }

    fn open_elsewhere(&mut self, endpoint: &Endpoint, token: u64) -> Result<RealTransport, Trouble> {
        self.opened += 1;
        endpoint.open(self.opened - 1, &self.poller, token)
    }

    fn addresses(&self) -> usize {
        self.endpoint.addresses.len()
    }

    #[inline]
    fn wait(&mut self, now: Ns, until: Ns, events: &mut Vec<Ready>) -> std::io::Result<()> {
        self.poller.wait(now, until, events)
    }
}

pub struct RealTransport {
    socket: Socket,
    connected: bool,
    tls: Option<Box<TlsSession>>,
    /// The number of bytes given to the system without TLS.
    taken: u64,
}

impl Transport for RealTransport {
    fn establish(&mut self) -> Result<Progress, Trouble> {
        if !self.connected {
            self.socket
                .connect_error()
                .map_err(|error| Trouble::of(&error, Failure::Refused))?;
            if !self.socket.is_connected() {
                return Ok(Progress::Connecting);
            }
            self.connected = true;
        }
        match &mut self.tls {
            None => Ok(Progress::Ready),
            Some(tls) => tls.handshake(&self.socket),
        }
    }

    #[inline]
    fn receive(&mut self, buffer: &mut [u8]) -> Result<usize, Trouble> {
        match &mut self.tls {
            None => self
                .socket
                .receive(buffer)
                .map_err(|error| Trouble::of(&error, Failure::Reset)),
            Some(tls) => tls.receive(&self.socket, buffer),
        }
    }

    #[inline]
    fn send(&mut self, first: &[u8], second: &[u8]) -> Result<usize, Trouble> {
        match &mut self.tls {
            None => {
                let sent = self.socket.send(first, second);
                let count = sent.map_err(|error| Trouble::of(&error, Failure::Reset))?;
                self.taken += count as u64;
                Ok(count)
            }
            Some(tls) => tls.send(&self.socket, first, second),
        }
    }

    fn flush(&mut self) -> Result<(), Trouble> {
        match &mut self.tls {
            None => Ok(()),
            Some(tls) => tls.flush(&self.socket),
        }
    }

    #[inline]
    fn short_read_empties(&self) -> bool {
        self.tls.is_none()
    }

    fn unacknowledged_bytes(&self) -> u64 {
        let taken = self.tls.as_ref().map_or(self.taken, |tls| tls.bytes_taken());
        // If the system does not report it, all bytes may have arrived.
        self.socket
            .acknowledged_bytes()
            .map_or(0, |bytes| taken.saturating_sub(bytes))
    }

    fn idle(&mut self) -> Idle {
        let looked = match &mut self.tls {
            None => self.socket.peek().map_err(|error| Trouble::of(&error, Failure::Reset)),
            // Unread session tickets belong to TLS and are not an answer.
            Some(tls) => tls.receive(&self.socket, &mut [0; 1]),
        };
        match looked {
            Err(Trouble::WouldBlock) => Idle::Open,
            Ok(1..) | Err(Trouble::ReadOn) => Idle::Unasked,
            _ => Idle::Closed,
        }
    }
}
