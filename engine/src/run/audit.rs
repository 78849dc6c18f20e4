//! The audit of a slice: mix, rate and pauses as achieved, and the reasons why it is not valid.

use std::net::SocketAddr;

use serde::Serialize;

use super::merge::{SliceResult, ThreadShare};
use crate::clock::SECOND;
use crate::job::{Profile, Slice};
use crate::plan::{Shape, SlicePlan};
use crate::verify::Failure;

/// The content of `summary.json`.
#[derive(Debug, Serialize)]
pub struct Audit {
    pub engine: EngineAudit,
    pub slices: Vec<SliceAudit>,
}

#[derive(Debug, Serialize)]
pub struct EngineAudit {
    pub version: &'static str,
    pub threads: u32,
    pub cpus: Vec<u32>,
    pub user_cpu_s: f64,
    pub system_cpu_s: f64,
    pub max_rss_bytes: u64,
    /// Whether every slice of the job was run to its end.
    pub complete: bool,
}

#[derive(Debug, Serialize)]
pub struct SliceAudit {
    pub slice: u64,
    pub subject: String,
    pub phase: String,
    pub operation: String,
    pub measured_s: f64,
    /// The addresses over which connections were dealt.
    pub addresses: Vec<SocketAddr>,
    /// When the last of its threads began the lead-in (CLOCK_MONOTONIC).
    pub began_ns: u64,
    pub mix: Vec<MixAudit>,
    /// Open load only.
    pub rate: Option<RateAudit>,
    /// Only where there are pauses.
    pub think: Option<ThinkAudit>,
    /// Throughput x (mean response + pauses a right answer) / users, for steady closed load without failures.
    pub littles_law: Option<f64>,
    /// Of each of the engine's threads, in their order.
    pub threads: Vec<ThreadAudit>,
    pub connects: u64,
    pub closes: u64,
    /// Answers, or parts of them, that came without a request.
    pub unasked: u64,
    /// Redirects that were followed, also outside the measured time.
    pub redirects: u64,
    pub valid: bool,
    pub why_not: Vec<String>,
    #[serde(skip)]
    pub interrupted: bool,
}

/// What one thread did of a slice: requests that it took up, and its processor time in the measured time.
#[derive(Debug, Serialize)]
pub struct ThreadAudit {
    pub sent: u64,
    pub cpu_s: f64,
}

#[derive(Debug, Serialize)]
pub struct MixAudit {
    pub name: String,
    pub asked_share: f64,
    pub achieved_share: f64,
    pub started: u64,
}

#[derive(Debug, Serialize)]
pub struct RateAudit {
    /// Requests that were due in the measured time, by the schedule, a second.
    pub due_per_s: f64,
    /// Of these, requests that were taken up before its end, a second.
    pub taken_up_per_s: f64,
}

#[derive(Debug, Serialize)]
pub struct ThinkAudit {
    pub count: u64,
    pub mean_drawn_ms: f64,
    pub mean_kept_ms: f64,
}

/// The largest error of a share of the mix; a slice of few requests may also be off by one hand of the deck.
const MIX_TOLERANCE: f64 = 0.01;
/// The largest share of due requests that were not sent.
const RATE_TOLERANCE: f64 = 0.02;
/// The largest error of the mean pause, beside a millisecond.
const THINK_TOLERANCE: f64 = 0.02;
/// The largest share of requests lost with a reused connection, where it is unknown whether the server carried them out.
const MOST_LOST: f64 = 0.01;
/// The largest share of connections that the server reset under a request, of all that it ended: a server that closes idle connections
/// sometimes does so just when a request comes.
const MOST_AMBIGUOUS: f64 = 0.5;

impl ThreadAudit {
    fn of(share: &ThreadShare) -> Self {
        Self {
            sent: share.sent,
            cpu_s: share.cpu.total() as f64 / 1e9,
        }
    }
}

impl SliceAudit {
    pub fn new(slice: &Slice, plan: &SlicePlan, result: &SliceResult) -> Self {
        let seconds = result.measured as f64 / SECOND as f64;
        let counts = result.counts();
        let mut audit = Self {
            slice: slice.number,
            subject: slice.subject.clone(),
            phase: slice.phase.clone(),
            operation: slice.operation(),
            measured_s: seconds,
            addresses: plan.addresses.clone(),
            began_ns: result.began,
            mix: mix(plan, result),
            rate: matches!(plan.shape, Shape::Open(_)).then(|| RateAudit {
                due_per_s: counts.started as f64 / seconds,
                taken_up_per_s: (counts.started - result.forgone) as f64 / seconds,
            }),
            think: (result.thinks > 0).then(|| ThinkAudit {
                count: result.thinks,
                mean_drawn_ms: result.think_drawn_ns as f64 / result.thinks as f64 / 1e6,
                mean_kept_ms: result.think_kept_ns as f64 / result.thinks as f64 / 1e6,
            }),
            littles_law: littles_law(slice, plan, result, seconds),
            threads: result.threads.iter().map(ThreadAudit::of).collect(),
            connects: result.connects,
            closes: result.closes,
            unasked: result.unasked,
            redirects: result.redirects,
            valid: true,
            why_not: Vec::new(),
            interrupted: result.interrupted,
        };
        audit.why_not = audit.objections(plan, result);
        audit.valid = audit.why_not.is_empty();
        audit
    }

