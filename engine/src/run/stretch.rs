//! Stretches: one slice on one subject, with edges that suit answers too slow for turns.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use serde::Deserialize;

use super::Start;
use super::keepers::Keepers;
use crate::clock::{Clock, Monotonic, Ns, from_ms, from_seconds};
use crate::error::{EngineError, Result};
use crate::job::{Job, Profile, Target};
use crate::plan::{Shape, SlicePlan};

/// A day; longer times might not fit the clock.
const MOST_MS: f64 = 86_400_000.0;
const LEAST_SECONDS: f64 = 0.001;

/// The edges of a stretch: users start one after another over `spread_ms`, and the measured time of `seconds` begins `lead_in_ms` after
/// the first start. With `prepare` it waits for `go` with an instant, as a slice after that command.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stretch {
    pub slice: u64,
    pub lead_in_ms: f64,
    pub spread_ms: f64,
    pub seconds: f64,
    #[serde(default)]
    pub prepare: bool,
}

impl Stretch {
    /// When its lead-in begins.
    pub fn start(&self) -> Start {
        match self.prepare {
            true => Start::WhenTold,
            false => Start::AtOnce,
        }
    }
}

/// Checks that the slice can be driven as a stretch.
pub fn check(request: &Stretch, job: &Job) -> std::result::Result<(), String> {
    if !(0.0..=MOST_MS).contains(&request.lead_in_ms) || !(0.0..=request.lead_in_ms).contains(&request.spread_ms) {
        return Err("users start within the lead-in, which takes at most a day".to_owned());
    }
    if !(LEAST_SECONDS..=MOST_MS / 1000.0).contains(&request.seconds) {
        return Err(format!("a stretch takes at least {LEAST_SECONDS} s and at most a day"));
    }
    match job.slices.iter().find(|slice| slice.number == request.slice) {
        Some(slice) if !matches!(slice.profile, Profile::BigBang(_)) => {
            Err(format!("slice {} has no constant number of users", request.slice))
        }
        _ => Ok(()),
    }
}

/// The plan of a slice with the edges of this stretch.
pub fn plan(whole: SlicePlan, request: &Stretch) -> SlicePlan {
    let length = from_seconds(request.seconds);
    let shape = match whole.shape {
        Shape::Closed(mut levels) => {
            levels.length = length;
            Shape::Closed(levels)
        }
        open => open,
    };
    SlicePlan {
        shape,
        length,
        lead_in: from_ms(request.lead_in_ms),
        spread: from_ms(request.spread_ms),
        ..whole
    }
}

/// Reads a subject's processor clocks at both edges of a slice's measured time, on a thread of its own.
pub struct EdgeClocks {
    begun: Sender<Ns>,
    reading: JoinHandle<Result<Option<Ns>>>,
}

impl EdgeClocks {
    /// Prepares the reading for a slice of this plan; none where the subject has no keeper.
    pub fn start(target: &Target, plan: &SlicePlan) -> Result<Option<Self>> {
        if target.keepers.is_empty() {
            return Ok(None);
        }
        let keepers = Keepers::connect(std::slice::from_ref(target))?;
        let (begun, when) = channel();
        let (lead_in, length) = (plan.lead_in, plan.length);
        let read = move || read_edges(keepers, &when, lead_in, length);
        let spawned = std::thread::Builder::new().name("edges".to_owned()).spawn(read);
        let reading = spawned.map_err(EngineError::system("cannot start a thread"))?;
        Ok(Some(Self { begun, reading }))
    }

    /// Starts the reading; the lead-in begins at `at`.
    pub fn begin(&self, at: Ns) {
        // If the thread has ended already, `cpu_used` returns its error.
        let _ = self.begun.send(at);
    }

    /// The processor time within the measured time; None if the slice was broken off.
    pub fn cpu_used(self) -> Result<Option<Ns>> {
        drop(self.begun);
        let read = self.reading.join();
        read.unwrap_or_else(|_| {
            Err(EngineError::CannotGoOn(
                "the reading of processor clocks ended early".to_owned(),
            ))
        })
    }
}

fn read_edges(mut keepers: Keepers, when: &Receiver<Ns>, lead_in: Ns, length: Ns) -> Result<Option<Ns>> {
    let Ok(at) = when.recv() else { return Ok(None) };
    let mut before: Option<Ns> = None;
    for edge in [at + lead_in, at + lead_in + length] {
        let left = Duration::from_nanos(edge.saturating_sub(Monotonic.now()));
        if when.recv_timeout(left) == Err(RecvTimeoutError::Disconnected) {
            return Ok(None);
        }
        let now = Monotonic.now();
        let used = keepers.used_since_last()?;
        if let Some(before) = before.replace(now) {
            // The two readings are not exactly as far apart as the edges.
            let apart = now.saturating_sub(before).max(1);
            return Ok(Some((used as f64 * length as f64 / apart as f64) as Ns));
        }
    }
    Ok(None)
}
