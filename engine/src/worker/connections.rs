//! Opening, probing and losing connections.

use super::drive::Drive;
use super::lane::{Lane, Pool, Task};
use super::link::{Link, lane_of, token};
use super::shared::Shared;
use super::stop_signal::StopSignal;
use crate::clock::{Clock, Ns};
use crate::http::RequestHead;
use crate::verify::{Failed, Failure, Outcome};
use crate::wire::{Idle, Progress, Ready, Transport, Trouble, Wire};

/// The most connections that are being opened at once before a slice; more would overflow a server's accept queue.
const OPENED_AT_ONCE: usize = 64;
/// The buffer for reading an idle connection.
const IDLE_BUFFER: usize = 16 * 1024;
/// The pause of a user after a shortage on the engine's machine.
pub(super) const INSTRUMENT_WAIT: Ns = 10_000_000;

impl<W: Wire> Pool<W> {
    /// Checks idle connections and opens missing ones of the first `wanted`, unmeasured, until `limit` or the stop signal.
    pub fn open_connections(
        &mut self,
        wanted: u32,
        clock: &impl Clock,
        limit: Ns,
        stop: &StopSignal,
    ) -> std::io::Result<()> {
        let wanted = wanted as usize;
        self.grow(wanted);
        for lane in &mut self.lanes {
            lane.go_to(None);
            lane.refusals = 0;
            if let Link::Open(transport) = &mut lane.link
                && transport.idle() != Idle::Open
            {
                lane.drop_link();
            }
        }
        let (mut next, mut events) = (0, Vec::new());
        loop {
            let mut opening = self
                .lanes
                .iter()
                .filter(|lane| matches!(lane.link, Link::Opening { .. }))
                .count();
            // Connections that open or fail at once must not keep the loop from checking the limit.
            while next < wanted && opening < OPENED_AT_ONCE && clock.now() < limit && !stop.is_raised() {
                opening += usize::from(self.open_ahead(next, clock.now()));
                next += 1;
            }
            let now = clock.now();
            if opening == 0 && next == wanted || now >= limit || stop.is_raised() {
                return Ok(());
            }
            self.wire.wait(now, limit, &mut events)?;
            for event in events.drain(..) {
                let (lane, generation) = lane_of(event.token);
                if self.lanes[lane].generation == generation {
                    self.lanes[lane].carry_on(clock.now());
                    self.try_next_address(lane, clock.now());
                }
            }
        }
    }

    /// Opens a lane's connection to the next address after a refusal.
    fn try_next_address(&mut self, lane: usize, now: Ns) {
        let user = &mut self.lanes[lane];
        if matches!(user.link, Link::None) && user.refusals + 1 < self.wire.addresses() {
            user.refusals += 1;
            self.open_ahead(lane, now);
        }
    }

    /// Checks idle connections and opens missing ones for the first `wanted` lanes, `streams` on each, unmeasured, until `limit` or the stop
    /// signal.
    pub fn open_shared(
        &mut self,
        wanted: u32,
        streams: u32,
        clock: &impl Clock,
        limit: Ns,
        stop: &StopSignal,
    ) -> std::io::Result<()> {
        let mut buffer = vec![0; IDLE_BUFFER];
        for shared in &mut self.shared.all {
            if !matches!(shared.link, Link::None) && !shared.carry_on(&mut buffer) {
                shared.drop_link();
            }
        }
        for place in 0..wanted.div_ceil(streams) as usize {
            let at = self.shared.serving(place);
            self.shared.all[at].refusals = 0;
            self.open_shared_ahead(at, clock.now(), &mut buffer);
        }
        let mut events = Vec::new();
        // A failed connection is opened again when a request needs it.
        let is_opening = |shared: &Shared<W::Transport>| !matches!(shared.link, Link::None) && !shared.http2.is_ready();
        while self.shared.all.iter().any(is_opening) && clock.now() < limit && !stop.is_raised() {
            self.wire.wait(clock.now(), limit, &mut events)?;
            for event in events.drain(..) {
                let (at, generation) = lane_of(event.token);
                let shared = &mut self.shared.all[at];
                if shared.generation == generation && !shared.carry_on(&mut buffer) {
                    let is_refused = matches!(shared.link, Link::Opening { .. });
                    shared.drop_link();
                    if is_refused && shared.refusals + 1 < self.wire.addresses() {
                        shared.refusals += 1;
                        self.open_shared_ahead(at, clock.now(), &mut buffer);
                    }
                }
            }
        }
        Ok(())
    }

