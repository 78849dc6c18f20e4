//! The recorder of one worker within one slice: it decides what lies in the measured time, and counts it.

use super::counts::{Counts, OperationRecord, record};
use super::lateness::Lateness;
use super::meter::Meter;
use crate::clock::{CpuTime, MILLISECOND, Ns, SECOND};
use crate::verify::{Failure, Outcome};

/// The instants of one request. Zero means that it was not reached.
#[derive(Debug, Clone, Copy, Default)]
pub struct Exchange {
    pub operation: u16,
    pub entry: u32,
    /// The deck's card that it came from.
    pub card: u64,
    /// Whether it was due in the measured time.
    pub counted: bool,
    pub due: Ns,
    /// When the engine took it up: to send it, or first to connect.
    pub taken_up: Ns,
    pub sent: Ns,
    pub first_byte: Ns,
    pub last_byte: Ns,
}

/// What one worker counted in one second of the measured time.
#[derive(Debug, Clone)]
pub struct TickPart {
    pub thread: u32,
    pub index: u64,
    pub end: Ns,
    pub operations: Vec<Counts>,
    pub users_active: u32,
    pub cpu: CpuTime,
    pub lateness: Lateness,
}

/// Where the measured time begins and ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edges {
    /// At the instants planned; a request counts where its answer came between them.
    Planned,
    /// Each with the first answer that comes at its planned instant or after it; a request counts where it was due between them.
    /// So a pause of the server that lies over an edge belongs whole to the side on which it began, and many short turns see as much
    /// of its pauses as one long slice does. Load goes on behind the end until the last request that counts has its answer, so that it
    /// is served as the others were.
    AtAnswers,
}

/// Everything that one worker remembers of one slice.
#[derive(Debug)]
pub struct Recorder {
    thread: u32,
    pub begin: Ns,
    pub end: Ns,
    edges: Edges,
    /// Whether `begin` and `end` are final.
    begun: bool,
    closed: bool,
    /// Requests that count and have no answer yet.
    pending: u32,
    /// By the operation's place in the corpus; those that the slice does not use stay empty.
    pub operations: Vec<Option<Box<OperationRecord>>>,
    pub lateness: Lateness,
    pub cpu: CpuTime,
    pub connects: u64,
    pub closes: u64,
    /// Answers that nobody had asked for.
    pub unasked: u64,
    /// Requests that were due and never taken up.
    pub forgone: u64,
    pub instrument: Option<&'static str>,
    /// Think times as drawn and as kept, and how many.
    pub thinks: u64,
    pub think_drawn_ns: u64,
    pub think_kept_ns: u64,
    tick: u64,
    next_turn: Ns,
    tick_counts: Vec<Counts>,
    tick_lateness: Lateness,
    tick_cpu: CpuTime,
    cpu_at_begin: Option<CpuTime>,
    meter: Meter,
    metered_at_begin: Ns,
    /// What the subject's processes used between the answers with which a turn's measured time began and ended.
    pub metered: Ns,
}

impl Recorder {
    /// Of a thread, for a slice measured from `begin` to `end` that uses the operations whose place in `used` is true.
    pub fn new(thread: u32, begin: Ns, end: Ns, edges: Edges, used: &[bool]) -> Self {
        Self {
            thread,
            begin,
            end,
            edges,
            begun: edges == Edges::Planned,
            closed: edges == Edges::Planned,
            pending: 0,
            operations: used.iter().map(|used| used.then(Box::default)).collect(),
            lateness: Lateness::default(),
            cpu: CpuTime::default(),
            connects: 0,
            closes: 0,
            unasked: 0,
            forgone: 0,
            instrument: None,
            thinks: 0,
            think_drawn_ns: 0,
            think_kept_ns: 0,
            tick: 0,
            next_turn: begin,
            tick_counts: vec![Counts::default(); used.len()],
            tick_lateness: Lateness::default(),
            tick_cpu: CpuTime::default(),
            cpu_at_begin: None,
            meter: Meter::default(),
            metered_at_begin: 0,
            metered: 0,
        }
    }

