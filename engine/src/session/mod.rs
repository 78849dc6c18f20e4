//! Values that a session carries from answers to later requests, and the marked places that they fill.

mod capture;
mod coding;
mod computed;
mod element_path;
mod json_path;
mod rows;
mod rsa;
mod stamp;
mod template;

pub use capture::{CompiledCapture, MOST_SCANNED, Values};
pub use computed::{Filling, RequestParts, Spot};
pub use element_path::ElementPath;
pub use json_path::JsonPath;
pub use rows::RowTable;
pub use stamp::{Stamp, set_secrets};
pub use template::{Filled, check, fill, fill_path, has_computed, has_place, names};

use std::collections::BTreeSet;
use std::sync::Arc;

use capture::is_value;

use crate::clock::{Ns, from_ms};
use crate::job::{Session, SessionFailure};
use crate::schedule::Pause;

/// A session of the job, compiled.
#[derive(Debug, Clone)]
pub struct SessionPlan {
    pub steps: Vec<StepPlan>,
    pub on_failure: SessionFailure,
    pub new_visitor: bool,
    /// The number of steps that a user makes once; they come first.
    pub once: usize,
    again_on: Vec<u16>,
    again_after: Option<Ns>,
    /// How long after the measured time sessions that have begun may go on.
    pub lead_out: Ns,
    pub rows: Option<Arc<RowTable>>,
}

/// The pause and the captures after one request of a session.
#[derive(Debug, Clone)]
pub struct StepPlan {
    /// The pause after the answer, unless the corpus prescribes one.
    pub pause: Pause,
    pub captures: Vec<CompiledCapture>,
    /// The captured value without which the step is left out.
    pub if_captured: Option<String>,
}

impl StepPlan {
    /// Whether a capture reads the answer's body, which is then kept if it comes in pieces.
    pub fn reads_body(&self) -> bool {
        self.captures.iter().any(CompiledCapture::reads_body)
    }

    /// Whether a capture reads the answer's head, whose fields are then kept.
    #[inline]
    pub fn reads_head(&self) -> bool {
        self.captures.iter().any(|capture| !capture.reads_body())
    }
}

impl SessionPlan {
    /// Compiles a session's captures, an error names the invalid one; `rows` are those that the session names.
    pub fn new(session: &Session, rows: Option<Arc<RowTable>>) -> Result<Self, String> {
        let conditions = session.steps.iter().filter_map(|step| step.if_captured.as_deref());
        let may_lack: BTreeSet<&str> = conditions.collect();
        let steps = session.steps.iter().map(|step| {
            let captures = step.captures.iter().map(|(name, capture)| {
                let mut compiled = CompiledCapture::new(name, capture)?;
                compiled.may_lack = may_lack.contains(name.as_str());
                Ok(compiled)
            });
            Ok(StepPlan {
                pause: Pause::new(&step.think),
                captures: captures.collect::<Result<_, String>>()?,
                if_captured: step.if_captured.clone(),
            })
        });
        Ok(Self {
            steps: steps.collect::<Result<_, String>>()?,
            on_failure: session.on_failure,
            new_visitor: session.new_visitor,
            once: session.steps.iter().take_while(|step| step.once).count(),
            again_on: session.again_on.clone(),
            again_after: session.again_after_ms.map(from_ms),
            lead_out: from_ms(session.lead_out_ms),
            rows,
        })
    }

    /// Whether an answer with this status to request number `step` asks for the `once` steps again.
    pub fn begins_again(&self, step: usize, status: u16) -> bool {
        step >= self.once && self.again_on.contains(&status)
    }

    /// The first step from number `step` on that is not left out for want of a captured value.
    #[inline]
    pub fn next_step(&self, step: usize, values: &Values) -> usize {
        let made = |step: &StepPlan| match &step.if_captured {
            Some(name) => values.get(name).is_some(),
            None => true,
        };
        self.steps[step..]
            .iter()
            .position(made)
            .map_or(self.steps.len(), |left_out| step + left_out)
    }

    /// Whether `once` steps that ended at `made` must be made again at `now`.
    pub fn is_old(&self, made: Ns, now: Ns) -> bool {
        self.again_after.is_some_and(|age| now.saturating_sub(made) >= age)
    }
}
