//! When the `freeze` server stops serving, and what it reports of that.

use crate::clock::now_ns;
use crate::report;

/// A server that stops serving for the last `length_ns` of every `period_ns`.
pub struct Freezes {
    period_ns: u64,
    length_ns: u64,
    next_begin_ns: u64,
    current: Option<Freeze>,
}

/// One freeze as it came about, and how the requests that had piled up were worked off.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub struct Freeze {
    pub begin_ns: u64,
    pub end_ns: u64,
    /// Answers until all that had piled up were answered, and the instant of the last of them.
    pub backlog: u64,
    pub backlog_end_ns: u64,
}

impl Freezes {
    pub fn new(period_ns: u64, length_ns: u64) -> Self {
        Self {
            period_ns,
            length_ns,
            next_begin_ns: now_ns() + period_ns - length_ns,
            current: None,
        }
    }

    /// When the loop must look at us again: at the next freeze or, while a backlog is worked off, at once.
    pub fn wakes_ns(&self, now_ns: u64) -> u64 {
        if self.current.is_some() {
            now_ns + 1
        } else {
            self.next_begin_ns
        }
    }

    /// Begins a freeze whose time has come and gives its end.
    pub fn begin_if_due(&mut self, now_ns: u64) -> Option<u64> {
        if now_ns < self.next_begin_ns {
            return None;
        }
        self.report_current();
        let end_ns = self.next_begin_ns + self.length_ns;
        self.next_begin_ns += self.period_ns;
        self.current = Some(Freeze {
            begin_ns: now_ns,
            end_ns,
            backlog: 0,
            backlog_end_ns: end_ns,
        });
        Some(end_ns)
    }

    /// Takes note of when the freeze really ended.
    pub fn end(&mut self, now_ns: u64) {
        if let Some(freeze) = &mut self.current {
            freeze.end_ns = now_ns;
            freeze.backlog_end_ns = now_ns;
        }
    }

    pub fn answered(&mut self) {
        if let Some(freeze) = &mut self.current {
            freeze.backlog += 1;
            freeze.backlog_end_ns = now_ns();
        }
    }

    /// After each batch of events; the first that neither accepts nor answers tells that nothing piled up is left.
    pub fn after_batch(&mut self, idle: bool) {
        if idle {
            self.report_current();
        }
    }

    fn report_current(&mut self) {
        if let Some(freeze) = self.current.take() {
            report::line(&serde_json::json!({ "freeze": freeze }));
        }
    }
}
