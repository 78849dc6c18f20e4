//! One request and its answer: sent with one write, read with one read, judged, recorded.

use super::drive::{Drive, Phase};
use super::lane::{Digest, Task};
use super::link::{Link, token};
use super::redirects::Conclusion;
use crate::clock::{Clock, Ns, wall_seconds};
use crate::http::WantedFields;
use crate::job::ConnectionUse;
use crate::plan::Steps;
use crate::record::Edges;
use crate::session::MOST_SCANNED;
use crate::verify::{Failed, Failure, Outcome};
use crate::wire::{Idle, Transport, Trouble, Wire};

/// The largest body that is copied behind its head and sent with it; a larger one is sent from the corpus.
const COPIED_BODY: usize = 16 * 1024;
/// The most bytes kept of an answer in pieces: if a rule's expression or a sample needs it, and if it might become a sample by failing.
const KEPT_IF_NEEDED: usize = 16 * 1024 * 1024;
const KEPT_IN_CASE: usize = 16 * 1024;
const SURPLUS: Failed = Failure::Malformed.because("more bytes than the answer has");
/// The most reads of one connection in one pass.
pub(super) const READS_A_TURN: u32 = 16;

impl<W: Wire, C: Clock> Drive<'_, W, C> {
    /// Takes up the request of the lane's card and step, due at `due`.
    #[inline]
    pub(super) fn begin(&mut self, lane: usize, due: Ns, card_number: u64) {
        let user = &mut self.pool.lanes[lane];
        let part = usize::from(user.card.part);
        let operation = self.plan.mix[part].operations[user.step];
        let entry = self.plan.deck.entry(user.card, user.step, operation);
        let exchange = &mut user.exchange;
        exchange.operation = operation;
        exchange.entry = entry;
        exchange.card = card_number;
        exchange.due = due;
        exchange.taken_up = self.now;
        exchange.sent = 0;
        exchange.first_byte = 0;
        exchange.first_event = 0;
        exchange.newest_event = 0;
        exchange.status = 0;
        user.written = 0;
        user.fresh = false;
        user.retried = false;
        user.refusals = 0;
        user.kept_whole = true;
        user.hop = None;
        if user.elsewhere.is_some() {
            user.go_to(None);
        }
        let rule = &self.rules[usize::from(self.plan.corpus.entries[entry as usize].rule)];
        user.keep_limit = if rule.reads_text() || self.samples.chooses(card_number) {
            KEPT_IF_NEEDED
        } else if self.plan.steps[part].reads_body(user.step) {
            MOST_SCANNED
        } else if self.samples.wants_failures() {
            KEPT_IN_CASE
        } else {
            0
        };
        user.reader.keep_heads(self.samples.wants_failures());
        self.recorder.start(operation, due, self.now);
        self.in_flight += 1;
        self.next_expiry = self.next_expiry.min(self.now + self.plan.timeout);
        if self.plan.streams.is_some() {
            return self.ask(lane);
        }
        match &mut user.link {
            Link::Open(transport) => {
                // Data that the server sent before any request must not pass for an answer.
                if !user.used && transport.idle() == Idle::Unasked {
                    user.drop_link();
                    user.exchange.first_byte = self.now;
                    user.reader.reset(WantedFields::None, false);
                    let unasked = Failure::Malformed.because("the server sent data before the request");
                    return self.finish(lane, Outcome::Failed(unasked), None);
                }
                self.send(lane);
            }
            Link::Opening { .. } => {
                user.fresh = true;
                user.task = Task::Connecting;
            }
            Link::None => self.connect(lane),
        }
    }

    /// Sends the request or its rest.
    #[inline]
    pub(super) fn send(&mut self, lane: usize) {
        let user = &mut self.pool.lanes[lane];
        let entry = &self.plan.corpus.entries[user.exchange.entry as usize];
        let body = self.plan.corpus.body(entry);
        let Some(head) = &self.plan.heads[entry.line as usize] else {
            return;
        };
        let wanted = self.plan.steps[usize::from(user.card.part)].wanted_fields(user.step);
        if head.is_filled() && user.written == 0 && !user.retried && user.hop.is_none() {
            let number = self.plan.next_filled();
            user.stamp = user.stamp.next(&mut user.rng, wall_seconds(), number);
        }
        let in_session = wanted != WantedFields::None;
        if in_session && user.written == 0 {
            user.prepare_cookies(head, &self.plan.site);
        }
        let Link::Open(transport) = &mut user.link else { return };
        let cookies = match (in_session, &user.elsewhere) {
            (true, _) => Some(user.jar.line()),
            (false, Some(_)) => Some(b"".as_slice()),
            (false, None) => None,
        };
        let request = &mut self.scratch.request;
        request.clear();
        let mut rest = body;
        if head.is_filled() {
            let filled = &mut self.scratch.body;
            filled.clear();
            head.fill_body(body, &user.values, &user.stamp, filled);
            head.write_filled(request, filled, cookies, &user.values, &user.stamp);
            rest = filled;
        } else {
            head.write(request, body.len(), cookies);
        }
        if let Some(hop) = &user.hop {
            let first = request.clone();
            request.clear();
            hop.write(&first, user.elsewhere.is_some(), request);
            if !hop.keeps_body {
                rest = &[];
            }
        }
        user.request_length = request.len() + rest.len();
        if rest.len() <= COPIED_BODY {
            request.extend_from_slice(rest);
            rest = &[];
        }
        if user.written == 0 {
            user.used = true;
            user.task = Task::Asking;
            user.reader.reset(wanted, head.answers_head());
            user.check.reset(&self.rules[usize::from(entry.rule)]);
            self.now = self.clock.now();
            // The time of a chain of redirects runs from its first request.
            if user.hop.is_none() {
                user.exchange.sent = self.now;
            }
        }
        while user.written < user.request_length {
            let first = request.get(user.written..).unwrap_or_default();
            let second = &rest[user.written.saturating_sub(request.len()).min(rest.len())..];
            match transport.send(first, second) {
                Ok(count) => {
                    user.written += count;
                    self.recorder.record_bytes(user.exchange.operation, self.now, count, 0);
                }
                Err(Trouble::WouldBlock) => return,
                // The server may have answered before it closed, so its answer is read first.
                Err(Trouble::Server(_)) => return self.receive(lane, true),
                Err(trouble) => return self.lose_connection(lane, trouble),
            }
        }
    }

    /// Reads input for the current request.
    #[inline]
    pub(super) fn receive(&mut self, lane: usize, hangup: bool) {
        for _ in 0..READS_A_TURN {
            let user = &mut self.pool.lanes[lane];
            let Link::Open(transport) = &mut user.link else { return };
            let received = transport.receive(&mut self.scratch.buffer);
            let empties = transport.short_read_empties() && !hangup;
            self.now = self.clock.now();
            let count = match received {
                Ok(0) => return self.end_of_stream(lane),
                Ok(count) => count,
                Err(Trouble::ReadOn) => break,
                Err(trouble) => return self.lose_connection(lane, trouble),
            };
            let exchange = &mut user.exchange;
            if exchange.first_byte == 0 {
                exchange.first_byte = self.now;
            }
            self.recorder.record_bytes(exchange.operation, self.now, 0, count);
            let rule = usize::from(self.plan.corpus.entries[exchange.entry as usize].rule);
            // The buffer is taken out while the answer is read, and put back before anything is sent.
            let buffer = std::mem::take(&mut self.scratch.buffer);
            let full = count == buffer.len();
            let digest = user.digest(&self.rules[rule], &buffer[..count], &mut self.scratch.room);
            self.record_events(lane);
            let ended = match digest {
                Digest::Pending => None,
                Digest::Malformed(why) => Some(Conclusion::Judged(Ok(Outcome::Failed(why.into())))),
                Digest::Done { surplus: true, .. } => Some(Conclusion::Judged(Ok(Outcome::Failed(SURPLUS)))),
                Digest::Done { whole, .. } => {
                    let concluded = self.conclude(lane, whole);
                    let user = &mut self.pool.lanes[lane];
                    if !user.reader.keep_alive() || hangup || user.written < user.request_length {
                        self.recorder.closes += u64::from(self.plan.connection == ConnectionUse::KeepAlive);
                        user.drop_link();
                    }
                    if let (Some(body), Conclusion::Judged(Ok(outcome))) = (whole, &concluded)
                        && self.is_sampled(lane, *outcome)
                    {
                        self.keep_sample(lane, body);
                    }
                    Some(concluded)
                }
            };
            self.scratch.buffer = buffer;
            match ended {
                None if full || !empties => {}
                None => return,
                Some(Conclusion::Redirected(redirect)) => return self.follow_redirect(lane, redirect),
                Some(Conclusion::Judged(Err(trouble))) => return self.lose_connection(lane, trouble),
                Some(Conclusion::Judged(Ok(outcome))) => {
                    if outcome.failure() == Some(Failure::Malformed) {
                        self.pool.lanes[lane].drop_link();
                    }
                    return self.finish(lane, outcome, None);
                }
            }
        }
        // A connection with endless input must not block the others and the clock.
        let token = token(lane, self.pool.lanes[lane].generation);
        // It has one entry, however many events it has.
        match self.unread.iter_mut().find(|(other, _)| *other == token) {
            Some((_, hung_up)) => *hung_up |= hangup,
            None => self.unread.push((token, hangup)),
        }
    }

    /// Records the events of the answer that ended with the last input.
    #[inline]
    pub(super) fn record_events(&mut self, lane: usize) {
        let user = &mut self.pool.lanes[lane];
        let ended = user.check.take_events();
        if ended > 0 {
            self.recorder.record_events(&mut user.exchange, self.now, ended);
        }
    }

    /// Judges the current answer, which is complete; `whole` is its body if it came in one piece. Cookies and captures are stored only now,
    /// because a part of the request may have been unsent until here and uses the earlier ones.
    #[inline]
    pub(super) fn judge(&mut self, lane: usize, whole: Option<&[u8]>) -> Result<Outcome, Trouble> {
        let user = &mut self.pool.lanes[lane];
        let entry = &self.plan.corpus.entries[user.exchange.entry as usize];
        let outcome = user.judge(&self.rules[usize::from(entry.rule)])?;
        let Steps::Session(session) = &self.plan.steps[usize::from(user.card.part)] else {
            return Ok(outcome);
        };
        if !user.reader.fields().is_empty()
            && let Some(head) = &self.plan.heads[entry.line as usize]
        {
            user.store_cookies(head, &self.plan.site);
        }
        match outcome {
            // The answer that a session foresees: its user makes the `once` steps again, and then this request.
            Outcome::Failed(_) if user.asks_again(session) => Ok(Outcome::Right { expected_fault: true }),
            Outcome::Right { .. } => user.capture(&session.steps[user.step], whole, outcome),
            // A wrong answer gives no value, and its session is not whole.
            _ => {
                user.session_failed = true;
                Ok(outcome)
            }
        }
    }

    pub(super) fn is_sampled(&self, lane: usize, outcome: Outcome) -> bool {
        match outcome {
            Outcome::Right { .. } => self.samples.chooses(self.pool.lanes[lane].exchange.card),
            _ => self.samples.wants_failures(),
        }
    }

    /// Stores the body of an answer that came in one piece, for a sample.
    pub(super) fn keep_sample(&mut self, lane: usize, body: &[u8]) {
        let user = &mut self.pool.lanes[lane];
        user.keep_limit = KEPT_IF_NEEDED;
        user.keep(body, &mut self.scratch.room);
    }

    /// The server closed its side while an answer was awaited.
    fn end_of_stream(&mut self, lane: usize) {
        let user = &mut self.pool.lanes[lane];
        if !user.reader.end_of_stream() {
            return self.lose_connection(lane, Trouble::Server(Failure::Truncated.into()));
        }
        let entry = &self.plan.corpus.entries[user.exchange.entry as usize];
        let unpacked = user.unpack(&self.rules[usize::from(entry.rule)], None, &mut self.scratch.room);
        let concluded = match unpacked {
            Ok(()) => self.conclude(lane, None),
            Err(why) => Conclusion::Judged(Ok(Outcome::Failed(why.into()))),
        };
        self.pool.lanes[lane].drop_link();
        self.recorder.closes += 1;
        match concluded {
            Conclusion::Redirected(redirect) => self.follow_redirect(lane, redirect),
            Conclusion::Judged(Ok(outcome)) => self.finish(lane, outcome, None),
            Conclusion::Judged(Err(trouble)) => self.lose_connection(lane, trouble),
        }
    }

    /// Records the end of the current request and starts the next action.
    #[inline]
    pub(super) fn finish(&mut self, lane: usize, outcome: Outcome, at_limit: Option<Ns>) {
        let user = &mut self.pool.lanes[lane];
        user.exchange.last_byte = self.now;
        if user.exchange.first_byte > 0 {
            user.exchange.status = user.reader.status();
        }
        if self.plan.connection == ConnectionUse::PerRequest {
            user.drop_link();
        }
        self.recorder.finish(&user.exchange, outcome, at_limit);
        if self.recorder.counts(&user.exchange) {
            self.samples
                .offer(&user.exchange, outcome, user.reader.head(), &user.kept, user.kept_whole);
        }
        let due = user.exchange.due;
        self.release_kept(lane);
        if self.plan.edges == Edges::Planned && self.now >= self.recorder.end && due < self.recorder.end {
            self.count_unfinished(due);
        }
        self.follow(lane, !matches!(outcome, Outcome::Failed(_)));
    }

    /// Releases the memory allowance of the current answer.
    #[inline]
    pub(super) fn release_kept(&mut self, lane: usize) {
        let kept = &mut self.pool.lanes[lane].kept;
        self.scratch.room += kept.len();
        kept.clear();
        if kept.capacity() > KEPT_IN_CASE {
            *kept = Vec::new();
        }
    }

    /// Ends requests that waited longer than the timeout, and finds the next timeout. After the measured time, requests without an answer
    /// are unanswered instead.
    pub(super) fn expire(&mut self) {
        let limit = self.plan.timeout;
        let now = self.now;
        self.next_expiry = now + limit;
        for lane in 0..self.pool.lanes.len() {
            let user = &mut self.pool.lanes[lane];
            if !user.task.is_in_flight() {
                continue;
            }
            let deadline = user.exchange.taken_up + limit;
            if deadline > now {
                self.next_expiry = self.next_expiry.min(deadline);
            } else if self.phase == Phase::Issuing {
                let failed = self.with_progress(lane, Failure::Timeout.into());
                self.give_up_connection(lane);
                self.finish(lane, Outcome::Failed(failed), Some(limit));
            } else {
                self.leave_unanswered(lane);
            }
        }
        if self.in_flight == 0 {
            self.next_expiry = Ns::MAX;
        }
    }
}
