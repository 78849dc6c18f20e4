//! The job: what the lab, or a user, asks of the engine. Read, then checked, then never changed.

mod check;
mod keys;
pub mod model;
mod ordered;
mod session;
mod target;
mod think;

use std::path::{Path, PathBuf};

use crate::error::{EngineError, Result};
pub use check::{MOST_ADDRESSES, REQUEST, check, check_against_corpus, headers as check_headers, is_token};
pub use model::*;
pub use ordered::{Mix, Ordered};
pub use session::*;
pub use target::*;
pub use think::{Think, ThinkKind};

/// Reads and checks `job.json`; errors name the key and, for an unknown one, the nearest valid key.
pub fn read(path: &Path) -> Result<Job> {
    let text = std::fs::read(path).map_err(EngineError::file("read the job", path))?;
    parse(&text).map_err(|why| EngineError::InvalidJob {
        path: path.to_owned(),
        why,
    })
}

/// The job that `text` holds, checked as far as it can be without its corpus.
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
