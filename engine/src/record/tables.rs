//! `slices.csv`, `outcomes.csv`, `ticks.csv` and `requests.csv`, column for column as contracts/engine-output.md has them.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use super::counts::{Counts, Outcomes};
use super::endings::Endings;
use super::recorder::Logged;
use crate::clock::{CpuTime, Ns};
use crate::error::{EngineError, Result};

const SLICE_COLUMNS: &str = "slice,subject,phase,operation,begin_ns,end_ns,measured_ns,started,completed,expected_faults,wrong,\
    refused,reset,timeout,tls,malformed,status,fault,truncated,stale_failed,capture,\
    stale,unfinished,oldest_unfinished_ns,unfinished_ns_sum,unanswered_ns_sum,last_answer_ns,carried_ns_sum,connects,closes,sent,dropped,lead_in_completed,outside_wrong,\
    outside_refused,outside_reset,outside_timeout,outside_tls,outside_malformed,outside_status,outside_fault,\
    outside_truncated,outside_stale_failed,outside_capture,outside_stale,bytes_out,bytes_in,\
    response_ns_sum,service_ns_sum,\
    sessions,sessions_failed,session_ns_sum,thinks,think_ns_sum,engine_user_ns,engine_system_ns,\
    thread_cpu_most_ns,thread_sent_most,cpu_own_ns,cpu_other_ns,cpu_between_ns,cpu_window_ns,lateness_p99_ns,valid,why_not";

const TICK_COLUMNS: &str = "time_ns,slice,subject,operation,started,completed,wrong,\
    refused,reset,timeout,tls,malformed,status,fault,truncated,stale_failed,capture,\
    bytes_out,bytes_in,users_active,late_starts,response_ns_sum,engine_cpu_share,lateness_p99_ns";

/// Processor time of a subject's processes: in its own turns, in those of others, and between pairs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SubjectCpu {
    pub own: Ns,
    pub other: Ns,
    pub between: Ns,
}

/// Sessions that ended in the measured time, the summed time of the whole ones, and the pauses that ended in it, as drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SessionSums {
    pub completed: u64,
    pub failed: u64,
    pub time: Ns,
    pub thinks: u64,
    pub think: Ns,
}

/// One slice, all operations and threads together.
#[derive(Debug, Clone, Default)]
pub struct SliceRow {
    pub slice: u64,
    pub subject: String,
    pub phase: String,
    pub operation: String,
    pub begin: Ns,
    pub end: Ns,
    /// The measured time between them, all of it or that of the slice's turns.
    pub measured: Ns,
    pub counts: Counts,
    pub sessions: SessionSums,
    pub unfinished: u64,
    pub oldest_unfinished: Ns,
    pub unfinished_waits: Ns,
    pub unanswered_waits: Ns,
    pub last_answer: Ns,
    pub carried: Ns,
    pub connects: u64,
    pub closes: u64,
    pub cpu: CpuTime,
    /// Processor time of the engine's busiest thread, and requests of the one that took up most.
    pub thread_cpu_most: Ns,
    pub thread_sent_most: u64,
    pub subject_cpu: Option<SubjectCpu>,
    /// Processor time of the subject in the measured time of a stretch.
    pub window_cpu: Option<Ns>,
    pub lateness_p99: Ns,
    /// Why the slice is not valid; empty where it is.
    pub why_not: Vec<String>,
}

/// One second of one operation.
#[derive(Debug, Clone, Default)]
pub struct TickRow {
    pub time: Ns,
    pub slice: u64,
    pub subject: String,
    pub operation: String,
    pub counts: Counts,
    pub users_active: u32,
    pub engine_cpu_share: f64,
    pub lateness_p99: Ns,
}

pub struct SliceTable(Table);
pub struct OutcomeTable(Table);
pub struct RequestTable(Table);
pub struct TickTable(Table);

struct Table {
    out: BufWriter<File>,
    path: PathBuf,
}

impl Table {
    fn create(path: &Path, columns: &str) -> Result<Self> {
        let out = BufWriter::new(File::create(path).map_err(EngineError::file("write", path))?);
        let mut table = Self {
            out,
            path: path.to_owned(),
        };
        table.line(columns)?;
        table.flush()?;
        Ok(table)
    }

    fn line(&mut self, line: &str) -> Result<()> {
        writeln!(self.out, "{line}").map_err(EngineError::file("write", &self.path))
    }

