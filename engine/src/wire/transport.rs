//! A connection over a socket, plain or with TLS, and where such connections lead.

use std::net::SocketAddr;
use std::sync::Arc;

use rustls::ClientConfig;
use rustls_pki_types::ServerName;

use super::socket::Socket;
use super::tls::TlsSession;
use super::{Idle, Poller, Progress, Ready, Transport, Trouble, Wire};
use crate::clock::Ns;
use crate::verify::Failure;

/// Where connections to one subject lead.
#[derive(Clone)]
pub struct Endpoint {
    pub address: SocketAddr,
    pub tls: Option<(Arc<ClientConfig>, ServerName<'static>)>,
}

/// Connections to one subject, and the poller that watches them.
pub struct RealWire {
    endpoint: Endpoint,
    poller: Poller,
}

impl RealWire {
    pub fn new(endpoint: Endpoint, poller: Poller) -> Self {
        Self { endpoint, poller }
    }
}

impl Wire for RealWire {
    type Transport = RealTransport;

    fn open(&mut self, token: u64) -> Result<RealTransport, Trouble> {
        let refused = |error: std::io::Error| Trouble::of(&error, Failure::Refused);
        let lacks = |error: std::io::Error| Trouble::of_instrument(&error);
        let socket = Socket::new(&self.endpoint.address).map_err(lacks)?;
        let connected = match socket.connect(&self.endpoint.address).map_err(refused) {
            Ok(()) => true,
            Err(Trouble::WouldBlock) => false,
            Err(trouble) => return Err(trouble),
        };
        // Watched only now: a socket that is not yet connecting would report a hang-up.
        self.poller.add(socket.fd(), token).map_err(lacks)?;
        let tls = match &self.endpoint.tls {
            None => None,
            Some((config, name)) => Some(Box::new(TlsSession::new(config, name)?)),
        };
        Ok(RealTransport { socket, connected, tls })
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
            None => self
                .socket
                .send(first, second)
                .map_err(|error| Trouble::of(&error, Failure::Reset)),
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

    fn idle(&mut self) -> Idle {
        let looked = match &mut self.tls {
            None => self.socket.peek().map_err(|error| Trouble::of(&error, Failure::Reset)),
            // Session tickets may wait unread; they are TLS's own, and no answer.
            Some(tls) => tls.receive(&self.socket, &mut [0; 1]),
        };
        match looked {
            Err(Trouble::WouldBlock) => Idle::Open,
            Ok(1..) | Err(Trouble::ReadOn) => Idle::Unasked,
            _ => Idle::Closed,
        }
    }
}
