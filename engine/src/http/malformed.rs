//! The error of a malformed answer.

/// The reason why bytes are not a valid answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(pub &'static str);

impl From<Malformed> for crate::verify::Failed {
    fn from(why: Malformed) -> Self {
        crate::verify::Failure::Malformed.because(why.0)
    }
}
