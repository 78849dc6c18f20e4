//! The request bodies: mapped, not loaded, so that a corpus may be larger than memory.

use std::fs::File;
use std::path::Path;

use memmap2::Mmap;
use serde::Deserialize;

use crate::error::{EngineError, Result};

/// One request body and what is known of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    pub offset: u64,
    pub length: u64,
    /// Index into `Corpus::operations`.
    pub operation: u16,
    /// Index into the job's rules, in their order.
    pub rule: u16,
    /// Whether the request may be sent twice.
    pub safe: bool,
}

enum Bytes {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

/// All request bodies of a job, with their index.
pub struct Corpus {
    bytes: Bytes,
    pub entries: Vec<Entry>,
    pub operations: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    entry: u64,
    operation: String,
    offset: u64,
    length: u64,
    rule: String,
    safe: u8,
}

impl Corpus {
    /// Maps `corpus.bin` and reads `corpus.csv` in `folder`; `rules` are the job's, in order.
    pub fn open(folder: &Path, rules: &[&str]) -> Result<Self> {
        let bin = folder.join("corpus.bin");
        let file = File::open(&bin).map_err(EngineError::file("open the corpus", &bin))?;
        let length = file
            .metadata()
            .map_err(EngineError::file("read the size of", &bin))?
            .len();
        let bytes = if length == 0 {
            Bytes::Owned(Vec::new())
        } else {
            // SAFETY: the corpus is written before the run and not changed during it; the lab owns both.
            Bytes::Mapped(unsafe { Mmap::map(&file) }.map_err(EngineError::file("map the corpus", &bin))?)
        };
        let csv = folder.join("corpus.csv");
        let index = File::open(&csv).map_err(EngineError::file("open the corpus index", &csv))?;
        let (entries, operations) =
            read_index(index, length, rules).map_err(|why| EngineError::InvalidCorpus { path: csv, why })?;
        Ok(Self {
            bytes,
            entries,
            operations,
        })
    }

    /// A corpus of one body that is held in memory, under the first rule.
    pub fn of_one(operation: &str, body: Vec<u8>, safe: bool) -> Self {
        let entry = Entry {
            offset: 0,
            length: body.len() as u64,
            operation: 0,
            rule: 0,
            safe,
        };
        Self {
            bytes: Bytes::Owned(body),
            entries: vec![entry],
            operations: vec![operation.to_owned()],
        }
    }

    /// The body of an entry.
    #[inline]
    pub fn body(&self, entry: &Entry) -> &[u8] {
        let bytes: &[u8] = match &self.bytes {
            Bytes::Mapped(map) => map,
            Bytes::Owned(bytes) => bytes,
        };
        &bytes[entry.offset as usize..(entry.offset + entry.length) as usize]
    }

    /// The place of an operation's name in `operations`.
    pub fn operation(&self, name: &str) -> Option<u16> {
        self.operations
            .iter()
            .position(|known| known == name)
            .map(|place| place as u16)
    }
}

/// Reads `corpus.csv`; every row is checked against the length of `corpus.bin` and the names of the rules.
pub fn read_index(
    index: impl std::io::Read,
    bin_length: u64,
    rules: &[&str],
) -> std::result::Result<(Vec<Entry>, Vec<String>), String> {
    let mut entries = Vec::new();
    let mut operations: Vec<String> = Vec::new();
    for (place, row) in csv::Reader::from_reader(index).deserialize::<Row>().enumerate() {
        let row = row.map_err(|error| format!("row {place}: {error}"))?;
        if row.entry != place as u64 {
            return Err(format!(
                "row {place} is numbered {}; entries are numbered by their place, from 0",
                row.entry
            ));
        }
        if row.offset.checked_add(row.length).is_none_or(|end| end > bin_length) {
            return Err(format!(
                "entry {place} ends beyond corpus.bin, which has {bin_length} bytes"
            ));
        }
        let safe = match row.safe {
            0 => false,
            1 => true,
            other => return Err(format!("entry {place}: `safe` is {other}; it must be 0 or 1")),
        };
        let rule = rules.iter().position(|name| *name == row.rule).ok_or_else(|| {
            format!(
                "entry {place} names the rule `{}`, which the job does not have",
                row.rule
            )
        })?;
        let operation = match operations.iter().position(|name| *name == row.operation) {
            Some(known) => known,
            None => {
                operations.push(row.operation);
                operations.len() - 1
            }
        };
        if operations.len() > usize::from(u16::MAX) || rule > usize::from(u16::MAX) {
            return Err("more than 65,535 operations or rules".to_owned());
        }
        entries.push(Entry {
            offset: row.offset,
            length: row.length,
            operation: operation as u16,
            rule: rule as u16,
            safe,
        });
    }
    Ok((entries, operations))
}
