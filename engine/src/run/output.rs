//! The files in the output folder, appended and flushed when a slice has ended.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use super::Tick;
use super::audit::{Audit, EngineAudit, SliceAudit};
use super::merge::SliceResult;
use crate::clock::{Clock, CpuTime, Monotonic, SECOND, greatest_resident_bytes, wall_seconds};
use crate::error::{EngineError, Result};
use crate::job::{Job, Slice};
use crate::plan::SlicePlan;
use crate::record::{HistogramLog, OutcomeTable, RequestTable, SampleFolder, SliceRow, SliceTable, TickTable};

const SECONDS: &str = "seconds.hlog";

pub struct Output {
    folder: PathBuf,
    slices: SliceTable,
    outcomes: OutcomeTable,
    ticks: TickTable,
    histograms: HistogramLog<BufWriter<File>>,
    /// Histograms of each second, if the job asks for them.
    seconds: Option<HistogramLog<BufWriter<File>>>,
    /// Every request, if the job asks for them.
    requests: Option<RequestTable>,
    samples: SampleFolder,
    audits: Vec<SliceAudit>,
    threads: u32,
    cpus: Vec<u32>,
    listed: usize,
}

impl Output {
    /// Makes the folder and all its files, and overwrites older ones.
    pub fn create(folder: &Path, job: &Job) -> Result<Self> {
        std::fs::create_dir_all(folder).map_err(EngineError::file("make the folder", folder))?;
        let seconds = match job.seconds_histograms {
            true => Some(histogram_log(&folder.join(SECONDS))?),
            false => None,
        };
        let mut output = Self {
            slices: SliceTable::create(&folder.join("slices.csv"))?,
            outcomes: OutcomeTable::create(&folder.join("outcomes.csv"))?,
            ticks: TickTable::create(&folder.join("ticks.csv"))?,
            histograms: histogram_log(&folder.join("intervals.hlog"))?,
            seconds,
            requests: match job.log_requests {
                true => Some(RequestTable::create(&folder.join("requests.csv"))?),
                false => None,
            },
            samples: SampleFolder::create(&folder.join("samples"))?,
            folder: folder.to_owned(),
            audits: Vec::new(),
            threads: job.threads,
            cpus: job.cpus.clone(),
            listed: job.slices.len(),
        };
        output.summary()?;
        Ok(output)
    }

    /// The number of samples of right answers and of others written so far.
    pub fn samples_written(&self) -> (u64, u64) {
        (self.samples.right, self.samples.failed)
    }

    /// Appends a second of a slice and flushes it, for readers during the run and in case the engine is killed.
    pub fn tick(&mut self, tick: &Tick) -> Result<()> {
        tick.rows.iter().try_for_each(|row| self.ticks.append(row))?;
        self.ticks.flush()?;
        if let (Some(log), Some(second)) = (&mut self.seconds, &tick.second) {
            let begin = second.end.saturating_sub(SECOND);
            log.append(&second.tag, begin, second.end, &second.response)
                .map_err(EngineError::file("write", self.folder.join(SECONDS)))?;
            self.flush_seconds()?;
        }
        Ok(())
    }

    fn flush_seconds(&mut self) -> Result<()> {
        match &mut self.seconds {
            None => Ok(()),
            Some(log) => log
                .flush()
                .map_err(EngineError::file("write", self.folder.join(SECONDS))),
        }
    }