    fn objections(&self, plan: &SlicePlan, result: &SliceResult) -> Vec<String> {
        let counts = result.counts();
        let mut why_not = Vec::new();
        if result.interrupted {
            why_not.push("the slice was broken off".to_owned());
        }
        if let Some(why) = result.instrument {
            why_not.push(format!("the instrument fell short: {why}"));
        }
        for (outcomes, place) in [(&counts.measured, ""), (&counts.outside, " outside the measured time")] {
            if outcomes.wrong > 0 {
                why_not.push(format!("{} wrong answers{place}", outcomes.wrong));
            }
        }
        if result.work_left > 0 && !result.interrupted {
            why_not.push(format!(
                "{} sessions or requests of the fixed work were not done in its time",
                result.work_left
            ));
        }
        let lost = counts.measured.failures[Failure::StaleFailed as usize];
        if lost as f64 > MOST_LOST * counts.started as f64 {
            why_not.push(format!(
                "{lost} of {} requests met a connection that the server was closing, and may not be sent twice",
                counts.started
            ));
        }
        if result.repeated as f64 > MOST_LOST * counts.started as f64
            && result.repeated as f64 > MOST_AMBIGUOUS * result.closes as f64
        {
            why_not.push(format!(
                "{} of {} requests lost their connection when the server may have received them, and were sent again",
                result.repeated, counts.started
            ));
        }
        let started: u64 = result.started.iter().sum();
        let slack = MIX_TOLERANCE + plan.deck.hand as f64 / started.max(1) as f64;
        for part in &self.mix {
            if (part.achieved_share - part.asked_share).abs() > slack {
                let (achieved, planned) = (part.achieved_share, part.asked_share);
                why_not.push(format!(
                    "the share of {} was {achieved:.3} where {planned:.3} was planned",
                    part.name
                ));
            }
        }
        if result.forgone as f64 > RATE_TOLERANCE * counts.started as f64 {
            why_not.push(format!(
                "{} of {} requests that were due were not sent before the end",
                result.forgone, counts.started
            ));
        }
        if let Some(think) = &self.think {
            let off = (think.mean_kept_ms - think.mean_drawn_ms).abs();
            if off > (THINK_TOLERANCE * think.mean_drawn_ms).max(1.0) {
                let (kept, drawn) = (think.mean_kept_ms, think.mean_drawn_ms);
                why_not.push(format!("the mean pause was {kept:.3} ms where {drawn:.3} ms was drawn"));
            }
        }
        why_not
    }
}

fn mix(plan: &SlicePlan, result: &SliceResult) -> Vec<MixAudit> {
    let weights: f64 = plan.mix.iter().map(|part| part.weight).sum();
    let started: u64 = result.started.iter().sum();
    let parts = plan.mix.iter().zip(&result.started);
    parts
        .map(|(part, count)| MixAudit {
            name: part.name.clone(),
            asked_share: part.weight / weights,
            achieved_share: if started == 0 {
                part.weight / weights
            } else {
                *count as f64 / started as f64
            },
            started: *count,
        })
        .collect()
}

/// Little's law, corrected at the slice's edges: waiting before the measured time is subtracted, and that of requests in flight at its
/// end is added. Checked only if the slice is longer than 50 mean response times, so that pauses cut off at the edges do not matter.
fn littles_law(slice: &Slice, plan: &SlicePlan, result: &SliceResult, seconds: f64) -> Option<f64> {
    let Profile::BigBang(profile) = &slice.profile else {
        return None;
    };
    let counts = result.counts();
    let completed = counts.measured.completed;
    if counts.measured.ended() > completed || completed == 0 || !matches!(plan.shape, Shape::Closed(_)) {
        return None;
    }
    let waited = (counts.response_ns_sum + result.unfinished_waits).saturating_sub(result.carried);
    let response = waited as f64 / completed as f64 / 1e9;
    // Pauses for each right answer, since a session has more requests than pauses; as drawn, since lateness after a pause is in the response.
    let pause = result.think_drawn_ns as f64 / completed as f64 / 1e9;
    if seconds < 50.0 * (response + pause) {
        return None;
    }
    Some(completed as f64 / seconds * (response + pause) / f64::from(profile.users))
}
