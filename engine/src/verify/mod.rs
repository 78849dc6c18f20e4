//! Judges an answer as it arrives, without keeping or allocating: status, fault, length, marker, hash, expression.

mod events;
mod fault;
mod rule;

pub use events::EventScan;
pub use fault::FaultScan;
pub use rule::{Check, CompiledRule};

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The answer is right; `expected_fault` where the rule asked for a fault.
    Right {
        expected_fault: bool,
    },
    /// The answer claims success and its content is false.
    Wrong,
    Failed(Failed),
}

/// A failed request: the kind of failure, and its cause in words where the kind alone does not show it (else empty).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failed {
    pub kind: Failure,
    pub cause: &'static str,
}

impl From<Failure> for Failed {
    fn from(kind: Failure) -> Self {
        Self { kind, cause: "" }
    }
}

/// The kinds of failure, in the order of the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Failure {
    Refused,
    Reset,
    Timeout,
    Tls,
    Malformed,
    Status,
    Fault,
    Truncated,
    StaleFailed,
    /// The answer lacked a value that later requests of its session need.
    Capture,
}

impl Failure {
    pub const ALL: [Self; 10] = [
        Self::Refused,
        Self::Reset,
        Self::Timeout,
        Self::Tls,
        Self::Malformed,
        Self::Status,
        Self::Fault,
        Self::Truncated,
        Self::StaleFailed,
        Self::Capture,
    ];

    /// A failure of this kind with its cause in words.
    pub const fn because(self, cause: &'static str) -> Failed {
        Failed { kind: self, cause }
    }

    /// The name of its column.
    pub fn name(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Reset => "reset",
            Self::Timeout => "timeout",
            Self::Tls => "tls",
            Self::Malformed => "malformed",
            Self::Status => "status",
            Self::Fault => "fault",
            Self::Truncated => "truncated",
            Self::StaleFailed => "stale_failed",
            Self::Capture => "capture",
        }
    }
}

impl Outcome {
    /// A failure without a further cause.
    pub fn failed(kind: Failure) -> Self {
        Self::Failed(kind.into())
    }

    /// The kind of failure, if the request failed.
    pub fn failure(self) -> Option<Failure> {
        match self {
            Self::Failed(failed) => Some(failed.kind),
            _ => None,
        }
    }

    /// The name in `samples/index.csv` and `outcomes.csv`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Right { .. } => "right",
            Self::Wrong => "wrong",
            Self::Failed(failed) => failed.kind.name(),
        }
    }
}
