//! Counts and histograms of one operation within one slice.

use hdrhistogram::Histogram;

use super::endings::Endings;
use crate::clock::{MICROSECOND, Ns};
use crate::verify::{Failure, Outcome};

/// Counts of requests by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outcomes {
    pub completed: u64,
    pub wrong: u64,
    pub failures: [u64; Failure::ALL.len()],
    /// Requests that were sent again; each of them also ended as one of the above.
    pub stale: u64,
}

impl Outcomes {
    pub fn failed(&self) -> u64 {
        self.failures.iter().sum()
    }

    pub fn ended(&self) -> u64 {
        self.completed + self.wrong + self.failed()
    }

    #[inline]
    pub fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Right { .. } => self.completed += 1,
            Outcome::Wrong => self.wrong += 1,
            Outcome::Failed(failed) => self.failures[failed.kind as usize] += 1,
        }
    }

    fn merge(&mut self, other: &Self, by: impl Fn(u64, u64) -> u64) {
        self.completed = by(self.completed, other.completed);
        self.wrong = by(self.wrong, other.wrong);
        self.stale = by(self.stale, other.stale);
        for (own, other) in self.failures.iter_mut().zip(other.failures) {
            *own = by(*own, other);
        }
    }
}

/// Counts within the measured time, unless a field says otherwise.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub started: u64,
    pub measured: Outcomes,
    pub expected_faults: u64,
    pub bytes_out: u64,
    pub bytes_in: u64,
    pub response_ns_sum: u64,
    pub service_ns_sum: u64,
    pub late_starts: u64,
    /// All requests that were taken up. Each ended, within the measured time or outside, or was dropped.
    pub sent: u64,
    pub outside: Outcomes,
    /// Requests without an answer when the drain ended, and those that the engine's machine could not send.
    pub dropped: u64,
}

impl Counts {
    /// Requests that ended, in the measured time or outside.
    pub fn ended(&self) -> u64 {
        self.measured.ended() + self.outside.ended()
    }

    /// Adds each of `other`'s counts.
    pub fn add(&mut self, other: &Self) {
        self.merge(other, u64::wrapping_add);
    }

    /// The counts since `earlier`.
    pub fn since(&self, earlier: &Self) -> Self {
        let mut difference = *self;
        difference.merge(earlier, u64::wrapping_sub);
        difference
    }

    fn merge(&mut self, other: &Self, by: impl Fn(u64, u64) -> u64) {
        let pairs = [
            (&mut self.started, other.started),
            (&mut self.expected_faults, other.expected_faults),
            (&mut self.bytes_out, other.bytes_out),
            (&mut self.bytes_in, other.bytes_in),
            (&mut self.response_ns_sum, other.response_ns_sum),
            (&mut self.service_ns_sum, other.service_ns_sum),
            (&mut self.late_starts, other.late_starts),
            (&mut self.sent, other.sent),
            (&mut self.dropped, other.dropped),
        ];
        for (own, other) in pairs {
            *own = by(*own, other);
        }
        self.measured.merge(&other.measured, &by);
        self.outside.merge(&other.outside, &by);
    }
}

/// An empty histogram in microseconds: 1 us to 1 h, 3 significant digits; values outside count at the edge.
pub fn histogram_us() -> Histogram<u64> {
    Histogram::new_with_bounds(1, 3_600_000_000, 3).expect("the bounds are constants that fit one another")
}

/// Counts and histograms of one operation. `all` outcomes are right answers and failures together, made when they are written.
#[derive(Debug)]
pub struct OperationRecord {
    pub counts: Counts,
    pub endings: Endings,
    /// Right answers that came after the measured time, in the drain.
    pub late: Histogram<u64>,
    /// Right answers within the measured time whose request was due before it.
    pub carried: Histogram<u64>,
    pub response: Histogram<u64>,
    pub service: Histogram<u64>,
    pub failure: Histogram<u64>,
    pub queueing: Histogram<u64>,
    pub connect: Histogram<u64>,
    pub tls: Histogram<u64>,
    pub first_byte: Histogram<u64>,
    /// Of right answers with events: from the instant sent to the end of the first.
    pub first_event: Histogram<u64>,
    /// From the end of an event to that of the next one of the same answer.
    pub between_events: Histogram<u64>,
}

impl Default for OperationRecord {
    fn default() -> Self {
        Self {
            counts: Counts::default(),
            endings: Endings::default(),
            late: histogram_us(),
            carried: histogram_us(),
            response: histogram_us(),
            service: histogram_us(),
            failure: histogram_us(),
            queueing: histogram_us(),
            connect: histogram_us(),
            tls: histogram_us(),
            first_byte: histogram_us(),
            first_event: histogram_us(),
            between_events: histogram_us(),
        }
    }
}

