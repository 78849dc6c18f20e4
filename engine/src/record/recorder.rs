//! The recorder of one worker within one slice: decides which requests are in the measured time, and counts them.

use hdrhistogram::Histogram;

use super::counts::{Counts, OperationRecord, SessionRecord, histogram_us, record};
use super::endings::{Ending, When};
use super::lateness::Lateness;
use crate::clock::{CpuTime, MILLISECOND, Ns, SECOND};
use crate::verify::{Failure, Outcome};

/// The instants of one request; 0 if an instant was not reached.
#[derive(Debug, Clone, Copy, Default)]
pub struct Exchange {
    pub operation: u16,
    pub entry: u32,
    /// The deck's card that it came from.
    pub card: u64,
    pub due: Ns,
    /// When the engine took it up, to send it or to connect first.
    pub taken_up: Ns,
    pub sent: Ns,
    pub first_byte: Ns,
    /// When the first and the newest event of the answer ended.
    pub first_event: Ns,
    pub newest_event: Ns,
    pub last_byte: Ns,
    /// The status of its answer; 0 where no status line came.
    pub status: u16,
}

/// A request that was due in the measured time: it ended there or in the drain, or was never answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Logged {
    pub due: Ns,
    /// When it was taken up: later than due if the engine was late.
    pub taken_up: Ns,
    /// From the instant at which it was due.
    pub response: Ns,
    pub right: bool,
}

/// The counts of one worker in one second of the measured time.
#[derive(Debug, Clone)]
pub struct TickPart {
    pub thread: u32,
    pub index: u64,
    pub end: Ns,
    pub operations: Vec<Counts>,
    pub users_active: u32,
    pub cpu: CpuTime,
    pub lateness: Lateness,
    /// Response times of right answers, where they are kept by the second.
    pub response: Option<Box<Histogram<u64>>>,
    /// Whether the worker reports no later second.
    pub is_last: bool,
}

/// Where the measured time begins and ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edges {
    /// At the instants planned; a request counts where its answer came between them.
    Planned,
    /// A turn: from its first request to its last answer, and all its requests count. So a server has no time in which its work is not
    /// measured, and a pause of the server counts whole in the turn in which it began.
    WholeTurn,
}

/// Everything that one worker records of one slice.
#[derive(Debug)]
pub struct Recorder {
    pub thread: u32,
    pub begin: Ns,
    pub end: Ns,
    edges: Edges,
    /// When the last request ended, and when the server last answered; 0 if it never did.
    last_end: Ns,
    pub last_answer: Ns,
    /// The time that requests without an answer waited within the measured time, summed.
    pub unanswered_waits: Ns,
    /// By the operation's place in the corpus; None for operations that the slice does not use.
    pub operations: Vec<Option<Box<OperationRecord>>>,
    /// By the place in the mix; None for parts that are not sessions.
    pub sessions: Vec<Option<Box<SessionRecord>>>,
    pub lateness: Lateness,
    pub cpu: CpuTime,
    pub connects: u64,
    pub closes: u64,
    /// Answers without a request.
    pub unasked: u64,
    /// Requests that were sent again although the server may have received them.
    pub repeated: u64,
    /// Redirects that were followed.
    pub redirects: u64,
    /// The time that right answers were waited for before the measured time began, summed.
    pub carried: Ns,
    /// Requests that were due and never taken up.
    pub forgone: u64,
    pub instrument: Option<&'static str>,
    /// Think times that ended in the measured time, as drawn and as kept, and how many.
    pub thinks: u64,
    pub think_drawn_ns: u64,
    pub think_kept_ns: u64,
    /// Each request, if requests are logged.
    pub log: Option<Vec<Logged>>,
    tick: u64,
    next_second: Ns,
    tick_counts: Vec<Counts>,
    tick_lateness: Lateness,
    tick_response: Option<Box<Histogram<u64>>>,
    tick_cpu: CpuTime,
    cpu_at_begin: Option<CpuTime>,
}

