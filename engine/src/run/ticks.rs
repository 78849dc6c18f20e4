//! Gathers the threads' seconds into rows of `ticks.csv` and lines of progress.

use std::collections::BTreeMap;

use super::Tick;
use crate::clock::{CpuTime, Ns, SECOND};
use crate::job::Slice;
use crate::record::{Counts, Lateness, TickPart, TickRow};
use crate::worker::SlicePlan;

/// Waits for every thread's part of a second, and sums up over the slice.
pub struct TickGatherer {
    slice: Slice,
    /// Place and name of the operations that the slice uses.
    operations: Vec<(usize, String)>,
    threads: usize,
    length: Ns,
    waiting: BTreeMap<u64, Vec<TickPart>>,
    /// When the second before ended, counted from the slice's begin.
    before: Ns,
    completed: u64,
    failed: u64,
    wrong: u64,
}

impl TickGatherer {
    pub fn new(plan: &SlicePlan, slice: &Slice) -> Self {
        let names = plan.corpus.operations.iter().cloned().enumerate();
        Self {
            slice: slice.clone(),
            operations: names
                .zip(plan.used())
                .filter(|(_, used)| *used)
                .map(|(name, _)| name)
                .collect(),
            threads: plan.threads as usize,
            length: plan.length,
            waiting: BTreeMap::new(),
            before: 0,
            completed: 0,
            failed: 0,
            wrong: 0,
        }
    }

    /// Takes a thread's part; gives the seconds that are complete now.
    pub fn take(&mut self, part: TickPart) -> Vec<Tick> {
        self.waiting.entry(part.index).or_default().push(part);
        let mut ticks = Vec::new();
        while let Some(first) = self.waiting.first_entry()
            && first.get().len() == self.threads
        {
            let parts = first.remove();
            ticks.push(self.tick(&parts));
        }
        ticks
    }

    /// Seconds that some thread never told of, because it stood still.
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
            self.completed += counts.completed;
            self.failed += counts.failed();
            self.wrong += counts.wrong;
            answered.add(&counts);
            rows.push(TickRow {
                time,
                slice: self.slice.number,
                subject: self.slice.subject.clone(),
                operation: name.clone(),
                counts,
                users_active,
                engine_cpu_share: cpu as f64 / (span as f64 * self.threads as f64),
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
            "response_ms": (answered.completed > 0).then(|| answered.response_ns_sum as f64 / answered.completed as f64 / 1e6),
            "users": users_active,
        });
        Tick { rows, progress }
    }
}
