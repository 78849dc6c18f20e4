//! Connections that carry the requests of several lanes at once: those of HTTP/2, whose lanes are streams.
//!
//! Lanes are dealt to connections by their number, as many to each as the job wants streams. A place among the lanes outlives the
//! connection that serves it: where the server takes no more requests on one, or hangs, the next opens beside it.

use std::collections::VecDeque;

use super::link::Link;
use crate::clock::Ns;
use crate::http2::{Connection, Event};
use crate::verify::Failure;
use crate::wire::{Progress, Transport, Trouble};

/// A server that then has more to say than this many pieces is at something else than serving.
const READS_WHILE_IDLE: u32 = 64;

pub(super) struct Shared<T> {
    pub link: Link<T>,
    /// Counts the connections that were dropped, so that late events of an earlier one are told apart.
    pub generation: u32,
    pub http2: Connection,
    /// Lanes whose requests wait until it is open or has room.
    pub waiting: VecDeque<u32>,
    /// Lanes, with their streams, of which a part of the body waits for the server's leave.
    pub blocked: Vec<(u32, u32)>,
    /// Whether it is among those that are to be written.
    pub dirty: bool,
    /// Takes no new request; another has its place.
    pub retired: bool,
    /// When something came last, or a request began to open it.
    pub heard: Ns,
    /// How many addresses in a row refused the connection that is being opened.
    pub refusals: usize,
}

pub(super) struct SharedConnections<T> {
    pub all: Vec<Shared<T>>,
    /// For each number of lanes that share, which of all serves them.
    places: Vec<usize>,
    /// Those that may have something to be sent.
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

    /// Closes it; events of it that are still to come will be ignored.
    pub fn drop_link(&mut self) {
        self.link = Link::None;
        self.generation = self.generation.wrapping_add(1);
        self.http2 = Connection::new();
        self.blocked.clear();
        self.heard = 0;
    }
}

impl<T> SharedConnections<T> {
    /// Which connection serves the lanes number `place`, opened or not.
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

    /// Has what a connection may have to say sent, when it is time.
    #[inline]
    pub fn mark(&mut self, at: usize) {
        if !std::mem::replace(&mut self.all[at].dirty, true) {
            self.dirty.push(at);
        }
    }
}

impl<T: Transport> Shared<T> {
    /// Reads and writes what there is while no request is under way; false where the connection is of no use any more.
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

    /// Writes all that there is, reads once, and looks at what that was.
    fn exchange_idle(&mut self, buffer: &mut [u8]) -> Result<(), Trouble> {
        const OF_NO_USE: Trouble = Trouble::Server(Failure::Reset.because("the connection is of no use any more"));
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