    /// Begins to open a shared connection if there is none.
    fn open_shared_ahead(&mut self, at: usize, now: Ns, buffer: &mut [u8]) {
        let shared = &mut self.shared.all[at];
        if matches!(shared.link, Link::None)
            && let Ok(transport) = self.wire.open(token(at, shared.generation))
        {
            shared.link = Link::Opening {
                transport,
                began: now,
                connected: 0,
            };
            if !shared.carry_on(buffer) {
                shared.drop_link();
            }
        }
    }

    /// Begins to open a lane's connection if it has none; returns whether it is still being opened.
    fn open_ahead(&mut self, lane: usize, now: Ns) -> bool {
        let user = &mut self.lanes[lane];
        if matches!(user.link, Link::None) {
            if let Ok(transport) = self.wire.open(token(lane, user.generation)) {
                user.link = Link::Opening {
                    transport,
                    began: now,
                    connected: 0,
                };
                user.carry_on(now);
            } else {
                user.drop_link();
            }
        }
        matches!(self.lanes[lane].link, Link::Opening { .. })
    }
}

impl<T: Transport> Lane<T> {
    /// Continues opening a connection that no request waits for; after a failure it is opened again when one does.
    fn carry_on(&mut self, now: Ns) {
        if let Link::Opening {
            transport, connected, ..
        } = &mut self.link
        {
            match transport.establish() {
                Ok(Progress::Ready) => self.finish_opening(),
                Ok(Progress::Securing) if *connected == 0 => *connected = now,
                Ok(_) | Err(Trouble::WouldBlock) => {}
                Err(_) => self.drop_link(),
            }
        }
    }

    fn finish_opening(&mut self) {
        if let Link::Opening { transport, .. } = std::mem::replace(&mut self.link, Link::None) {
            self.link = Link::Open(transport);
        }
    }
}

