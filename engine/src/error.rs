//! The errors that end a run, each one sentence.

use std::path::PathBuf;

/// An error that ends the run; its kind decides the exit code.
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
    /// 2 if the job or its corpus is invalid, 1 if the engine could not continue.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::InvalidJob { .. } | Self::InvalidCorpus { .. } => 2,
            _ => 1,
        }
    }

    /// Turns an I/O error on a file into one that names the file and the attempted operation.
    pub fn file(what: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { what, path, source }
    }

    /// Turns a system error into one that names the attempted operation.
    pub fn system(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let what = what.into();
        move |source| Self::System { what, source }
    }
}

pub type Result<T> = std::result::Result<T, EngineError>;
