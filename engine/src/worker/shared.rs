//! Connections that carry the requests of several lanes at once: those of HTTP/2, whose lanes are streams.
//!
//! Lanes are dealt to connections by their number, `streams` to each. Where the server takes no more requests on a connection, or hangs,
//! its lanes move to a new connection beside it.

use std::collections::VecDeque;

use super::link::Link;
use crate::clock::Ns;
use crate::http2::{Connection, Event};
use crate::verify::Failure;
use crate::wire::{Progress, Transport, Trouble};

/// The most pieces that a server may send while no request is under way.
const READS_WHILE_IDLE: u32 = 64;

pub(super) struct Shared<T> {
    pub link: Link<T>,
    /// Counts dropped connections, so that late events of an earlier one are recognized.
    pub generation: u32,
    pub http2: Connection,
    /// Lanes whose requests wait until it is open or has room.
    pub waiting: VecDeque<u32>,
    /// Lanes, with their streams, whose body waits for the server's window.
    pub blocked: Vec<(u32, u32)>,
    /// Whether it is in the list of connections to write.
    pub dirty: bool,
    /// Takes no new request; another connection has replaced it.
    pub retired: bool,
    /// The last instant of input, or when a request began to open it.
    pub heard: Ns,
    /// How many addresses in a row refused the connection that is being opened.
    pub refusals: usize,
}

pub(super) struct SharedConnections<T> {
    pub all: Vec<Shared<T>>,
    /// For each group of lanes that share, the place of their connection.
    places: Vec<usize>,
    /// Connections that may have output to send.
    pub dirty: Vec<usize>,
}

impl<T> Default for SharedConnections<T> {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            places: Vec::new(),
            dirty: Vec::new(),
        }
    }
}

impl<T> Shared<T> {
    fn new() -> Self {
        Self {
            link: Link::None,
            generation: 0,
            http2: Connection::new(),
            waiting: VecDeque::new(),
            blocked: Vec::new(),
            dirty: false,
            retired: false,
            heard: 0,
            refusals: 0,
        }
    }

    /// Closes it; its later events are ignored.
    pub fn drop_link(&mut self) {
        self.link = Link::None;
        self.generation = self.generation.wrapping_add(1);
        self.http2 = Connection::new();
        self.blocked.clear();
        self.heard = 0;
    }
}

impl<T> SharedConnections<T> {
    /// The connection of the group of lanes `place`, open or not.
    #[inline]
    pub fn serving(&mut self, place: usize) -> usize {
        while self.places.len() <= place {
            self.places.push(self.all.len());
            self.all.push(Shared::new());
        }
        let serving = self.places[place];
        match self.all[serving].retired {
            true => self.replace(place),
            false => serving,
        }
    }

    fn replace(&mut self, place: usize) -> usize {
        let is_free = |shared: &Shared<T>| shared.retired && matches!(shared.link, Link::None);
        let free = self.all.iter().position(is_free).unwrap_or_else(|| {
            self.all.push(Shared::new());
            self.all.len() - 1
        });
        self.all[free].retired = false;
        self.places[place] = free;
        free
    }

    /// Marks a connection whose output may have to be sent.
    #[inline]
    pub fn mark(&mut self, at: usize) {
        if !std::mem::replace(&mut self.all[at].dirty, true) {
            self.dirty.push(at);
        }
    }
}

impl<T: Transport> Shared<T> {
    /// Reads and writes while no request is under way; false if the connection can no longer be used.
    pub fn carry_on(&mut self, buffer: &mut [u8]) -> bool {
        if self.retired {
            return false;
        }
        if let Link::Opening { transport, .. } = &mut self.link {
            match transport.establish() {
                Ok(Progress::Ready) => self.finish_opening(),
                Ok(_) | Err(Trouble::WouldBlock) => return true,
                Err(_) => return false,
            }
        }
        for _ in 0..READS_WHILE_IDLE {
            match self.exchange_idle(buffer) {
                Ok(()) => {}
                Err(Trouble::WouldBlock) => return true,
                Err(_) => return false,
            }
        }
        false
    }

    /// Writes all output, reads once, and processes the input.
    fn exchange_idle(&mut self, buffer: &mut [u8]) -> Result<(), Trouble> {
        const OF_NO_USE: Trouble = Trouble::Server(Failure::Reset.because("the connection can no longer be used"));
        let Link::Open(transport) = &mut self.link else {
            return Err(OF_NO_USE);
        };
        loop {
            let sent = transport.flush().and_then(|()| match self.http2.output() {
                [] => Err(Trouble::WouldBlock),
                output => transport.send(output, &[]),
            });
            match sent {
                Ok(count) => self.http2.advance_output(count),
                Err(Trouble::WouldBlock) => break,
                Err(trouble) => return Err(trouble),
            }
        }
        let count = transport.receive(buffer)?;
        let mut input = &buffer[..count];
        while count > 0 && self.http2.next(&mut input).map_err(|_| OF_NO_USE)? != Event::NeedMore {}
        match count == 0 || self.http2.is_leaving() {
            true => Err(OF_NO_USE),
            false => Ok(()),
        }
    }
}

impl<T> Shared<T> {
    pub fn finish_opening(&mut self) {
        if let Link::Opening { transport, .. } = std::mem::replace(&mut self.link, Link::None) {
            self.link = Link::Open(transport);
            self.refusals = 0;
        }
    }
}