    /// Appends a slice to all files.
    pub fn slice(&mut self, slice: &Slice, plan: &SlicePlan, result: &SliceResult) -> Result<()> {
        let audit = SliceAudit::new(slice, plan, result);
        self.ticks.flush()?;
        self.flush_seconds()?;
        self.histograms(slice, plan, result)
            .map_err(EngineError::file("write", self.folder.join("intervals.hlog")))?;
        self.samples
            .append(slice.number, &slice.subject, &plan.corpus.operations, &result.samples)?;
        if let Some(requests) = &mut self.requests {
            requests.append(slice.number, &result.log)?;
        }
        for (record, operation) in result.operations.iter().zip(&plan.corpus.operations) {
            if let Some(record) = record {
                self.outcomes
                    .append(slice.number, &slice.subject, operation, &record.endings)?;
            }
        }
        self.outcomes.flush()?;
        self.slices.append(&SliceRow {
            slice: slice.number,
            subject: slice.subject.clone(),
            phase: slice.phase.clone(),
            operation: slice.operation(),
            begin: result.begin,
            end: result.end,
            measured: result.measured,
            counts: result.counts(),
            sessions: result.session_sums(),
            unfinished: result.unfinished,
            oldest_unfinished: result.oldest_unfinished,
            unfinished_waits: result.unfinished_waits,
            unanswered_waits: result.unanswered_waits,
            last_answer: result.last_answer,
            carried: result.carried,
            connects: result.connects,
            closes: result.closes,
            cpu: result.cpu,
            thread_cpu_most: result.threads.iter().map(|share| share.cpu.total()).max().unwrap_or(0),
            thread_sent_most: result.threads.iter().map(|share| share.sent).max().unwrap_or(0),
            subject_cpu: result.subject_cpu,
            window_cpu: result.window_cpu,
            lateness_p99: result.lateness.quantile(0.99),
            why_not: audit.why_not.clone(),
        })?;
        self.audits.push(audit);
        self.summary()
    }

    fn histograms(&mut self, slice: &Slice, plan: &SlicePlan, result: &SliceResult) -> std::io::Result<()> {
        for (place, record) in result.operations.iter().enumerate() {
            let Some(record) = record else { continue };
            let operation = &plan.corpus.operations[place];
            for (kind, histogram) in record.by_kind() {
                // These are written only if there were any.
                let always = !matches!(kind, "tls" | "late" | "carried" | "first_event" | "between_events");
                if always || !histogram.is_empty() {
                    let tag = format!("{}/{}/{operation}/{kind}", slice.subject, slice.number);
                    self.histograms.append(&tag, result.begin, result.end, &histogram)?;
                }
            }
        }
        for (session, part) in result.sessions.iter().zip(&plan.mix) {
            let Some(session) = session else { continue };
            for (kind, histogram) in session.by_kind() {
                if kind == "session" || !histogram.is_empty() {
                    let tag = format!("{}/{}/{}/{kind}", slice.subject, slice.number, part.name);
                    self.histograms.append(&tag, result.begin, result.end, histogram)?;
                }
            }
        }
        self.histograms.flush()
    }

    /// Replaces the summary as a whole, so that a run that ends early leaves one.
    fn summary(&mut self) -> Result<()> {
        let cpu = CpuTime::of_process();
        let max_rss_bytes = greatest_resident_bytes();
        let audit = Audit {
            engine: EngineAudit {
                version: env!("CARGO_PKG_VERSION"),
                threads: self.threads,
                cpus: self.cpus.clone(),
                user_cpu_s: cpu.user as f64 / 1e9,
                system_cpu_s: cpu.system as f64 / 1e9,
                max_rss_bytes,
                complete: self.audits.len() == self.listed && !self.audits.iter().any(|slice| slice.interrupted),
            },
            slices: std::mem::take(&mut self.audits),
        };
        let text = serde_json::to_vec_pretty(&audit);
        self.audits = audit.slices;
        let (path, part) = (self.folder.join("summary.json"), self.folder.join("summary.json.part"));
        text.map_err(std::io::Error::other)
            .and_then(|text| std::fs::write(&part, text))
            .and_then(|()| std::fs::rename(&part, &path))
            .map_err(EngineError::file("write", &path))
    }

    pub fn finish(mut self) -> Result<()> {
        self.ticks.flush()?;
        self.flush_seconds()?;
        self.summary()
    }
}

/// A log whose base time is now.
fn histogram_log(path: &Path) -> Result<HistogramLog<BufWriter<File>>> {
    let out = BufWriter::new(File::create(path).map_err(EngineError::file("write", path))?);
    HistogramLog::new(out, wall_seconds(), Monotonic.now()).map_err(EngineError::file("write", path))
}
