//! What no reader of an answer can go on from.

/// Why bytes are no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(pub &'static str);

impl From<Malformed> for crate::verify::Failed {
    fn from(why: Malformed) -> Self {
        crate::verify::Failure::Malformed.because(why.0)
    }
}
