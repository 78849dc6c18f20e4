//! Sessions: linked requests, the values captured from their answers, and the effect of a failure.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::think::Think;

/// Requests that one user sends in order.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Session {
    pub steps: Vec<SessionStep>,
    #[serde(default)]
    pub on_failure: SessionFailure,
    /// Whether each session begins without the cookies of the user's earlier sessions. Open load has new visitors only.
    #[serde(default)]
    pub new_visitor: bool,
}

/// The effect of a failed request on its session. A step whose values are missing is never sent: the session ends before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SessionFailure {
    #[default]
    EndSession,
    Continue,
}

/// One request of a session, the pause after its answer unless the corpus has one, and the values captured from the answer, by name.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionStep {
    pub operation: String,
    #[serde(default)]
    pub think: Think,
    #[serde(default)]
    pub captures: BTreeMap<String, Capture>,
}

/// The place of a value in an answer; the value fills later requests.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Capture {
    Header(HeaderCapture),
    Regex(RegexCapture),
    Path(PathCapture),
    Json(JsonCapture),
}

/// The value of the first header field of this name.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeaderCapture {
    pub name: String,
}

/// The match of the expression's first group in the body, or of the whole expression if it has no group.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegexCapture {
    pub expression: String,
}

/// The text of the first element at this path from the root, such as `Envelope/Body/answer/id`, or its attribute if the path ends
/// with `@name`. Names have no prefixes.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathCapture {
    pub path: String,
}

/// The string, number or boolean at this path of keys and indexes in a JSON body, such as `["items", 0, "id"]`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JsonCapture {
    pub path: Vec<JsonStep>,
}

/// A step from a JSON value to one inside it: by an object's key, or by an array's index, counted from 0.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "a key, or an index from 0")]
pub enum JsonStep {
    Index(u32),
    Key(String),
}
