//! Stored exchanges, up to a maximum: failures first, and one right answer in `one_in`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use super::recorder::Exchange;
use crate::error::{EngineError, Result};
use crate::job::Samples;
use crate::verify::Outcome;

/// One stored exchange.
#[derive(Debug)]
pub struct Sample {
    pub exchange: Exchange,
    pub outcome: Outcome,
    /// The head of an answer that is not right; empty where there is none.
    pub head: Vec<u8>,
    pub answer: Vec<u8>,
}

/// The number of samples that one slice (of one worker) may still store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleAllowance {
    pub one_in: u64,
    pub right: u64,
    pub failed: u64,
    /// Of all answers together.
    pub bytes: usize,
}

/// All kept answers of a slice together may have this many bytes.
const MOST_BYTES: usize = 16 * 1024 * 1024;

impl SampleAllowance {
    /// The allowance of the next slice, where `left` slices have not run, this one included. What earlier slices did not use is passed on.
    pub fn share(samples: &Samples, used_right: u64, used_failed: u64, left: u64) -> Self {
        let share = |most: u64, used: u64| most.saturating_sub(used).div_ceil(left.max(1));
        Self {
            one_in: samples.one_in,
            right: share(samples.most_right, used_right),
            failed: share(samples.most_failed, used_failed),
            bytes: MOST_BYTES,
        }
    }

    /// The share of one of `threads` workers; the first get what does not divide.
    pub fn of_thread(self, thread: u32, threads: u32) -> Self {
        let (thread, threads) = (u64::from(thread), u64::from(threads));
        let part = |all: u64| all / threads + u64::from(thread < all % threads);
        Self {
            one_in: self.one_in,
            right: part(self.right),
            failed: part(self.failed),
            bytes: self.bytes / threads as usize,
        }
    }

    /// The allowance that remains after these samples.
    pub fn less(self, samples: &[Sample]) -> Self {
        let right = |sample: &&Sample| matches!(sample.outcome, Outcome::Right { .. });
        let right = samples.iter().filter(right).count() as u64;
        let bytes = samples.iter().map(|sample| sample.answer.len()).sum();
        Self {
            right: self.right.saturating_sub(right),
            failed: self.failed.saturating_sub(samples.len() as u64 - right),
            bytes: self.bytes.saturating_sub(bytes),
            ..self
        }
    }
}

/// Decides in a worker which exchanges are stored, and holds them until the slice ends.
#[derive(Debug)]
pub struct SampleKeeper {
    allowance: SampleAllowance,
    pub kept: Vec<Sample>,
}

impl SampleKeeper {
    pub fn new(allowance: SampleAllowance) -> Self {
        Self {
            allowance,
            kept: Vec::new(),
        }
    }

    /// Whether the answer to this card will be kept if it is right.
    #[inline]
    pub fn chooses(&self, card: u64) -> bool {
        self.allowance.right > 0 && card.is_multiple_of(self.allowance.one_in)
    }

    /// Whether a failure would still be kept.
    #[inline]
    pub fn wants_failures(&self) -> bool {
        self.allowance.failed > 0
    }

    /// Keeps an exchange, if its turn has come; a right answer only where `whole` says that nothing of it is missing.
    #[inline]
    pub fn offer(&mut self, exchange: &Exchange, outcome: Outcome, head: &[u8], answer: &[u8], whole: bool) {
        let right = matches!(outcome, Outcome::Right { .. });
        let wanted = match right {
            true => whole && self.chooses(exchange.card),
            false => self.wants_failures(),
        };
        if !wanted {
            return;
        }
        if answer.len() > self.allowance.bytes {
            return;
        }
        if right {
            self.allowance.right -= 1;
        } else {
            self.allowance.failed -= 1;
        }
        self.allowance.bytes -= answer.len();
        self.kept.push(Sample {
            exchange: *exchange,
            outcome,
            head: if right { Vec::new() } else { without_secrets(head) },
            answer: answer.to_vec(),
        });
    }
}

/// Header fields whose values may be secrets: they are not written.
const SECRET_FIELDS: [&[u8]; 9] = [
    b"set-cookie",
    b"set-cookie2",
    b"authorization",
    b"proxy-authorization",
    b"authentication-info",
    b"proxy-authentication-info",
    b"x-auth-token",
    b"x-csrf-token",
    b"x-xsrf-token",
];

