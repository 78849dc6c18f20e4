//! Gathers the threads' seconds into rows of `ticks.csv` and lines of progress.

use std::collections::BTreeMap;

use super::{Second, Tick};
use crate::clock::{CpuTime, Ns, SECOND};
use crate::job::Slice;
use crate::plan::SlicePlan;
use crate::record::{Counts, Lateness, TickPart, TickRow};

/// Where the parts of a second come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parts {
    /// One from each thread.
    OfEachThread,
    /// One in all: turns are put together before.
    OfAllThreads,
}

/// Waits for every thread's part of a second, and sums up over the slice.
pub struct TickGatherer {
    slice: Slice,
    /// Place and name of the operations that the slice uses.
    operations: Vec<(usize, String)>,
    /// The last second that each source has reported, if any; it reports none before that one any more. `u64::MAX` of a thread that
    /// has ended.
    last: Vec<Option<u64>>,
    length: Ns,
    threads: u32,
    waiting: BTreeMap<u64, Vec<TickPart>>,
    /// When the second before ended, counted from the slice's begin.
    before: Ns,
    completed: u64,
    failed: u64,
    wrong: u64,
}

impl TickGatherer {
    pub fn new(plan: &SlicePlan, slice: &Slice, parts: Parts) -> Self {
        let sources = match parts {
            Parts::OfEachThread => plan.threads as usize,
            Parts::OfAllThreads => 1,
        };
        let names = plan.corpus.operations.iter().cloned().enumerate();
        Self {
            slice: slice.clone(),
            operations: names
                .zip(&plan.used)
                .filter(|(_, used)| **used)
                .map(|(name, _)| name)
                .collect(),
            last: vec![None; sources],
            threads: plan.threads,
            length: plan.length,
            waiting: BTreeMap::new(),
            before: 0,
            completed: 0,
            failed: 0,
            wrong: 0,
        }
    }

    /// Adds a part; returns the seconds that are complete with it.
    pub fn take(&mut self, part: TickPart) -> Vec<Tick> {
        if let Some(last) = self.last.get_mut(part.thread as usize) {
            *last = Some(if part.is_last { u64::MAX } else { part.index });
        }
        self.waiting.entry(part.index).or_default().push(part);
        let told_of = self.last.iter().min().copied().flatten();
        let mut ticks = Vec::new();
        while let Some(first) = self.waiting.first_entry()
            && Some(*first.key()) <= told_of
        {
            let parts = first.remove();
            ticks.push(self.tick(&parts));
        }
        ticks
    }

    /// Seconds that some thread did not report, because it was stopped.
    pub fn rest(&mut self) -> Vec<Tick> {
        let waiting = std::mem::take(&mut self.waiting);
        waiting.values().map(|parts| self.tick(parts)).collect()
    }

    fn tick(&mut self, parts: &[TickPart]) -> Tick {
        let time = parts.iter().map(|part| part.end).max().unwrap_or(0);
        let elapsed = parts
            .first()
            .map_or(0, |part| (part.index * SECOND + SECOND).min(self.length));
        let span = elapsed.saturating_sub(self.before).max(1);
        self.before = elapsed;
        let mut lateness = Lateness::default();
        parts.iter().for_each(|part| lateness.add(&part.lateness));
        let cpu: Ns = parts.iter().map(|part| CpuTime::total(part.cpu)).sum();
        let users_active = parts.iter().map(|part| part.users_active).sum();
        let (mut rows, mut answered) = (Vec::new(), Counts::default());
        for (place, name) in &self.operations {
            let mut counts = Counts::default();
            parts.iter().for_each(|part| counts.add(&part.operations[*place]));
            self.completed += counts.measured.completed;
            self.failed += counts.measured.failed();
            self.wrong += counts.measured.wrong;
            answered.add(&counts);
            rows.push(TickRow {
                time,
                slice: self.slice.number,
                subject: self.slice.subject.clone(),
                operation: name.clone(),
                counts,
                users_active,
                engine_cpu_share: cpu as f64 / (span as f64 * f64::from(self.threads)),
                lateness_p99: lateness.quantile(0.99),
            });
        }
        let seconds = |time: Ns| (time as f64 / 1e6).round() / 1e3;
        let progress = serde_json::json!({
            "slice": self.slice.number,
            "subject": self.slice.subject,
            "phase": self.slice.phase,
            "elapsed_s": seconds(elapsed),
            "seconds": seconds(self.length),
            "completed": self.completed,
            "failed": self.failed,
            "wrong": self.wrong,
            "response_ms": (answered.measured.completed > 0).then(|| answered.response_ns_sum as f64 / answered.measured.completed as f64 / 1e6),
            "users": users_active,
        });
        Tick {
            rows,
            progress,
            second: second_of(parts, time, &self.slice),
        }
    }
}

