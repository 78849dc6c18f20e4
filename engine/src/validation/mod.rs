//! Reads a job and checks it: its shape, its bounds, and everything that another module compiles.

mod against_corpus;
mod bounds;
mod keys;

use std::path::{Path, PathBuf};

use crate::error::{EngineError, Result};
use crate::job::Job;
pub use against_corpus::check_against_corpus;
pub use bounds::check;

type Checked = std::result::Result<(), String>;

/// Reads and checks `job.json`; errors name the key and, for an unknown one, the nearest valid key.
pub fn read(path: &Path) -> Result<Job> {
    let text = std::fs::read(path).map_err(EngineError::file("read the job", path))?;
    parse(&text).map_err(|why| EngineError::InvalidJob {
        path: path.to_owned(),
        why,
    })
}

/// The job in `text`, checked as far as it can be without its corpus.
pub fn parse(text: &[u8]) -> std::result::Result<Job, String> {
    let mut reader = serde_json::Deserializer::from_slice(text);
    let job: Job = serde_path_to_error::deserialize(&mut reader).map_err(|error| keys::explain(&error))?;
    reader.end().map_err(|error| error.to_string())?;
    check(&job)?;
    Ok(job)
}

/// The corpus folder of a job that was read from `job_path`.
pub fn corpus_folder(job: &Job, job_path: &Path) -> PathBuf {
    job_path.parent().unwrap_or(Path::new(".")).join(&job.corpus)
}