impl Recorder {
    /// The recorder of a thread for a slice that is measured from `begin` to `end`. `used` marks the operations of the corpus that the slice
    /// uses, `sessions` the parts of its mix that are sessions.
    pub fn new(thread: u32, begin: Ns, end: Ns, edges: Edges, used: &[bool], sessions: &[bool]) -> Self {
        Self {
            thread,
            begin,
            end,
            edges,
            last_end: begin,
            last_answer: 0,
            unanswered_waits: 0,
            operations: used.iter().map(|used| used.then(Box::default)).collect(),
            sessions: sessions.iter().map(|session| session.then(Box::default)).collect(),
            lateness: Lateness::default(),
            cpu: CpuTime::default(),
            connects: 0,
            closes: 0,
            unasked: 0,
            repeated: 0,
            redirects: 0,
            carried: 0,
            forgone: 0,
            instrument: None,
            thinks: 0,
            think_drawn_ns: 0,
            think_kept_ns: 0,
            log: None,
            tick: 0,
            next_second: begin,
            tick_counts: vec![Counts::default(); used.len()],
            tick_lateness: Lateness::default(),
            tick_response: None,
            tick_cpu: CpuTime::default(),
            cpu_at_begin: None,
        }
    }

    /// Adds a histogram for each second, if `kept`.
    pub fn with_seconds(mut self, kept: bool) -> Self {
        self.tick_response = kept.then(|| Box::new(histogram_us()));
        self
    }

    /// Adds a log of each request, if `kept`.
    pub fn with_log(mut self, kept: bool) -> Self {
        self.log = kept.then(Vec::new);
        self
    }

    /// Whether an instant lies in the measured time.
    #[inline]
    pub fn measures(&self, instant: Ns) -> bool {
        instant >= self.begin && (instant < self.end || self.edges == Edges::WholeTurn)
    }

    /// A request that was taken up had no answer when the drain ended.
    pub fn record_unanswered(&mut self, exchange: &Exchange, now: Ns) {
        self.unanswered_waits += self.measured_wait(exchange, now);
        self.log(exchange, now, false);
        self.drop(exchange, now, "");
    }

    /// A request that was taken up could not be sent, because the engine's machine lacked a resource.
    pub fn record_not_sent(&mut self, exchange: &Exchange, now: Ns) {
        self.drop(exchange, now, "the load generator could not send it");
    }

    fn drop(&mut self, exchange: &Exchange, now: Ns, cause: &'static str) {
        let when = self.when(exchange.due, now);
        if let Some(record) = self.record_of(exchange.operation) {
            record.counts.dropped += 1;
            record.endings.count(Ending::unanswered(when, cause));
        }
    }

    /// Where the end of a request that was due at `due` lies, by the measured time.
    #[inline]
    fn when(&self, due: Ns, ended: Ns) -> When {
        if ended < self.begin {
            When::LeadIn
        } else if !self.measures(ended) {
            When::After
        } else if due < self.begin {
            When::Carried
        } else {
            When::Measured
        }
    }

    /// The time that a request waited until `now`, within the measured time.
    fn measured_wait(&self, exchange: &Exchange, now: Ns) -> Ns {
        let until = match self.edges {
            Edges::Planned => now.min(self.end),
            Edges::WholeTurn => now,
        };
        until.saturating_sub(exchange.due.max(self.begin))
    }

    /// Logs a request that was due in the measured time, if requests are logged.
    #[inline]
    fn log(&mut self, exchange: &Exchange, ended: Ns, right: bool) {
        if let Some(log) = &mut self.log
            && (self.begin..self.end).contains(&exchange.due)
        {
            log.push(Logged {
                due: exchange.due,
                taken_up: exchange.taken_up,
                response: ended.saturating_sub(exchange.due),
                right,
            });
        }
    }

    #[inline]
    fn record_of(&mut self, operation: u16) -> Option<&mut OperationRecord> {
        self.operations[usize::from(operation)].as_deref_mut()
    }

    /// Records that the engine took up at `now` a request that was due at `due`.
    #[inline]
    pub fn start(&mut self, operation: u16, due: Ns, now: Ns) {
        let (measured, late) = (self.measures(due), now.saturating_sub(due));
        if let Some(record) = self.record_of(operation) {
            record.counts.sent += 1;
            record.counts.started += u64::from(measured);
            record.counts.late_starts += u64::from(measured && late > MILLISECOND);
        }
        if measured {
            self.tick_lateness.record(late);
        }
    }

