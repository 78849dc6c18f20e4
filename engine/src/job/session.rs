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
    /// The statuses of an answer after which the user makes the `once` steps again, and then the request.
    #[serde(default)]
    pub again_on: Vec<u16>,
    /// The age of the `once` steps, in ms, from which on the user makes them again before its next request.
    #[serde(default)]
    pub again_after_ms: Option<f64>,
    /// How long after the measured time, in ms, sessions that have begun may go on to their end.
    #[serde(default)]
    pub lead_out_ms: f64,
    #[serde(default)]
    pub rows: Option<SessionRows>,
}

/// Rows of values, dealt to users or sessions: a CSV file with a header in the corpus folder. Its `columns` fill places of their names.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionRows {
    pub file: String,
    pub columns: Vec<String>,
    #[serde(default)]
    pub each: RowEach,
    #[serde(default)]
    pub at_end: RowEnd,
    /// The first row that is dealt, from 0.
    #[serde(default)]
    pub first: u64,
}

/// Who has a row of their own. With a rate, each arrival is a new user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowEach {
    User,
    #[default]
    Session,
}

/// What follows the last row: the first one again, or the end of those who have none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowEnd {
    #[default]
    Recycle,
    Stop,
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
/// Steps that a user makes `once` come first; their values stay for all of the user's sessions.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionStep {
    pub operation: String,
    #[serde(default)]
    pub once: bool,
    /// The step is left out where no earlier answer of the session had this value. Such a value may be missing from an answer.
    #[serde(default)]
    pub if_captured: Option<String>,
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
    Cookie(CookieCapture),
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

/// The value of the cookie of this name that the answer sets.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CookieCapture {
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