impl<W: Wire, C: Clock> Drive<'_, W, C> {
    #[inline]
    pub(super) fn on_event(&mut self, lane: usize, event: Ready) {
        let user = &mut self.pool.lanes[lane];
        match (&mut user.link, user.task) {
            (Link::Open(_), Task::Asking) => {
                if event.writable && user.written < user.request_length {
                    self.send(lane);
                }
                let user = &mut self.pool.lanes[lane];
                if let (Link::Open(transport), Task::Asking, (_, generation)) =
                    (&mut user.link, user.task, lane_of(event.token))
                    && user.generation == generation
                {
                    match transport.flush() {
                        Ok(()) | Err(Trouble::WouldBlock) => self.receive(lane, event.hangup),
                        Err(trouble) => self.lose_connection(lane, trouble),
                    }
                }
            }
            (Link::Opening { .. }, Task::Connecting) => {
                self.now = self.clock.now();
                self.establish(lane);
            }
            (Link::Opening { .. }, _) => {
                self.now = self.clock.now();
                user.carry_on(self.now);
            }
            (Link::Open(transport), _) => {
                self.now = self.clock.now();
                let idle = transport.idle();
                if idle != Idle::Open {
                    user.drop_link();
                    self.recorder.closes += u64::from(idle == Idle::Closed);
                    self.recorder.unasked += u64::from(idle == Idle::Unasked);
                }
            }
            (Link::None, _) => self.now = self.clock.now(),
        }
    }

    /// Opens a connection for the current request.
    pub(super) fn connect(&mut self, lane: usize) {
        let user = &mut self.pool.lanes[lane];
        user.fresh = true;
        user.task = Task::Connecting;
        let began = self.clock.now();
        self.recorder.connects += 1;
        let token = token(lane, user.generation);
        let opened = match &user.elsewhere {
            None => self.pool.wire.open(token),
            Some(elsewhere) => self.pool.wire.open_elsewhere(&elsewhere.endpoint, token),
        };
        match opened {
            Ok(transport) => {
                user.link = Link::Opening {
                    transport,
                    began,
                    connected: 0,
                };
                self.now = self.clock.now();
                self.establish(lane);
            }
            Err(trouble) => {
                self.now = self.clock.now();
                self.lose_connection(lane, trouble);
            }
        }
    }

    /// Continues opening a connection that a request waits for.
    fn establish(&mut self, lane: usize) {
        let now = self.now;
        let user = &mut self.pool.lanes[lane];
        let Link::Opening {
            transport,
            began,
            connected,
        } = &mut user.link
        else {
            return;
        };
        match transport.establish() {
            Ok(Progress::Connecting) | Err(Trouble::WouldBlock) => {}
            Ok(Progress::Securing) => {
                if *connected == 0 {
                    *connected = now;
                }
            }
            Ok(Progress::Ready) => {
                let (connect, tls) = match *connected {
                    0 => (now.saturating_sub(*began), 0),
                    at => (at - *began, now.saturating_sub(at)),
                };
                user.finish_opening();
                self.recorder
                    .record_connect(self.pool.lanes[lane].exchange.operation, now, connect, tls);
                self.send(lane);
            }
            Err(trouble) => self.lose_connection(lane, trouble),
        }
    }

    /// The connection of the current request broke: the request is sent again if that is allowed, and has failed otherwise.
    pub(super) fn lose_connection(&mut self, lane: usize, trouble: Trouble) {
        let failed = match trouble {
            Trouble::WouldBlock | Trouble::ReadOn => return,
            Trouble::Server(failed) => failed,
            Trouble::Instrument(why) => {
                self.recorder.instrument = Some(why);
                self.pool.lanes[lane].drop_link();
                return self.set_aside(lane);
            }
        };
        let failed = self.with_progress(lane, failed);
        let user = &mut self.pool.lanes[lane];
        let addresses = match &user.elsewhere {
            None => self.pool.wire.addresses(),
            Some(elsewhere) => elsewhere.endpoint.addresses.len(),
        };
        let was_open = matches!(user.link, Link::Open(_));
        self.recorder.closes += u64::from(was_open);
        // The server closed its side in order and had not received any of the request: it cannot have carried it out.
        let never_arrived = failed.kind == Failure::Truncated
            && matches!(&user.link, Link::Open(transport) if transport.unacknowledged_bytes() >= user.written as u64);
        user.drop_link();
        if !was_open && trouble.is_refusal() && user.refusals + 1 < addresses {
            user.refusals += 1;
            return self.connect(lane);
        }
        if self.is_repeated(lane, failed, never_arrived) {
            self.connect(lane);
        }
    }

    /// Drops the connection of an answer that is no longer awaited, so that late bytes are not taken for another answer.
    pub(super) fn give_up_connection(&mut self, lane: usize) {
        match self.plan.streams {
            None => self.pool.lanes[lane].drop_link(),
            Some(_) => self.give_up_stream(lane),
        }
    }

    /// The failure of the current request, with its progress as the cause if the kind does not show one.
    pub(super) fn with_progress(&self, lane: usize, failed: Failed) -> Failed {
        let user = &self.pool.lanes[lane];
        if !failed.cause.is_empty() || !matches!(failed.kind, Failure::Reset | Failure::Truncated | Failure::Timeout) {
            return failed;
        }
        failed.kind.because(match (user.task, user.exchange.first_byte) {
            (Task::Connecting, _) => "while connecting",
            (_, 0) => "before the answer",
            _ => "during the answer",
        })
    }

    /// Whether the current request is sent again after this failure: once, if a reused connection ended before a byte of the answer. The
    /// request must have `never_arrived`, or must be safe to repeat and have met a reset, as of a server that closed when it came. An
    /// orderly end after the server received the request is the server's failure.
    pub(super) fn is_repeated(&mut self, lane: usize, failed: Failed, never_arrived: bool) -> bool {
        let user = &mut self.pool.lanes[lane];
        let reset = failed.kind == Failure::Reset;
        let stale = !user.fresh && user.exchange.first_byte == 0 && (never_arrived || reset);
        let entry = &self.plan.corpus.entries[user.exchange.entry as usize];
        let head = self.plan.heads[entry.line as usize].as_ref();
        let became_get = user.hop.as_ref().is_some_and(|hop| hop.is_get());
        let idempotent = became_get || head.is_some_and(RequestHead::is_idempotent);
        let may_repeat = entry.safe || idempotent || never_arrived;
        if !stale || !may_repeat || user.retried {
            let failed = match stale {
                true => Failure::StaleFailed.because(failed.cause),
                false => failed,
            };
            self.finish(lane, Outcome::Failed(failed), None);
            return false;
        }
        user.retried = true;
        user.written = 0;
        self.recorder.record_reconnect(user.exchange.operation, self.now);
        self.recorder.repeated += u64::from(!never_arrived);
        true
    }
}
