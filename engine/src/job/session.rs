//! The shape of sessions: linked requests, what is kept of their answers, and what a failure does to them.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::think::Think;

/// Requests that one user makes in order.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Session {
    pub steps: Vec<SessionStep>,
    #[serde(default)]
    pub on_failure: SessionFailure,
    /// Whether each session begins without the cookies of the user's sessions before. Open load has new visitors only.
    #[serde(default)]
    pub new_visitor: bool,
}

/// What a failed request does to its session. A step whose values are missing is never sent: the session ends before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SessionFailure {
    #[default]
    EndSession,
    Continue,
}

/// One request of a session, the pause after its answer where the corpus has none, and what is kept of the answer, by name.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionStep {
    pub operation: String,
    #[serde(default)]
    pub think: Think,
    #[serde(default)]
    pub captures: BTreeMap<String, Capture>,
}

/// Where in an answer a value stands that later requests are filled with.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Capture {
    Header(HeaderCapture),
    Regex(RegexCapture),
    Path(PathCapture),
}

/// The value of the first header field of this name.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeaderCapture {
    pub name: String,
}

/// What the first group of the expression matches in the body, or the whole expression where it has no group.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegexCapture {
    pub expression: String,
}

/// The text of the first element whose path from the root is this, `Envelope/Body/answer/id`, or with `@name` at the end that
/// attribute of it. Names stand without their prefixes.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathCapture {
    pub path: String,
}
