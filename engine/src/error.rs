//! What can stop the engine, told in one sentence each.

use std::path::PathBuf;

/// An error that ends the run. `exit_code` tells the caller which kind it was.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error("the job {path} is invalid: {why}")]
    InvalidJob { path: PathBuf, why: String },
    #[error("the corpus {path} is invalid: {why}")]
    InvalidCorpus { path: PathBuf, why: String },
    #[error("cannot {what} {path}: {source}")]
    File {
        what: &'static str,
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("the control line `{line}` is wrong: {why}")]
    Control { line: String, why: String },
    #[error("{what}: {source}")]
    System { what: String, source: std::io::Error },
    #[error("{0}")]
    CannotGoOn(String),
}

impl EngineError {
    /// 2 where the job (or its corpus) is invalid, 1 where the engine could not go on.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::InvalidJob { .. } | Self::InvalidCorpus { .. } => 2,
            _ => 1,
        }
    }

    /// Turns an I/O error on a file into one that names the file and what was tried.
    pub fn file(what: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { what, path, source }
    }

    /// Turns an I/O error of the system into one that says what was tried.
    pub fn system(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let what = what.into();
        move |source| Self::System { what, source }
    }
}

pub type Result<T> = std::result::Result<T, EngineError>;
