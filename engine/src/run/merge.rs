//! Merges the records of a slice's threads into its result.

use crate::clock::{CpuTime, Ns};
use crate::record::{
    Counts, Lateness, Logged, OperationRecord, Recorder, Sample, SessionRecord, SessionSums, SubjectCpu,
};
use crate::worker::Driven;

/// What one of the engine's threads did of a slice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ThreadShare {
    pub thread: u32,
    /// Requests that it took up.
    pub sent: u64,
    /// Its processor time in the measured time.
    pub cpu: CpuTime,
}

impl ThreadShare {
    fn of(recorder: &Recorder) -> Self {
        let records = recorder.operations.iter().flatten();
        Self {
            thread: recorder.thread,
            sent: records.map(|record| record.counts.sent).sum(),
            cpu: recorder.cpu,
        }
    }
}

/// The result of a slice.
pub struct SliceResult {
    pub begin: Ns,
    /// When the last of the threads began the load.
    pub began: Ns,
    pub end: Ns,
    /// The measured time: from begin to end, or in the turns between them.
    pub measured: Ns,
    /// By the operation's place in the corpus.
    pub operations: Vec<Option<Box<OperationRecord>>>,
    /// By the place in the mix.
    pub sessions: Vec<Option<Box<SessionRecord>>>,
    pub samples: Vec<Sample>,
    /// Each request in no order; none where they are not written down.
    pub log: Vec<Logged>,
    pub lateness: Lateness,
    pub cpu: CpuTime,
    /// Of each thread, in their order.
    pub threads: Vec<ThreadShare>,
    /// Processor time of the subject by whose turn it was; known for slices that took turns under keepers.
    pub subject_cpu: Option<SubjectCpu>,
    /// Processor time of the subject in the measured time of a stretch.
    pub window_cpu: Option<Ns>,
    pub connects: u64,
    pub closes: u64,
    pub unasked: u64,
    /// Requests that were sent again although the server may have received them.
    pub repeated: u64,
    /// Redirects that were followed.
    pub redirects: u64,
    pub unfinished: u64,
    pub oldest_unfinished: Ns,
    /// The time that requests unanswered at the end had waited within the measured time, summed. With `carried`, Little's law is exact for
    /// a slice of any length.
    pub unfinished_waits: Ns,
    /// The time that requests without an answer waited within the measured time, summed.
    pub unanswered_waits: Ns,
    /// When the server last answered a request; 0 if it never did.
    pub last_answer: Ns,
    pub carried: Ns,
    /// Arrivals that were due and never taken up.
    pub forgone: u64,
    pub instrument: Option<&'static str>,
    /// Requests or sessions started, for each part of the mix.
    pub started: Vec<u64>,
    pub thinks: u64,
    pub think_drawn_ns: u64,
    pub think_kept_ns: u64,
    /// Fixed work that was not done.
    pub work_left: u64,
    pub interrupted: bool,
}

impl SliceResult {
    /// Puts the shares of all threads together; there is at least one. A turn ends with the last answer of any thread.
    pub fn merge(parts: Vec<Driven>) -> Self {
        let mut parts = parts.into_iter();
        let mut whole = parts.next().map(Self::of_thread).unwrap_or_else(Self::empty);
        for part in parts {
            let mut other = Self::of_thread(part);
            whole.began = whole.began.max(other.began);
            whole.end = whole.end.max(other.end);
            whole.threads.append(&mut other.threads);
            whole.add(other);
        }
        whole.measured = whole.end.saturating_sub(whole.begin);
        whole.threads.sort_unstable_by_key(|share| share.thread);
        whole
    }

    /// The sum of this turn and a later one of the same slice.
    pub fn followed_by(mut self, later: Self) -> Self {
        (self.end, self.measured) = (later.end, self.measured + later.measured);
        for (own, share) in self.threads.iter_mut().zip(&later.threads) {
            own.sent += share.sent;
            own.cpu = own.cpu.plus(share.cpu);
        }
        self.add(later);
        self
    }

    /// Counts of all operations together.
    pub fn counts(&self) -> Counts {
        let mut sum = Counts::default();
        self.operations
            .iter()
            .flatten()
            .for_each(|record| sum.add(&record.counts));
        sum
    }