/// Sessions of one part of the mix that ended in the measured time, and the time of whole ones, pauses included. Each session that
/// began is in one of the five histograms.
#[derive(Debug)]
pub struct SessionRecord {
    pub completed: u64,
    pub failed: u64,
    pub time_ns_sum: u64,
    pub time: Histogram<u64>,
    /// The time of those that ended early.
    pub failed_time: Histogram<u64>,
    /// The same of sessions that ended before the measured time or after it.
    pub outside: Histogram<u64>,
    pub outside_failed: Histogram<u64>,
    /// The age of sessions that were cut off: neither whole nor failed.
    pub cut: Histogram<u64>,
}

impl Default for SessionRecord {
    fn default() -> Self {
        Self {
            completed: 0,
            failed: 0,
            time_ns_sum: 0,
            time: histogram_us(),
            failed_time: histogram_us(),
            outside: histogram_us(),
            outside_failed: histogram_us(),
            cut: histogram_us(),
        }
    }
}

impl SessionRecord {
    /// A session ended that took `time`: in the measured time, or outside.
    pub fn end(&mut self, time: Ns, failed: bool, measured: bool) {
        match (measured, failed) {
            (true, true) => {
                self.failed += 1;
                record(&mut self.failed_time, time);
            }
            (true, false) => {
                self.completed += 1;
                self.time_ns_sum += time;
                record(&mut self.time, time);
            }
            (false, true) => record(&mut self.outside_failed, time),
            (false, false) => record(&mut self.outside, time),
        }
    }

    /// Adds what another thread recorded.
    pub fn add(&mut self, other: &Self) {
        self.completed += other.completed;
        self.failed += other.failed;
        self.time_ns_sum += other.time_ns_sum;
        let pairs = [
            (&mut self.time, &other.time),
            (&mut self.failed_time, &other.failed_time),
            (&mut self.outside, &other.outside),
            (&mut self.outside_failed, &other.outside_failed),
            (&mut self.cut, &other.cut),
        ];
        for (own, other) in pairs {
            add(own, other);
        }
    }

    /// The histograms by the name of their kind.
    pub fn by_kind(&self) -> [(&'static str, &Histogram<u64>); 5] {
        [
            ("session", &self.time),
            ("session_failed", &self.failed_time),
            ("session_outside", &self.outside),
            ("session_outside_failed", &self.outside_failed),
            ("session_cut", &self.cut),
        ]
    }
}

impl OperationRecord {
    /// Adds what another thread recorded.
    pub fn add(&mut self, other: &Self) {
        self.counts.add(&other.counts);
        self.endings.merge(&other.endings);
        let pairs = [
            (&mut self.late, &other.late),
            (&mut self.carried, &other.carried),
            (&mut self.response, &other.response),
            (&mut self.service, &other.service),
            (&mut self.failure, &other.failure),
            (&mut self.queueing, &other.queueing),
            (&mut self.connect, &other.connect),
            (&mut self.tls, &other.tls),
            (&mut self.first_byte, &other.first_byte),
            (&mut self.first_event, &other.first_event),
            (&mut self.between_events, &other.between_events),
        ];
        for (own, other) in pairs {
            add(own, other);
        }
    }

    /// Right answers and failures together.
    pub fn all(&self) -> Histogram<u64> {
        let mut all = self.response.clone();
        add(&mut all, &self.failure);
        all
    }

    /// The histograms by the name of their kind.
    pub fn by_kind(&self) -> [(&'static str, std::borrow::Cow<'_, Histogram<u64>>); 12] {
        use std::borrow::Cow::{Borrowed, Owned};
        [
            ("response", Borrowed(&self.response)),
            ("service", Borrowed(&self.service)),
            ("failure", Borrowed(&self.failure)),
            ("all", Owned(self.all())),
            ("queueing", Borrowed(&self.queueing)),
            ("connect", Borrowed(&self.connect)),
            ("tls", Borrowed(&self.tls)),
            ("first_byte", Borrowed(&self.first_byte)),
            ("first_event", Borrowed(&self.first_event)),
            ("between_events", Borrowed(&self.between_events)),
            ("late", Borrowed(&self.late)),
            ("carried", Borrowed(&self.carried)),
        ]
    }
}

fn add(own: &mut Histogram<u64>, other: &Histogram<u64>) {
    // All have the same bounds, so adding cannot fail.
    let added = own.add(other);
    debug_assert!(added.is_ok());
}

/// Records a length of time, to the nearest microsecond.
#[inline]
pub(super) fn record(histogram: &mut Histogram<u64>, time: Ns) {
    histogram.saturating_record(((time + MICROSECOND / 2) / MICROSECOND).max(1));
}