/// The response times of a second, those of all threads together, where they are kept.
fn second_of(parts: &[TickPart], end: Ns, slice: &Slice) -> Option<Second> {
    let mut kept = parts.iter().filter_map(|part| part.response.as_deref());
    let mut response = kept.next()?.clone();
    for other in kept {
        // All have the same bounds, so adding cannot fail.
        let _ = response.add(other);
    }
    Some(Second {
        tag: format!("{}/{}/{}/response", slice.subject, slice.number, slice.operation()),
        end,
        response,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Corpus;
    use crate::plan::PlanMaker;
    use std::path::Path;
    use std::sync::Arc;

    fn gatherer(threads: u32) -> TickGatherer {
        let job = serde_json::json!({
            "seed": 1, "corpus": "", "rules": {"right": {}}, "threads": threads,
            "targets": [{"subject": "a", "url": "http://127.0.0.1:9/"}],
            "slices": [{
                "number": 0, "subject": "a", "phase": "p", "deck_seed": 1, "mix": {"echo": 1},
                "profile": {"kind": "big-bang", "users": 2, "seconds": 10},
            }],
        });
        let job = crate::validation::parse(job.to_string().as_bytes()).unwrap();
        let corpus = Arc::new(Corpus::of_one("echo", Vec::new(), true));
        let maker = PlanMaker::new(job, corpus, Path::new(".")).unwrap();
        TickGatherer::new(&maker.slice(0).unwrap(), &maker.job().slices[0], Parts::OfEachThread)
    }

    fn part(thread: u32, index: u64) -> TickPart {
        let started = Counts {
            started: 1 + u64::from(thread),
            ..Counts::default()
        };
        TickPart {
            thread,
            index,
            end: (index + 1) * SECOND,
            operations: vec![started],
            users_active: 1,
            cpu: CpuTime::default(),
            lateness: Lateness::default(),
            response: None,
            is_last: false,
        }
    }

    #[test]
    fn a_thread_whose_users_are_done_holds_no_later_seconds_back() {
        let mut gatherer = gatherer(2);
        let last = TickPart {
            is_last: true,
            ..part(1, 0)
        };
        assert_eq!(gatherer.take(last).len(), 0);
        assert_eq!(gatherer.take(part(0, 0)).len(), 1);
        assert_eq!(gatherer.take(part(0, 1)).len(), 1);
        assert_eq!(gatherer.take(part(0, 2)).len(), 1);
    }

    #[test]
    fn a_second_that_one_thread_missed_holds_no_later_ones_back() {
        let mut gatherer = gatherer(2);
        let mut take = |thread, index| -> Vec<(Ns, u64)> {
            let ticks = gatherer.take(part(thread, index));
            let rows = ticks.iter().flat_map(|tick| &tick.rows);
            rows.map(|row| (row.time / SECOND, row.counts.started)).collect()
        };
        assert_eq!(take(0, 0), []);
        assert_eq!(take(1, 0), [(1, 3)]);
        assert_eq!(take(0, 1), []);
        // The other thread stood still over a whole second.
        assert_eq!(take(1, 2), [(2, 1)]);
        assert_eq!(take(0, 2), [(3, 3)]);
        assert_eq!(take(1, 3), []);
        assert_eq!(take(0, 3), [(4, 3)]);
    }
}