    /// Sessions of all parts of the mix together, and the pauses.
    pub fn session_sums(&self) -> SessionSums {
        let mut sums = SessionSums {
            thinks: self.thinks,
            think: self.think_drawn_ns,
            ..SessionSums::default()
        };
        for session in self.sessions.iter().flatten() {
            sums.completed += session.completed;
            sums.failed += session.failed;
            sums.time += session.time_ns_sum;
        }
        sums
    }

    fn empty() -> Self {
        Self {
            begin: 0,
            began: 0,
            end: 0,
            measured: 0,
            operations: Vec::new(),
            sessions: Vec::new(),
            samples: Vec::new(),
            log: Vec::new(),
            lateness: Lateness::default(),
            cpu: CpuTime::default(),
            threads: Vec::new(),
            subject_cpu: None,
            window_cpu: None,
            connects: 0,
            closes: 0,
            unasked: 0,
            repeated: 0,
            redirects: 0,
            unfinished: 0,
            oldest_unfinished: 0,
            unfinished_waits: 0,
            unanswered_waits: 0,
            last_answer: 0,
            carried: 0,
            forgone: 0,
            instrument: None,
            started: Vec::new(),
            thinks: 0,
            think_drawn_ns: 0,
            think_kept_ns: 0,
            work_left: 0,
            interrupted: false,
        }
    }

    fn of_thread(part: Driven) -> Self {
        let recorder = part.recorder;
        Self {
            threads: vec![ThreadShare::of(&recorder)],
            begin: recorder.begin,
            began: part.began,
            end: recorder.end,
            measured: recorder.end.saturating_sub(recorder.begin),
            operations: recorder.operations,
            sessions: recorder.sessions,
            samples: part.samples,
            log: recorder.log.unwrap_or_default(),
            lateness: recorder.lateness,
            cpu: recorder.cpu,
            subject_cpu: None,
            window_cpu: None,
            connects: recorder.connects,
            closes: recorder.closes,
            unasked: recorder.unasked,
            repeated: recorder.repeated,
            redirects: recorder.redirects,
            unfinished: part.unfinished,
            oldest_unfinished: part.oldest_unfinished,
            unfinished_waits: part.unfinished_waits,
            unanswered_waits: recorder.unanswered_waits,
            last_answer: recorder.last_answer,
            carried: recorder.carried,
            forgone: recorder.forgone,
            instrument: recorder.instrument,
            started: part.started,
            thinks: recorder.thinks,
            think_drawn_ns: recorder.think_drawn_ns,
            think_kept_ns: recorder.think_kept_ns,
            work_left: part.work_left,
            interrupted: part.interrupted,
        }
    }

    fn add(&mut self, other: Self) {
        for (own, other) in self.operations.iter_mut().zip(&other.operations) {
            if let (Some(own), Some(other)) = (own, other) {
                own.add(other);
            }
        }
        for (own, other) in self.sessions.iter_mut().zip(&other.sessions) {
            if let (Some(own), Some(other)) = (own, other) {
                own.add(other);
            }
        }
        self.samples.extend(other.samples);
        self.log.extend(other.log);
        self.lateness.add(&other.lateness);
        self.cpu = self.cpu.plus(other.cpu);
        self.connects += other.connects;
        self.closes += other.closes;
        self.unasked += other.unasked;
        self.repeated += other.repeated;
        self.redirects += other.redirects;
        self.unfinished += other.unfinished;
        self.oldest_unfinished = self.oldest_unfinished.max(other.oldest_unfinished);
        self.unfinished_waits += other.unfinished_waits;
        self.unanswered_waits += other.unanswered_waits;
        self.last_answer = self.last_answer.max(other.last_answer);
        self.carried += other.carried;
        self.forgone += other.forgone;
        self.instrument = self.instrument.or(other.instrument);
        self.started
            .iter_mut()
            .zip(&other.started)
            .for_each(|(own, other)| *own += other);
        self.thinks += other.thinks;
        self.think_drawn_ns += other.think_drawn_ns;
        self.think_kept_ns += other.think_kept_ns;
        self.work_left += other.work_left;
        self.interrupted |= other.interrupted;
    }
}
