//! Pauses between requests.

use serde::Deserialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ThinkKind {
    #[default]
    None,
    Constant,
    Uniform,
    Exponential,
}

/// Pause between an answer and the next request of the same user.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Think {
    pub kind: ThinkKind,
    pub ms: f64,
    pub to_ms: f64,
}
