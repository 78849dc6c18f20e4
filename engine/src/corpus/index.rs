//! `corpus.csv`: one row for each request body, checked against the length of corpus.bin and the names of the rules.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

use super::{Entry, RequestLine};
use crate::clock::{Ns, from_ms};
use crate::job::{Ordered, check_request_headers, is_token};
use crate::session::{self, Spot};

/// A row of the file. Older corpora lack the later columns, since their entries had no request lines of their own.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    entry: u64,
    operation: String,
    offset: u64,
    length: u64,
    rule: String,
    safe: u8,
    #[serde(default)]
    method: String,
    #[serde(default)]
    path: String,
    #[serde(default)]
    headers: String,
    #[serde(default)]
    link: Option<u64>,
    #[serde(default)]
    pause_ms: Option<f64>,
    #[serde(default)]
    filled: Option<u8>,
}

/// All rows together.
#[derive(Debug, Default)]
pub struct Index {
    pub entries: Vec<Entry>,
    pub operations: Vec<String>,
    /// The request lines that entries share.
    pub lines: Vec<RequestLine>,
    /// The pauses that the corpus prescribes, by entry.
    pub pauses: HashMap<u32, Ns>,
    /// Entries of the same session, by their link.
    pub links: BTreeMap<u64, Vec<u32>>,
}

const DAY_MS: f64 = 24.0 * 3600.0 * 1000.0;

/// Reads the rows; an error names the row and the reason.
pub fn read_index(index: impl std::io::Read, bin_length: u64, rules: &[&str]) -> Result<Index, String> {
    let mut read = Index::default();
    let mut known = HashMap::new();
    for (place, row) in csv::Reader::from_reader(index).deserialize::<Row>().enumerate() {
        let row = row.map_err(|error| format!("row {place}: {error}"))?;
        if row.entry != place as u64 || place >= u32::MAX as usize {
            return Err(format!(
                "row {place} is numbered {}; entries are numbered by their place, from 0",
                row.entry
            ));
        }
        let entry = read.add(row, bin_length, rules, &mut known);
        let entry = entry.map_err(|why| format!("entry {place} {why}"))?;
        read.entries.push(entry);
    }
    Ok(read)
}

impl Index {
    fn add(
        &mut self,
        row: Row,
        bin_length: u64,
        rules: &[&str],
        known: &mut HashMap<RequestLine, u32>,
    ) -> Result<Entry, String> {
        if row.offset.checked_add(row.length).is_none_or(|end| end > bin_length) {
            return Err(format!("ends beyond corpus.bin, which has {bin_length} bytes"));
        }
        let rule = rules.iter().position(|name| *name == row.rule);
        let rule = rule.ok_or_else(|| format!("names the rule `{}`, which the job does not have", row.rule))?;
        let (safe, filled) = (
            parse_flag("safe", row.safe)?,
            parse_flag("filled", row.filled.unwrap_or(0))?,
        );
        let operation = self.operation(row.operation);
        if self.operations.len() > usize::from(u16::MAX) || rule > usize::from(u16::MAX) {
            return Err("is of more than 65,535 operations or rules".to_owned());
        }
        let entry = self.entries.len() as u32;
        if let Some(ms) = row.pause_ms {
            if !(0.0..=DAY_MS).contains(&ms) {
                return Err(format!("has a `pause_ms` of {ms}; it must be 0 to a day"));
            }
            self.pauses.insert(entry, from_ms(ms));
        }
        if let Some(link) = row.link {
            self.links.entry(link).or_default().push(entry);
        }
        let line = RequestLine {
            operation: operation as u16,
            method: (!row.method.is_empty()).then_some(row.method),
            path: (!row.path.is_empty()).then_some(row.path),
            headers: match row.headers.as_str() {
                "" => Vec::new(),
                text => {
                    let set: Ordered<String> =
                        serde_json::from_str(text).map_err(|error| format!("has invalid `headers`: {error}"))?;
                    set.0
                }
            },
            filled,
        };
        let line = match known.get(&line) {
            Some(place) => *place,
            None => {
                check_line(&line)?;
                let place = self.lines.len() as u32;
                known.insert(line.clone(), place);
                self.lines.push(line);
                place
            }
        };
        Ok(Entry {
            offset: row.offset,
            length: row.length,
            operation: operation as u16,
            rule: rule as u16,
            line,
            safe,
        })
    }

    fn operation(&mut self, name: String) -> usize {
        let known = self.operations.iter().position(|known| *known == name);
        known.unwrap_or_else(|| {
            self.operations.push(name);
            self.operations.len() - 1
        })
    }
}

fn parse_flag(column: &str, value: u8) -> Result<bool, String> {
    match value {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(format!("has a `{column}` of {other}; it must be 0 or 1")),
    }
}

fn check_line(line: &RequestLine) -> Result<(), String> {
    if let Some(method) = &line.method
        && !is_token(method)
    {
        return Err(format!(
            "has the method `{}`, which is not valid",
            method.escape_debug()
        ));
    }
    if let Some(path) = &line.path
        && !(path.starts_with('/') && path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#'))
    {
        return Err(format!("has the path `{}`, which is not valid", path.escape_debug()));
    }
    check_request_headers(&line.headers).map_err(|why| format!("has wrong headers: {why}"))?;
    if line.filled {
        let path = line.path.iter().map(|path| (path, Spot::Path));
        let headers = line.headers.iter().map(|(name, value)| {
            let cookie = name.eq_ignore_ascii_case("cookie");
            (value, if cookie { Spot::Cookie } else { Spot::Header })
        });
        path.chain(headers)
            .try_for_each(|(text, spot)| session::check(text.as_bytes(), spot))
            .map_err(|why| format!("has a wrong place: {why}"))?;
    }
    Ok(())
}