    fn flush(&mut self) -> Result<()> {
        self.out.flush().map_err(EngineError::file("write", &self.path))
    }
}

impl RequestTable {
    pub fn create(path: &Path) -> Result<Self> {
        Table::create(path, "slice,due_ns,taken_up_ns,response_ns,right").map(Self)
    }

    /// Appends a slice's requests in the order in which they were due, and flushes them.
    pub fn append(&mut self, slice: u64, log: &[Logged]) -> Result<()> {
        let mut rows = log.to_vec();
        rows.sort_by_key(|logged| logged.due);
        for row in rows {
            let right = u8::from(row.right);
            self.0.line(&format!(
                "{slice},{},{},{},{right}",
                row.due, row.taken_up, row.response
            ))?;
        }
        self.0.flush()
    }
}

impl OutcomeTable {
    pub fn create(path: &Path) -> Result<Self> {
        Table::create(path, "slice,subject,operation,ended,outcome,cause,status,count").map(Self)
    }

    /// Appends how the requests of one operation of a slice ended.
    pub fn append(&mut self, slice: u64, subject: &str, operation: &str, endings: &Endings) -> Result<()> {
        for (ending, count) in endings.sorted() {
            let status = match ending.status {
                0 => String::new(),
                status => status.to_string(),
            };
            self.0.line(&format!(
                "{slice},{subject},{operation},{},{},{},{status},{count}",
                ending.when.name(),
                ending.outcome,
                quoted(ending.cause),
            ))?;
        }
        Ok(())
    }

    pub fn flush(&mut self) -> Result<()> {
        self.0.flush()
    }
}

impl SliceTable {
    pub fn create(path: &Path) -> Result<Self> {
        Table::create(path, SLICE_COLUMNS).map(Self)
    }

    /// Appends a row and flushes it.
    pub fn append(&mut self, row: &SliceRow) -> Result<()> {
        let (c, sessions) = (&row.counts, &row.sessions);
        let line = format!(
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
            row.slice,
            row.subject,
            row.phase,
            row.operation,
            row.begin,
            row.end,
            row.measured,
            c.started,
            c.measured.completed,
            c.expected_faults,
            c.measured.wrong,
            failures(&c.measured),
            c.measured.stale,
            row.unfinished,
            row.oldest_unfinished,
            row.unfinished_waits,
            row.unanswered_waits,
            row.last_answer,
            row.carried,
            row.connects,
            row.closes,
            c.sent,
            c.dropped,
            c.outside.completed,
            c.outside.wrong,
            failures(&c.outside),
            c.outside.stale,
            c.bytes_out,
            c.bytes_in,
            c.response_ns_sum,
            c.service_ns_sum,
            sessions.completed,
            sessions.failed,
            sessions.time,
            sessions.thinks,
            sessions.think,
            row.cpu.user,
            row.cpu.system,
            row.thread_cpu_most,
            row.thread_sent_most,
            subject_cpu(row.subject_cpu),
            row.window_cpu.map(|ns| ns.to_string()).unwrap_or_default(),
            row.lateness_p99,
            u8::from(row.why_not.is_empty()),
            quoted(&row.why_not.join("; ")),
        );
        self.0.line(&line)?;
        self.0.flush()
    }
}

impl TickTable {
    pub fn create(path: &Path) -> Result<Self> {
        Table::create(path, TICK_COLUMNS).map(Self)
    }

    pub fn append(&mut self, row: &TickRow) -> Result<()> {
        let c = &row.counts;
        self.0.line(&format!(
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{:.4},{}",
            row.time,
            row.slice,
            row.subject,
            row.operation,
            c.started,
            c.measured.completed,
            c.measured.wrong,
            failures(&c.measured),
            c.bytes_out,
            c.bytes_in,
            row.users_active,
            c.late_starts,
            c.response_ns_sum,
            row.engine_cpu_share,
            row.lateness_p99,
        ))
    }

    pub fn flush(&mut self) -> Result<()> {
        self.0.flush()
    }
}

fn failures(outcomes: &Outcomes) -> String {
    outcomes.failures.map(|count| count.to_string()).join(",")
}

/// Three cells, empty if nothing is known.
fn subject_cpu(cpu: Option<SubjectCpu>) -> String {
    cpu.map_or_else(
        || ",,".to_owned(),
        |cpu| format!("{},{},{}", cpu.own, cpu.other, cpu.between),
    )
}

pub(super) fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
