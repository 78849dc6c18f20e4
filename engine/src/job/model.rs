//! The job's shape, key for key that of `lab/steelyard/models/job.py`.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::ordered::Mix;
use super::session::Session;
use super::target::Target;
use super::think::Think;

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Profile {
    BigBang(BigBang),
    Ramp(Ramp),
    Steps(Steps),
    Bursts(Bursts),
    Stages(Stages),
    Rate(Rate),
    FixedWork(FixedWork),
}

/// Closed: all users start at once. Each ends after `each` sessions or plain requests, the first `extra` users after one more. The slice
/// ends with the last user, or after `most_seconds`, which voids it. It needs a user for each thread.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixedWork {
    pub users: u32,
    pub each: u64,
    #[serde(default)]
    pub extra: u32,
    pub most_seconds: f64,
}

/// Closed: all users start at once and stay.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BigBang {
    pub users: u32,
    pub seconds: f64,
}

/// Closed: the number of users goes from one level to another in equal steps of one user.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ramp {
    pub from_users: u32,
    pub to_users: u32,
    pub seconds: f64,
}

/// Closed: each level is reached over `ramp_seconds`, held, then followed by a pause without load.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Steps {
    pub levels: Vec<u32>,
    pub hold_seconds: f64,
    #[serde(default)]
    pub ramp_seconds: f64,
    #[serde(default)]
    pub pause_seconds: f64,
}

/// Closed: after `idle_seconds`, users for `on_seconds` and silence for `off_seconds` in turn, `seconds` in all.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bursts {
    pub users: u32,
    pub on_seconds: f64,
    pub off_seconds: f64,
    pub seconds: f64,
    #[serde(default)]
    pub idle_seconds: f64,
}

/// A stretch of closed load: the number of users goes from one level to the other in equal steps of one user.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserStage {
    pub from_users: u32,
    pub to_users: u32,
    pub seconds: f64,
}

/// Closed: stages, one after the other.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stages {
    pub stages: Vec<UserStage>,
}

/// A stretch of an open profile: the rate goes linearly from one value to the other, in requests per second.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    pub from_rate: f64,
    pub to_rate: f64,
    pub seconds: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArrivalKind {
    #[default]
    Constant,
    Poisson,
}

/// Open: requests arrive by the clock, whatever the server does.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    #[serde(default)]
    pub arrivals: ArrivalKind,
    pub stages: Vec<Stage>,
    #[serde(default = "thousand_in_flight")]
    pub max_in_flight: u32,
}

fn thousand_in_flight() -> u32 {
    1000
}

/// Bounds on the length of an answer's body in bytes, both inclusive.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Length {
    pub least: u64,
    pub most: u64,
}

impl Default for Length {
    fn default() -> Self {
        Self {
            least: 0,
            most: 1 << 53,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultRule {
    #[default]
    Absent,
    Present,
    Any,
}

/// The form of the events in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EventForm {
    /// Server-sent events (text/event-stream).
    EventStream,
    /// The messages of a gRPC stream.
    Grpc,
}

/// Where an answer shows a fault: in the envelope of its body, or in the gRPC status in a field behind the body, which is then required.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultPlace {
    #[default]
    Envelope,
    GrpcStatus,
}

/// The conditions of a right answer; all that are given must hold.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rule {
    pub status: Vec<u16>,
    pub fault: FaultRule,
    pub fault_in: FaultPlace,
    pub length: Option<Length>,
    pub contains: Option<String>,
    pub sha256: Option<String>,
    pub matches: Option<String>,
    /// The events in a right answer, which are timed.
    pub events: Option<EventForm>,
}

impl Default for Rule {
    fn default() -> Self {
        Self {
            status: vec![200],
            fault: FaultRule::Absent,
            fault_in: FaultPlace::Envelope,
            length: None,
            contains: None,
            sha256: None,
            matches: None,
            events: None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureAction {
    Continue,
    #[default]
    Wait,
    End,
}

/// The reaction of a closed user to a failure: continue at once, wait, or end.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OnFailure {
    pub kind: FailureAction,
    pub ms: f64,
}

impl Default for OnFailure {
    fn default() -> Self {
        Self {
            kind: FailureAction::Wait,
            ms: 10.0,
        }
    }
}

/// An unbroken stretch of load on one subject.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slice {
    pub number: u64,
    pub subject: String,
    pub phase: String,
    pub profile: Profile,
    pub mix: Mix,
    pub deck_seed: u64,
    #[serde(default)]
    pub think: Think,
    #[serde(default = "two_hundred_ms")]
    pub lead_in_ms: f64,
}

fn two_hundred_ms() -> f64 {
    200.0
}

impl Slice {
    /// The mix's names joined by `+`, as `slices.csv` gives them.
    pub fn operation(&self) -> String {
        let names: Vec<&str> = self.mix.0.iter().map(|(name, _)| name.as_str()).collect();
        names.join("+")
    }
}

/// Exchanges that are stored whole: one right answer in `one_in`, and failures and wrong answers first, both up to a maximum.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Samples {
    pub one_in: u64,
    pub most_right: u64,
    pub most_failed: u64,
}

impl Default for Samples {
    fn default() -> Self {
        Self {
            one_in: 1000,
            most_right: 200,
            most_failed: 100,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConnectionUse {
    #[default]
    KeepAlive,
    PerRequest,
}

/// This engine's part of the load where `of` engines drive a target together; `place` is its number, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineShare {
    pub place: u32,
    pub of: u32,
}

impl Default for EngineShare {
    fn default() -> Self {
        Self { place: 0, of: 1 }
    }
}

/// One run of the engine.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    pub seed: u64,
    pub corpus: String,
    pub rules: BTreeMap<String, Rule>,
    pub targets: Vec<Target>,
    pub slices: Vec<Slice>,
    #[serde(default)]
    pub sessions: BTreeMap<String, Session>,
    #[serde(default = "one_thread")]
    pub threads: u32,
    #[serde(default)]
    pub cpus: Vec<u32>,
    #[serde(default = "thirty_seconds")]
    pub timeout_ms: f64,
    #[serde(default = "ten_seconds")]
    pub drain_limit_ms: f64,
    #[serde(default)]
    pub on_failure: OnFailure,
    #[serde(default)]
    pub connection: ConnectionUse,
    #[serde(default)]
    pub samples: Samples,
    /// Whether each second has a histogram of response times of its own (seconds.hlog).
    #[serde(default)]
    pub seconds_histograms: bool,
    /// Whether each request is logged with the instant at which it was due and its response time (requests.csv).
    #[serde(default)]
    pub log_requests: bool,
    #[serde(default)]
    pub share: EngineShare,
}

fn one_thread() -> u32 {
    1
}

fn thirty_seconds() -> f64 {
    30_000.0
}

fn ten_seconds() -> f64 {
    10_000.0
}