    /// Ends the recording: a turn ends with its last answer.
    pub fn close(&mut self) {
        if self.edges == Edges::WholeTurn {
            self.end = self.end.max(self.last_end);
        }
    }

    /// Ends the slice at `now`, earlier than planned.
    pub fn break_off(&mut self, now: Ns) {
        self.end = self.end.min(now.max(self.begin));
    }

    /// Limits the measured time to `length`; time measured by `now` stays.
    pub fn shorten_to(&mut self, length: Ns, now: Ns) {
        self.end = self.end.min(self.begin.saturating_add(length).max(now));
    }

    /// Ends the measured time at `now`: all work is done.
    pub fn end_now(&mut self, now: Ns) {
        self.end = self.end.min(now.max(self.begin + 1));
        self.next_second = self.next_second.min(self.end);
    }

    /// A session of the mix's part ended at `now` that was due at `due`: whole and answered correctly, or `failed`.
    pub fn record_session(&mut self, part: u16, due: Ns, now: Ns, failed: bool) {
        let measured = self.measures(now);
        if let Some(session) = self.sessions[usize::from(part)].as_deref_mut() {
            session.end(now.saturating_sub(due), failed, measured);
        }
    }

    /// A session of the mix's part that was due at `due` was cut off at `now`; a plain request is none.
    pub fn record_cut(&mut self, part: u16, due: Ns, now: Ns) {
        if let Some(session) = self.sessions[usize::from(part)].as_deref_mut() {
            record(&mut session.cut, now.saturating_sub(due));
        }
    }

    /// A request was due and could not be taken up before the end.
    pub fn record_forgone(&mut self, operation: u16, due: Ns) {
        if self.measures(due) {
            self.forgone += 1;
            if let Some(record) = self.record_of(operation) {
                record.counts.started += 1;
            }
        }
    }

    #[inline]
    pub fn record_bytes(&mut self, operation: u16, now: Ns, out: usize, taken_in: usize) {
        if self.measures(now)
            && let Some(record) = self.record_of(operation)
        {
            record.counts.bytes_out += out as u64;
            record.counts.bytes_in += taken_in as u64;
        }
    }

    /// A request got the connection that it waited for: TCP took `connect`, TLS `tls` (0 without).
    pub fn record_connect(&mut self, operation: u16, now: Ns, connect: Ns, tls: Ns) {
        if self.measures(now)
            && let Some(operation) = self.record_of(operation)
        {
            record(&mut operation.connect, connect);
            if tls > 0 {
                record(&mut operation.tls, tls);
            }
        }
    }

    /// A reused connection was found closed and its request is sent again.
    pub fn record_reconnect(&mut self, operation: u16, now: Ns) {
        let measured = self.measures(now);
        if let Some(record) = self.record_of(operation) {
            match measured {
                true => record.counts.measured.stale += 1,
                false => record.counts.outside.stale += 1,
            }
        }
    }

    /// A pause between requests ended at `now`: it was drawn as `drawn` and lasted `kept`.
    #[inline]
    pub fn record_pause(&mut self, now: Ns, drawn: Ns, kept: Ns) {
        if self.measures(now) {
            self.thinks += 1;
            self.think_drawn_ns += drawn;
            self.think_kept_ns += kept;
        }
    }

    /// Records that `ended` events of an answer ended at `now`. Those that came together have no time between them.
    pub fn record_events(&mut self, exchange: &mut Exchange, now: Ns, ended: u64) {
        let before = std::mem::replace(&mut exchange.newest_event, now);
        if before == 0 {
            exchange.first_event = now;
        }
        if !self.measures(now) {
            return;
        }
        let Some(operation) = self.record_of(exchange.operation) else {
            return;
        };
        if before > 0 {
            record(&mut operation.between_events, now.saturating_sub(before));
        }
        operation.between_events.saturating_record_n(1, ended - 1);
    }

    /// Whether a request that ended counts.
    #[inline]
    pub fn counts(&self, exchange: &Exchange) -> bool {
        self.measures(exchange.last_byte)
    }