/// The lines of a head without values that may be secrets; a redirect's address is cut at its query.
fn without_secrets(head: &[u8]) -> Vec<u8> {
    let mut shown = Vec::with_capacity(head.len());
    let mut hidden = false;
    for line in head.split(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.first().is_some_and(|byte| matches!(byte, b' ' | b'\t')) && hidden {
            continue; // a folded line goes on with the field before
        }
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let (name, value) = line.split_at(colon);
        let name = name.trim_ascii();
        hidden = SECRET_FIELDS.iter().any(|secret| name.eq_ignore_ascii_case(secret));
        if hidden {
            shown.extend_from_slice(name);
            shown.extend_from_slice(b": (removed)");
        } else if name.eq_ignore_ascii_case(b"location") {
            let end = value.iter().position(|byte| matches!(byte, b'?' | b'#'));
            shown.extend_from_slice(&line[..end.map_or(line.len(), |end| colon + end)]);
            hidden = true;
        } else {
            shown.extend_from_slice(line);
        }
        shown.push(b'\n');
    }
    shown.truncate(shown.trim_ascii_end().len());
    if !shown.is_empty() {
        shown.push(b'\n');
    }
    shown
}

/// The folder `samples/`: an index, and a file with the body of each answer; one with the head of each that is not right.
pub struct SampleFolder {
    folder: PathBuf,
    index: BufWriter<File>,
    written: u64,
    pub right: u64,
    pub failed: u64,
}

impl SampleFolder {
    pub fn create(folder: &Path) -> Result<Self> {
        std::fs::create_dir_all(folder).map_err(EngineError::file("make the folder", folder))?;
        let path = folder.join("index.csv");
        let mut index = BufWriter::new(File::create(&path).map_err(EngineError::file("write", &path))?);
        writeln!(
            index,
            "sample,slice,subject,operation,entry,outcome,due_ns,sent_ns,first_byte_ns,last_byte_ns,status,cause"
        )
        .map_err(EngineError::file("write", &path))?;
        Ok(Self {
            folder: folder.to_owned(),
            index,
            written: 0,
            right: 0,
            failed: 0,
        })
    }

    /// Writes a slice's samples.
    pub fn append(&mut self, slice: u64, subject: &str, operations: &[String], samples: &[Sample]) -> Result<()> {
        for sample in samples {
            let path = self.folder.join(format!("{}.answer", self.written));
            std::fs::write(&path, &sample.answer).map_err(EngineError::file("write", &path))?;
            if !sample.head.is_empty() {
                let path = self.folder.join(format!("{}.head", self.written));
                std::fs::write(&path, &sample.head).map_err(EngineError::file("write", &path))?;
            }
            let exchange = &sample.exchange;
            let cause = match sample.outcome {
                Outcome::Failed(failed) => failed.cause,
                _ => "",
            };
            let operation = &operations[usize::from(exchange.operation)];
            writeln!(
                self.index,
                "{},{slice},{subject},{operation},{},{},{},{},{},{},{},{}",
                self.written,
                exchange.entry,
                sample.outcome.name(),
                exchange.due,
                exchange.sent,
                exchange.first_byte,
                exchange.last_byte,
                exchange.status,
                super::tables::quoted(cause)
            )
            .map_err(EngineError::file("write the index of", &self.folder))?;
            self.written += 1;
            match sample.outcome {
                Outcome::Right { .. } => self.right += 1,
                _ => self.failed += 1,
            }
        }
        self.index
            .flush()
            .map_err(EngineError::file("write the index of", &self.folder))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_head_has_its_status_line_and_no_secret() {
        let head = b"HTTP/1.1 302 Found\r\nServer: a\r\nset-COOKIE: sid=secret;\r\n folded secret\r\n\
            Location: https://a/b?code=secret#secret\r\nX-Auth-Token: secret\r\nX: y: z\r\n\r\n";
        let shown = String::from_utf8(without_secrets(head)).unwrap();
        assert_eq!(
            shown,
            "HTTP/1.1 302 Found\nServer: a\nset-COOKIE: (removed)\nLocation: https://a/b\nX-Auth-Token: (removed)\nX: y: z\n"
        );
        assert_eq!(without_secrets(b""), b"", "no head came");
    }
}