    /// Has a turn read the clocks of the subject's processes.
    pub fn meter_by(&mut self, meter: Meter) {
        self.meter = meter;
    }

    /// Whether an instant lies in the measured time.
    #[inline]
    pub fn measures(&self, instant: Ns) -> bool {
        self.begun && (self.begin..self.end).contains(&instant)
    }

    /// The instant after which no request is to be issued, as far as it is known; answers that a turn's end waits for are waited for
    /// no longer than `patience`.
    #[inline]
    pub fn issue_until(&self, patience: Ns) -> Ns {
        if self.is_answered() {
            self.end
        } else {
            self.end + patience
        }
    }

    /// Whether the end waits for no answer any more.
    #[inline]
    pub fn is_answered(&self) -> bool {
        self.edges == Edges::Planned || self.closed && self.pending == 0
    }

    /// A request that was taken up could not be made.
    pub fn set_aside(&mut self, exchange: &Exchange) {
        self.pending -= u32::from(self.edges == Edges::AtAnswers && exchange.counted);
        self.drop(exchange.operation);
    }

    /// A request that was taken up is given up.
    pub fn drop(&mut self, operation: u16) {
        if let Some(record) = self.of(operation) {
            record.counts.dropped += 1;
        }
    }

    /// An answer came, or a request failed: what the edges may have waited for.
    #[inline]
    fn answered(&mut self, now: Ns) {
        if !self.begun {
            if now >= self.begin {
                self.end += now - self.begin;
                self.begin = now;
                self.begun = true;
                self.metered_at_begin = self.meter.read();
            }
        } else if !self.closed && now >= self.end {
            self.end = now;
            self.closed = true;
            self.metered = self.meter.read().saturating_sub(self.metered_at_begin);
        }
    }

    #[inline]
    fn of(&mut self, operation: u16) -> Option<&mut OperationRecord> {
        self.operations[usize::from(operation)].as_deref_mut()
    }

    /// The engine took a request up at `now` that was due at `due`; says whether that lies in the measured time.
    #[inline]
    pub fn start(&mut self, operation: u16, due: Ns, now: Ns) -> bool {
        let (measured, late) = (self.measures(due), now.saturating_sub(due));
        if let Some(record) = self.of(operation) {
            record.counts.sent += 1;
            record.counts.started += u64::from(measured);
            record.counts.late_starts += u64::from(measured && late > MILLISECOND);
        }
        if measured {
            self.pending += u32::from(self.edges == Edges::AtAnswers);
            self.tick_lateness.record(late);
        }
        measured
    }

    /// The slice ends at `now`, earlier than was planned.
    pub fn break_off(&mut self, now: Ns) {
        self.end = self.end.min(now.max(self.begin));
    }

    /// The measured time is to be no longer than `length`, but what was measured by `now` stays.
    pub fn shorten_to(&mut self, length: Ns, now: Ns) {
        self.end = self.end.min(self.begin.saturating_add(length).max(now));
    }

    /// A request was due and could not be taken up before the end.
    pub fn never_started(&mut self, operation: u16, due: Ns) {
        if self.measures(due) {
            self.forgone += 1;
            if let Some(record) = self.of(operation) {
                record.counts.started += 1;
            }
        }
    }

    #[inline]
    pub fn bytes(&mut self, operation: u16, now: Ns, out: usize, taken_in: usize) {
        if self.measures(now)
            && let Some(record) = self.of(operation)
        {
            record.counts.bytes_out += out as u64;
            record.counts.bytes_in += taken_in as u64;
        }
    }

    /// A request that waited for it got its connection: TCP took `connect`, TLS `tls` (0 without).
    pub fn connected(&mut self, operation: u16, now: Ns, connect: Ns, tls: Ns) {
        if self.measures(now)
            && let Some(operation) = self.of(operation)
        {
            record(&mut operation.connect, connect);
            if tls > 0 {
                record(&mut operation.tls, tls);
            }
        }
    }