    /// A request ended; a timeout is recorded as `at_limit`.
    #[inline]
    pub fn finish(&mut self, exchange: &Exchange, outcome: Outcome, at_limit: Option<Ns>) {
        self.last_end = exchange.last_byte;
        let timed_out = outcome.failure() == Some(Failure::Timeout);
        if exchange.first_byte > 0 && !timed_out {
            self.last_answer = exchange.last_byte;
        }
        let right = matches!(outcome, Outcome::Right { .. });
        self.log(exchange, exchange.last_byte, right);
        if timed_out {
            self.unanswered_waits += self.measured_wait(exchange, exchange.last_byte);
        }
        let when = self.when(exchange.due, exchange.last_byte);
        let Some(operation) = self.record_of(exchange.operation) else {
            return;
        };
        operation.endings.count(Ending::of(when, outcome, exchange.status));
        let response = exchange.last_byte.saturating_sub(exchange.due);
        if matches!(when, When::LeadIn | When::After) {
            if right && when == When::After {
                record(&mut operation.late, response);
            }
            return operation.counts.outside.count(outcome);
        }
        operation.counts.measured.count(outcome);
        match outcome {
            Outcome::Right { expected_fault } => {
                let service = exchange.last_byte.saturating_sub(exchange.sent);
                operation.counts.expected_faults += u64::from(expected_fault);
                operation.counts.response_ns_sum += response;
                operation.counts.service_ns_sum += service;
                record(&mut operation.response, response);
                if when == When::Carried {
                    record(&mut operation.carried, response);
                }
                record(&mut operation.service, service);
                record(&mut operation.queueing, exchange.sent.saturating_sub(exchange.due));
                record(
                    &mut operation.first_byte,
                    exchange.first_byte.saturating_sub(exchange.sent),
                );
                if exchange.first_event > 0 {
                    record(
                        &mut operation.first_event,
                        exchange.first_event.saturating_sub(exchange.sent),
                    );
                }
                if let Some(second) = &mut self.tick_response {
                    record(second, response);
                }
                self.carried += self.begin.saturating_sub(exchange.due);
            }
            Outcome::Wrong => {}
            Outcome::Failed(failed) => {
                let queued = exchange.taken_up.saturating_sub(exchange.due);
                let time = match (failed.kind, at_limit) {
                    (Failure::Timeout, Some(limit)) => queued + limit,
                    _ => response,
                };
                record(&mut operation.failure, time);
            }
        }
    }

    /// The instant at which `end_second` is due next; `Ns::MAX` after the last second.
    #[inline]
    pub fn next_second(&self) -> Ns {
        self.next_second
    }

    /// Ends the lead-in, or a second of the measured time, which it returns.
    pub fn end_second(&mut self, now: Ns, users_active: u32) -> Option<TickPart> {
        let Some(at_begin) = self.cpu_at_begin else {
            self.cpu_at_begin = Some(CpuTime::of_thread());
            self.tick_cpu = self.cpu_at_begin.unwrap_or_default();
            self.next_second = (self.begin + SECOND).min(self.end);
            return None;
        };
        let cpu = CpuTime::of_thread();
        self.cpu = cpu.since(at_begin);
        let mut part = TickPart {
            thread: self.thread,
            index: self.tick,
            end: self.next_second,
            operations: vec![Counts::default(); self.operations.len()],
            users_active,
            cpu: cpu.since(self.tick_cpu),
            lateness: self.tick_lateness.clone(),
            response: self
                .tick_response
                .as_mut()
                .map(|second| std::mem::replace(second, Box::new(histogram_us()))),
            is_last: false,
        };
        for (place, record) in self.operations.iter().enumerate() {
            if let Some(record) = record {
                part.operations[place] = record.counts.since(&self.tick_counts[place]);
                self.tick_counts[place] = record.counts;
            }
        }
        self.lateness.add(&self.tick_lateness);
        self.tick_lateness.clear();
        self.tick_cpu = cpu;
        // After a long stall the seconds that passed unseen are one tick, the first of them.
        while self.next_second <= now {
            self.tick += 1;
            let next = (self.begin + (self.tick + 1) * SECOND).min(self.end);
            self.next_second = if next > self.next_second { next } else { Ns::MAX };
        }
        part.is_last = self.next_second == Ns::MAX;
        Some(part)
    }
}
