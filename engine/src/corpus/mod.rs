//! The requests. Bodies are mapped, not loaded, so that a corpus may be larger than memory.

mod index;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::File;
use std::path::Path;

use memmap2::Mmap;

use crate::clock::Ns;
use crate::error::{EngineError, Result};
use crate::session::{self, Spot};
pub use index::{Index, read_index};

/// One request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    pub offset: u64,
    pub length: u64,
    /// Index into `Corpus::operations`.
    pub operation: u16,
    /// Index into the job's rules, in their order.
    pub rule: u16,
    /// Index into `Corpus::lines`.
    pub line: u32,
    /// Whether the request may be sent twice.
    pub safe: bool,
}

/// Method, path and headers of a request; where the corpus has none, the target's apply.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct RequestLine {
    pub operation: u16,
    pub method: Option<String>,
    pub path: Option<String>,
    pub headers: Vec<(String, String)>,
    /// Whether path, headers or body have marked places, which the engine fills before it sends the request.
    pub filled: bool,
}

impl RequestLine {
    /// The texts that may have marked places.
    fn texts(&self) -> impl Iterator<Item = &str> {
        let values = self.headers.iter().map(|(_, value)| value);
        self.path.iter().chain(values).map(String::as_str)
    }
}

enum Bytes {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

/// All requests of a job.
pub struct Corpus {
    bytes: Bytes,
    pub entries: Vec<Entry>,
    pub operations: Vec<String>,
    pub lines: Vec<RequestLine>,
    /// Pauses after an entry's answer that the corpus prescribes.
    pub pauses: HashMap<u32, Ns>,
    links: BTreeMap<u64, Vec<u32>>,
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
        let invalid = |why| EngineError::InvalidCorpus { path: csv.clone(), why };
        let read = read_index(index, length, rules).map_err(&invalid)?;
        let corpus = Self {
            bytes,
            entries: read.entries,
            operations: read.operations,
            lines: read.lines,
            pauses: read.pauses,
            links: read.links,
        };
        corpus.check_bodies().map_err(&invalid)?;
        Ok(corpus)
    }

    fn check_bodies(&self) -> std::result::Result<(), String> {
        for (place, entry) in self.entries.iter().enumerate() {
            if self.lines[entry.line as usize].filled {
                session::check(self.body(entry), Spot::Body)
                    .map_err(|why| format!("entry {place} has a wrong place: {why}"))?;
            }
        }
        Ok(())
    }

    /// A corpus of one body that is held in memory, under the first rule.
    pub fn of_one(operation: &str, body: Vec<u8>, safe: bool) -> Self {
        let entry = Entry {
            offset: 0,
            length: body.len() as u64,
            operation: 0,
            rule: 0,
            line: 0,
            safe,
        };
        Self {
            bytes: Bytes::Owned(body),
            entries: vec![entry],
            operations: vec![operation.to_owned()],
            lines: vec![RequestLine::default()],
            pauses: HashMap::new(),
            links: BTreeMap::new(),
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

    /// The names of the places of an operation's requests.
    pub fn places(&self, operation: u16) -> BTreeSet<&str> {
        let mut names = BTreeSet::new();
        let of_it = self.entries.iter().filter(|entry| entry.operation == operation);
        for entry in of_it.filter(|entry| self.lines[entry.line as usize].filled) {
            let texts = self.lines[entry.line as usize].texts().map(str::as_bytes);
            let found = texts.chain([self.body(entry)]).flat_map(session::names);
            names.extend(found.flatten());
        }
        names
    }

    /// The linked entries of a session of these operations: one chain for each link under which all of them have an entry. An operation that
    /// occurs several times takes its linked entries in the order of the corpus.
    pub fn chains(&self, operations: &[u16]) -> std::result::Result<Vec<Vec<Option<u32>>>, String> {
        let operation_of = |entry: &u32| self.entries[*entry as usize].operation;
        let linked: BTreeSet<u16> = self.links.values().flatten().map(operation_of).collect();
        if operations.iter().filter(|operation| linked.contains(operation)).count() < 2 {
            return Ok(Vec::new());
        }
        let mut chains = Vec::new();
        for entries in self.links.values() {
            let mut chain = Vec::new();
            for (step, operation) in operations.iter().enumerate() {
                let before = operations[..step].iter().filter(|other| *other == operation).count();
                let mut of_it = entries.iter().filter(|entry| operation_of(entry) == *operation);
                chain.push(of_it.nth(before).copied());
            }
            let whole = |(entry, operation): (&Option<u32>, &u16)| entry.is_some() || !linked.contains(operation);
            if chain.iter().zip(operations).all(whole) {
                chains.push(chain);
            }
        }
        let names = || {
            operations
                .iter()
                .map(|operation| self.operations[usize::from(*operation)].as_str())
        };
        match chains.is_empty() {
            true => Err(format!(
                "no link of the corpus has an entry for each of {}",
                names().collect::<Vec<_>>().join(", ")
            )),
            false => Ok(chains),
        }
    }
}
