//! Values that a session carries from answers to later requests, and the marked places that they fill.

mod capture;
mod element_path;
mod json_path;
mod stamp;
mod template;

pub use capture::{CompiledCapture, MOST_SCANNED, Values};
pub use element_path::ElementPath;
pub use json_path::JsonPath;
pub use stamp::{Stamp, set_secrets};
pub use template::{Filled, fill, fill_path, names};

use crate::job::{Session, SessionFailure};
use crate::schedule::Pause;

/// A session of the job, compiled.
#[derive(Debug, Clone)]
pub struct SessionPlan {
    pub steps: Vec<StepPlan>,
    pub on_failure: SessionFailure,
    pub new_visitor: bool,
}

/// The pause and the captures after one request of a session.
#[derive(Debug, Clone)]
pub struct StepPlan {
    /// The pause after the answer, unless the corpus prescribes one.
    pub pause: Pause,
    pub captures: Vec<CompiledCapture>,
}

impl StepPlan {
    /// Whether a capture reads the answer's body, which is then kept if it comes in pieces.
    pub fn reads_body(&self) -> bool {
        self.captures.iter().any(CompiledCapture::reads_body)
    }
}

impl SessionPlan {
    /// Compiles a session's captures; an error names the invalid one.
    pub fn new(session: &Session) -> Result<Self, String> {
        let steps = session.steps.iter().map(|step| {
            let captures = step.captures.iter();
            Ok(StepPlan {
                pause: Pause::new(&step.think),
                captures: captures
                    .map(|(name, capture)| CompiledCapture::new(name, capture))
                    .collect::<Result<_, String>>()?,
            })
        });
        Ok(Self {
            steps: steps.collect::<Result<_, String>>()?,
            on_failure: session.on_failure,
            new_visitor: session.new_visitor,
        })
    }
}
