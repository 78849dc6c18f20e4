//! Requests as streams of shared connections.

use super::drive::Drive;
use super::exchange::READS_A_TURN;
use super::lane::Task;
use super::link::{Link, lane_of, token};
use super::redirects::Conclusion;
use crate::clock::{Clock, wall_seconds};
use crate::http::{Malformed, Unpacker, WantedFields};
use crate::http2::{Event, Variable};
use crate::verify::{Failed, Failure, Outcome};
use crate::wire::{Progress, Ready, Transport, Trouble, Wire};

const STREAM_RESET: Failed = Failure::Reset.because("the server reset the stream");
const STREAM_REFUSED: Failed = Failure::Refused.because("the server refused the stream twice");

impl<W: Wire, C: Clock> Drive<'_, W, C> {
    /// Sends the current request as soon as the lane's connection is open and the server allows a stream.
    #[inline]
    pub(super) fn ask(&mut self, lane: usize) {
        let Some(streams) = self.plan.streams else { return };
        let at = self.pool.shared.serving(lane / streams as usize);
        let shared = &mut self.pool.shared.all[at];
        let ready = shared.http2.is_ready();
        if shared.waiting.is_empty() && shared.http2.can_ask(streams) {
            return self.send_on(lane, at);
        }
        shared.waiting.push_back(lane as u32);
        let user = &mut self.pool.lanes[lane];
        user.fresh = !ready;
        user.task = Task::Connecting;
        if shared.http2.is_leaving() {
            // All stream numbers are used.
            shared.retired = true;
            self.move_waiting(at);
            self.close_if_left(at);
        } else if matches!(shared.link, Link::None) {
            self.connect_shared(at);
        }
    }

    /// Sends waiting requests, as many as the connection allows.
    fn ask_waiting(&mut self, at: usize) {
        let Some(streams) = self.plan.streams else { return };
        while !self.pool.shared.all[at].retired
            && self.pool.shared.all[at].http2.can_ask(streams)
            && let Some(lane) = self.pool.shared.all[at].waiting.pop_front()
        {
            self.send_on(lane as usize, at);
        }
    }

    /// Starts the request on a new stream; it is written at the end of this pass.
    #[inline]
    fn send_on(&mut self, lane: usize, at: usize) {
        let user = &mut self.pool.lanes[lane];
        let shared = &mut self.pool.shared.all[at];
        let entry = &self.plan.corpus.entries[user.exchange.entry as usize];
        let line = entry.line as usize;
        let (Some(head), Some(fields)) = (&self.plan.heads[line], &self.plan.fields[line]) else {
            return;
        };
        let wanted = self.plan.steps[usize::from(user.card.part)].wanted_fields(user.step);
        let mut body = self.plan.corpus.body(entry);
        if head.is_filled() {
            if !user.retried && user.hop.is_none() {
                let number = self.plan.next_filled();
                user.stamp = user.stamp.next(&mut user.rng, wall_seconds(), number);
            }
            self.scratch.body.clear();
            head.fill_body(body, &user.values, &user.stamp, &mut self.scratch.body);
            body = &self.scratch.body;
        }
        let in_session = wanted != WantedFields::None;
        if in_session {
            user.prepare_cookies(head, &self.plan.site);
        }
        let before = shared.http2.output_total();
        let id = match user.redirected_head(head, body, in_session) {
            Some((own, keeps_body)) => {
                body = if keeps_body { body } else { &[] };
                shared
                    .http2
                    .start_redirected(lane as u32, fields, &own, !body.is_empty())
            }
            None => {
                let variable = Variable {
                    body,
                    cookies: in_session.then(|| user.jar.line()),
                    values: &user.values,
                    stamp: &user.stamp,
                };
                shared.http2.start_request(lane as u32, fields, &variable).0
            }
        };
        user.written = shared.http2.send_body(id, body);
        user.request_length = body.len();
        if user.written < user.request_length {
            shared.blocked.push((lane as u32, id));
        }
        let out = (shared.http2.output_total() - before) as usize;
        user.stream = Some((at, id));
        user.used = true;
        user.task = Task::Asking;
        user.body_begun = false;
        user.unpacker = None;
        user.reader.reset(wanted, head.answers_head());
        user.check.reset(&self.rules[usize::from(entry.rule)]);
        self.now = self.clock.now();
        // The time of a chain of redirects runs from its first request.
        if user.hop.is_none() {
            user.exchange.sent = self.now;
        }
        self.recorder.record_bytes(user.exchange.operation, self.now, out, 0);
        self.pool.shared.mark(at);
    }

    /// Continues bodies that waited for the server's window or for the socket.
    fn send_blocked(&mut self, at: usize) {
        let blocked = std::mem::take(&mut self.pool.shared.all[at].blocked);
        for (lane, id) in blocked {
            let user = &mut self.pool.lanes[lane as usize];
            if user.stream != Some((at, id)) {
                continue;
            }
            let entry = &self.plan.corpus.entries[user.exchange.entry as usize];
            let mut body = self.plan.corpus.body(entry);
            if let Some(head) = &self.plan.heads[entry.line as usize]
                && head.is_filled()
            {
                self.scratch.body.clear();
                head.fill_body(body, &user.values, &user.stamp, &mut self.scratch.body);
                body = &self.scratch.body;
            }
            let shared = &mut self.pool.shared.all[at];
            let before = shared.http2.output_total();
            user.written += shared.http2.send_body(id, &body[user.written.min(body.len())..]);
            let out = (shared.http2.output_total() - before) as usize;
            self.recorder.record_bytes(user.exchange.operation, self.now, out, 0);
            if user.written < user.request_length {
                shared.blocked.push((lane, id));
            }
            self.pool.shared.mark(at);
        }
    }

    fn connect_shared(&mut self, at: usize) {
        let shared = &mut self.pool.shared.all[at];
        self.recorder.connects += 1;
        let began = self.clock.now();
        let opened = self.pool.wire.open(token(at, shared.generation));
        self.now = self.clock.now();
        shared.heard = self.now;
        match opened {
            Ok(transport) => {
                shared.link = Link::Opening {
                    transport,
                    began,
                    connected: 0,
                };
                self.establish_shared(at);
            }
            Err(trouble) => self.lose(at, trouble),
        }
    }

    fn establish_shared(&mut self, at: usize) {
        let now = self.now;
        let shared = &mut self.pool.shared.all[at];
        let Link::Opening {
            transport,
            began,
            connected,
        } = &mut shared.link
        else {
            return;
        };
        match transport.establish() {
            Ok(Progress::Connecting) | Err(Trouble::WouldBlock) => {}
            Ok(Progress::Securing) if *connected == 0 => *connected = now,
            Ok(Progress::Securing) => {}
            Ok(Progress::Ready) => {
                let (connect, tls) = match *connected {
                    0 => (now.saturating_sub(*began), 0),
                    up => (up - *began, now.saturating_sub(up)),
                };
                shared.finish_opening();
                if let Some(lane) = shared.waiting.front() {
                    let operation = self.pool.lanes[*lane as usize].exchange.operation;
                    self.recorder.record_connect(operation, now, connect, tls);
                }
                self.pool.shared.mark(at);
            }
            Err(trouble) => self.lose(at, trouble),
        }
    }

    /// Handles an event of a shared connection.
    #[inline]
    pub(super) fn on_shared_event(&mut self, event: Ready) {
        let (at, generation) = lane_of(event.token);
        if self.pool.shared.all[at].generation != generation {
            return;
        }
        self.now = self.clock.now();
        if matches!(self.pool.shared.all[at].link, Link::Opening { .. }) {
            self.establish_shared(at);
        }
        if event.writable {
            self.pool.shared.mark(at);
        }
        self.read_shared(at, event.hangup);
    }

    /// Continues reading where one pass was not enough.
    pub(super) fn read_on_shared(&mut self, token: u64, hangup: bool) {
        let (at, generation) = lane_of(token);
        if self.pool.shared.all[at].generation == generation {
            self.read_shared(at, hangup);
        }
    }

    fn read_shared(&mut self, at: usize, hangup: bool) {
        let generation = self.pool.shared.all[at].generation;
        for _ in 0..READS_A_TURN {
            let shared = &mut self.pool.shared.all[at];
            let Link::Open(transport) = &mut shared.link else {
                return;
            };
            let received = transport.receive(&mut self.scratch.buffer);
            let empties = transport.short_read_empties() && !hangup;
            self.now = self.clock.now();
            let count = match received {
                Ok(0) => return self.lose(at, Trouble::Server(Failure::Truncated.into())),
                Ok(count) => count,
                Err(Trouble::WouldBlock) => return,
                Err(Trouble::ReadOn) => break,
                Err(trouble) => return self.lose(at, trouble),
            };
            shared.heard = self.now;
            // The buffer is taken out while it is processed; meanwhile nothing is sent or read.
            let buffer = std::mem::take(&mut self.scratch.buffer);
            let full = count == buffer.len();
            let taken = self.take_in(at, generation, &buffer[..count]);
            self.scratch.buffer = buffer;
            if let Err(why) = taken {
                return self.lose(at, Trouble::Server(why.into()));
            }
            if self.pool.shared.all[at].generation != generation || !full && empties {
                return;
            }
        }
        let token = token(at, generation);
        match self.unread.iter_mut().find(|(other, _)| *other == token) {
            Some((_, hung_up)) => *hung_up |= hangup,
            None => self.unread.push((token, hangup)),
        }
    }

    /// Processes the server's input; an error ends the connection.
    #[inline]
    fn take_in(&mut self, at: usize, generation: u32, bytes: &[u8]) -> Result<(), Malformed> {
        let mut input = bytes;
        while self.pool.shared.all[at].generation == generation {
            match self.pool.shared.all[at].http2.next(&mut input)? {
                Event::NeedMore => break,
                Event::Ready => self.ask_waiting(at),
                Event::Head { lane, end, size } => self.on_head(at, lane as usize, end, size),
                Event::Body {
                    lane,
                    bytes,
                    end,
                    beside,
                } => self.on_body(lane as usize, bytes, end, beside),
                Event::Trailers { lane, size } => self.on_trailers(at, lane as usize, size),
                Event::Reset { lane, refused } => {
                    let lane = lane as usize;
                    self.pool.lanes[lane].stream = None;
                    match refused {
                        true => self.turned_away(lane, false),
                        // The connection works, so it was not stale.
                        false => self.finish(lane, Outcome::Failed(STREAM_RESET), None),
                    }
                    self.ask_waiting(at);
                }
                Event::Leaving => self.leave(at),
                Event::Room => {
                    self.send_blocked(at);
                    self.ask_waiting(at);
                }
            }
            self.close_if_left(at);
        }
        if !self.pool.shared.all[at].http2.output().is_empty() {
            self.pool.shared.mark(at);
        }
        Ok(())
    }

    #[inline]
    fn on_head(&mut self, at: usize, lane: usize, end: bool, size: usize) {
        let user = &mut self.pool.lanes[lane];
        if user.exchange.first_byte == 0 {
            user.exchange.first_byte = self.now;
        }
        self.recorder.record_bytes(user.exchange.operation, self.now, 0, size);
        let fields = self.pool.shared.all[at].http2.fields();
        let rule = &self.rules[usize::from(self.plan.corpus.entries[user.exchange.entry as usize].rule)];
        match user.reader.take_fields(fields.iter(), end) {
            Ok(false) => {}
            Ok(true) => {
                user.check.take_fields(rule, fields.iter());
                user.unpacker = Unpacker::new(user.reader.coding());
                if end {
                    self.complete(lane, None, Ok(()));
                }
            }
            Err(why) => self.complete(lane, None, Err(why)),
        }
    }

    #[inline]
    fn on_body(&mut self, lane: usize, bytes: &[u8], end: bool, beside: usize) {
        let user = &mut self.pool.lanes[lane];
        self.recorder
            .record_bytes(user.exchange.operation, self.now, 0, bytes.len() + beside);
        let entry = &self.plan.corpus.entries[user.exchange.entry as usize];
        let rule = &self.rules[usize::from(entry.rule)];
        let whole = end && !user.body_begun && !bytes.is_empty() && user.unpacker.is_none();
        let mut taken = user.reader.take_piece(bytes.len());
        if !bytes.is_empty() {
            user.body_begun = true;
            if user.unpacker.is_some() {
                taken = taken.and_then(|()| user.unpack(rule, Some(bytes), &mut self.scratch.room));
            } else {
                user.check.feed(rule, bytes, whole);
                if !whole {
                    user.keep(bytes, &mut self.scratch.room);
                }
            }
        }
        self.record_events(lane);
        if end || taken.is_err() {
            self.complete(lane, whole.then_some(bytes), taken);
        }
    }

    fn on_trailers(&mut self, at: usize, lane: usize, size: usize) {
        let user = &mut self.pool.lanes[lane];
        let fields = self.pool.shared.all[at].http2.fields();
        let rule = &self.rules[usize::from(self.plan.corpus.entries[user.exchange.entry as usize].rule)];
        user.check.take_fields(rule, fields.iter());
        self.on_body(lane, &[], true, size);
    }

    /// The answer has ended, complete or broken; `whole` is its body if it came in one piece.
    #[inline]
    fn complete(&mut self, lane: usize, whole: Option<&[u8]>, taken: Result<(), Malformed>) {
        let user = &mut self.pool.lanes[lane];
        let entry = &self.plan.corpus.entries[user.exchange.entry as usize];
        let rule = &self.rules[usize::from(entry.rule)];
        let ended = taken
            .and_then(|()| user.reader.take_end())
            .and_then(|()| user.unpack(rule, None, &mut self.scratch.room));
        let concluded = match ended {
            Ok(()) => self.conclude(lane, whole),
            Err(why) => Conclusion::Judged(Ok(Outcome::Failed(why.into()))),
        };
        self.end_stream(lane, ended.is_ok());
        match concluded {
            Conclusion::Redirected(redirect) => self.follow_redirect(lane, redirect),
            Conclusion::Judged(Ok(outcome)) => {
                if let Some(body) = whole
                    && self.is_sampled(lane, outcome)
                {
                    self.keep_sample(lane, body);
                }
                self.finish(lane, outcome, None);
            }
            Conclusion::Judged(Err(Trouble::Instrument(why))) => {
                self.recorder.instrument = Some(why);
                self.set_aside(lane);
            }
            // Judging an answer finds nothing else.
            Conclusion::Judged(Err(_)) => self.finish(lane, Outcome::failed(Failure::Malformed), None),
        }
    }

    /// Forgets the lane's stream.
    #[inline]
    fn end_stream(&mut self, lane: usize, answered: bool) {
        let Some((at, id)) = self.pool.lanes[lane].stream.take() else {
            return;
        };
        self.pool.shared.all[at].http2.close(id, answered);
        self.ask_waiting(at);
        self.pool.shared.mark(at);
    }

    /// Gives up the lane's stream, and its connection if the server seems to hang.
    pub(super) fn give_up_stream(&mut self, lane: usize) {
        let Some(streams) = self.plan.streams else { return };
        let place = lane / streams as usize;
        let stream = self.pool.lanes[lane].stream;
        let at = stream.map_or_else(|| self.pool.shared.serving(place), |(at, _)| at);
        let shared = &mut self.pool.shared.all[at];
        shared.waiting.retain(|other| *other as usize != lane);
        let silent = shared.heard < self.pool.lanes[lane].exchange.taken_up;
        shared.retired |= silent;
        self.end_stream(lane, false);
        if silent {
            self.move_waiting(at);
        }
        self.close_if_left(at);
    }

    /// The server takes no more requests on this connection. After an orderly GOAWAY, requests that it did not process go to another
    /// connection.
    fn leave(&mut self, at: usize) {
        let shared = &mut self.pool.shared.all[at];
        self.recorder.closes += u64::from(!shared.retired);
        shared.retired = true;
        let (orderly, served) = (shared.http2.leaves_in_order(), shared.http2.has_served());
        let why = shared.http2.why_left();
        let unprocessed = shared.http2.take_unprocessed();
        let waiting = std::mem::take(&mut shared.waiting);
        for lane in unprocessed {
            self.pool.lanes[lane as usize].stream = None;
            match orderly {
                true => self.turned_away(lane as usize, served),
                false => self.finish(lane as usize, Outcome::Failed(Failure::Reset.because(why)), None),
            }
        }
        for lane in waiting {
            // Requests are not sent again for ever to a server that leaves before it answers anything.
            match served {
                true => self.ask(lane as usize),
                false => self.turned_away(lane as usize, false),
            }
        }
    }

    /// Moves requests that wait for a closing connection to the next one.
    fn move_waiting(&mut self, at: usize) {
        for lane in std::mem::take(&mut self.pool.shared.all[at].waiting) {
            self.ask(lane as usize);
        }
    }

    /// Closes a replaced connection after its last answer.
    #[inline]
    fn close_if_left(&mut self, at: usize) {
        let shared = &mut self.pool.shared.all[at];
        if shared.retired && shared.http2.in_flight() == 0 && !matches!(shared.link, Link::None) {
            shared.drop_link();
        }
    }

    /// The server did not process the request, so it may be sent again whatever it does (RFC 9113, 8.7): once, or until its timeout if
    /// each of the server's connections `served` others.
    fn turned_away(&mut self, lane: usize, served: bool) {
        let user = &mut self.pool.lanes[lane];
        if user.retried && !served {
            return self.finish(lane, Outcome::Failed(STREAM_REFUSED), None);
        }
        user.retried = true;
        user.written = 0;
        self.recorder.record_reconnect(user.exchange.operation, self.now);
        self.ask(lane);
    }

    /// The request's stream or connection ended without an answer.
    fn end_without_answer(&mut self, lane: usize, failed: Failed) {
        let failed = self.with_progress(lane, failed);
        if self.is_repeated(lane, failed, false) {
            self.ask(lane);
        }
    }

    /// A connection broke or could not be opened; this ends the requests on it.
    fn lose(&mut self, at: usize, trouble: Trouble) {
        let addresses = self.pool.wire.addresses();
        let shared = &mut self.pool.shared.all[at];
        let was_open = matches!(shared.link, Link::Open(_));
        if !was_open && trouble.is_refusal() && shared.refusals + 1 < addresses {
            shared.refusals += 1;
            shared.drop_link();
            return self.connect_shared(at);
        }
        shared.refusals = 0;
        self.recorder.closes += u64::from(was_open && !shared.retired);
        let (was_ready, was_left, why) = (shared.http2.is_ready(), shared.http2.is_left(), shared.http2.why_left());
        let abandoned = shared.http2.abandon();
        let waiting = std::mem::take(&mut shared.waiting);
        shared.drop_link();
        for lane in &abandoned {
            self.pool.lanes[*lane as usize].stream = None;
        }
        let lanes = abandoned.into_iter().chain(waiting).map(|lane| lane as usize);
        match trouble {
            Trouble::Instrument(why) => {
                self.recorder.instrument = Some(why);
                lanes.for_each(|lane| self.set_aside(lane));
            }
            Trouble::Server(failed) => lanes.for_each(|lane| match self.pool.lanes[lane].task {
                Task::Connecting if was_ready => self.ask(lane),
                // The server had promised to answer these.
                Task::Asking if was_left => self.finish(lane, Outcome::Failed(failed.kind.because(why)), None),
                _ => self.end_without_answer(lane, failed),
            }),
            Trouble::WouldBlock | Trouble::ReadOn => {}
        }
    }

    /// Writes the output of this pass.
    #[inline]
    pub(super) fn write_shared(&mut self) {
        while let Some(at) = self.pool.shared.dirty.pop() {
            self.pool.shared.all[at].dirty = false;
            self.write(at);
        }
    }

    #[inline]
    fn write(&mut self, at: usize) {
        loop {
            let shared = &mut self.pool.shared.all[at];
            let Link::Open(transport) = &mut shared.link else {
                return;
            };
            let sent = transport.flush().and_then(|()| match shared.http2.output() {
                [] => Err(Trouble::WouldBlock),
                output => transport.send(output, &[]),
            });
            match sent {
                Ok(count) => {
                    shared.http2.advance_output(count);
                    if !shared.blocked.is_empty() {
                        self.send_blocked(at);
                    }
                }
                Err(Trouble::WouldBlock | Trouble::ReadOn) => return,
                // The server may have answered before it closed, so its answers are read first.
                Err(Trouble::Server(_)) => return self.read_shared(at, true),
                Err(trouble) => return self.lose(at, trouble),
            }
        }
    }
}
