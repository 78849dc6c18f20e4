//! Secrets that the engine never writes: headers for authentication, and values that fill places of requests.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::Path;

use serde::Deserialize;

use crate::error::{EngineError, Result};
use crate::job::{Job, Ordered, check_headers};
use crate::session;

/// `headers` go with every request to every target; `values` fill the places `{{name}}`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct Secrets {
    headers: BTreeMap<String, String>,
    values: BTreeMap<String, String>,
}

/// Reads secrets, once, from a file or the first line of standard input (`-`), into memory alone. No error repeats any of them.
pub fn take_in(path: &Path, job: &mut Job) -> Result<()> {
    let text = read(path).map_err(EngineError::file("read the secrets", path))?;
    let wrong = |why: &str| EngineError::CannotGoOn(format!("the secrets cannot be used: {why}"));
    let secrets: Secrets =
        serde_json::from_slice(&text).map_err(|_| wrong("they are not an object of `headers` and `values`"))?;
    let headers = Ordered(secrets.headers.into_iter().collect::<Vec<_>>());
    check_headers("headers", &headers).map_err(|_| wrong("a header has an invalid name or value"))?;
    for target in &mut job.targets {
        let own = |name: &str| headers.0.iter().any(|(other, _)| other.eq_ignore_ascii_case(name));
        target.headers.0.retain(|(name, _)| !own(name));
        target.headers.0.extend(headers.0.iter().cloned());
    }
    if session::set_secrets(secrets.values) {
        Ok(())
    } else {
        Err(wrong("they were given twice"))
    }
}

fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    if path != Path::new("-") {
        return std::fs::read(path);
    }
    let mut line = Vec::new();
    std::io::stdin().lock().read_until(b'\n', &mut line)?;
    Ok(line)
}