    /// A reused connection was found closed and its request is sent again.
    pub fn stale(&mut self, operation: u16, now: Ns) {
        let measured = self.measures(now);
        if let Some(record) = self.of(operation) {
            match measured {
                true => record.counts.measured.stale += 1,
                false => record.counts.outside.stale += 1,
            }
        }
    }

    /// A pause between requests ended: it was drawn as `drawn` and kept as `kept`.
    #[inline]
    pub fn thought(&mut self, drawn: Ns, kept: Ns) {
        self.thinks += 1;
        self.think_drawn_ns += drawn;
        self.think_kept_ns += kept;
    }

    /// Whether a request that ended counts.
    #[inline]
    pub fn counts(&self, exchange: &Exchange) -> bool {
        match self.edges {
            Edges::Planned => self.measures(exchange.last_byte),
            Edges::AtAnswers => exchange.counted,
        }
    }

    /// A request ended; `at_limit` is the time a time-out is recorded at.
    #[inline]
    pub fn finish(&mut self, exchange: &Exchange, outcome: Outcome, at_limit: Option<Ns>) {
        if self.edges == Edges::AtAnswers {
            self.answered(exchange.last_byte);
            self.pending -= u32::from(exchange.counted);
        }
        let measured = self.counts(exchange);
        let Some(operation) = self.of(exchange.operation) else {
            return;
        };
        if !measured {
            return operation.counts.outside.count(outcome);
        }
        operation.counts.measured.count(outcome);
        let response = exchange.last_byte.saturating_sub(exchange.due);
        match outcome {
            Outcome::Right { expected_fault } => {
                let service = exchange.last_byte.saturating_sub(exchange.sent);
                operation.counts.expected_faults += u64::from(expected_fault);
                operation.counts.response_ns_sum += response;
                operation.counts.service_ns_sum += service;
                record(&mut operation.response, response);
                record(&mut operation.service, service);
                record(&mut operation.queueing, exchange.sent.saturating_sub(exchange.due));
                record(
                    &mut operation.first_byte,
                    exchange.first_byte.saturating_sub(exchange.sent),
                );
            }
            Outcome::Wrong => {}
            Outcome::Failed(failure) => {
                let queued = exchange.taken_up.saturating_sub(exchange.due);
                let time = match (failure, at_limit) {
                    (Failure::Timeout, Some(limit)) => queued + limit,
                    _ => response,
                };
                record(&mut operation.failure, time);
            }
        }
    }

    /// The instant at which `turn` has to be called next; never again after the last second.
    #[inline]
    pub fn next_turn(&self) -> Ns {
        self.next_turn
    }

    /// Turns from the lead-in to the measured time, and from one second to the next, which it gives.
    pub fn turn(&mut self, now: Ns, users_active: u32) -> Option<TickPart> {
        let Some(at_begin) = self.cpu_at_begin else {
            self.cpu_at_begin = Some(CpuTime::of_thread());
            self.tick_cpu = self.cpu_at_begin.unwrap_or_default();
            self.next_turn = (self.begin + SECOND).min(self.end);
            return None;
        };
        let cpu = CpuTime::of_thread();
        self.cpu = cpu.since(at_begin);
        let mut part = TickPart {
            thread: self.thread,
            index: self.tick,
            end: self.next_turn,
            operations: vec![Counts::default(); self.operations.len()],
            users_active,
            cpu: cpu.since(self.tick_cpu),
            lateness: self.tick_lateness.clone(),
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
        while self.next_turn <= now {
            self.tick += 1;
            let next = (self.begin + (self.tick + 1) * SECOND).min(self.end);
            self.next_turn = if next > self.next_turn { next } else { Ns::MAX };
        }
        Some(part)
    }
}
