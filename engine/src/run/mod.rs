//! Runs a job: drives each slice on command, and writes its result.

mod audit;
mod control;
mod crew;
mod keepers;
mod merge;
mod open_files;
mod output;
mod secrets;
mod stretch;
mod ticks;
mod turns;

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

pub use audit::{Audit, SliceAudit};
pub use crew::{Crew, Message};
pub use merge::{SliceResult, ThreadShare};
pub use open_files::raise_file_limit;
pub use ticks::{Parts, TickGatherer};

use hdrhistogram::Histogram;

use crate::clock::{Clock, MICROSECOND, MILLISECOND, Monotonic, Ns, SECOND};
use crate::corpus::Corpus;
use crate::error::{EngineError, Result};
use crate::plan::{PlanMaker, SlicePlan};
use crate::record::{SampleAllowance, TickRow};
use crate::validation;
use control::{Command, Turns};
use keepers::Keepers;
use output::Output;
use stretch::{EdgeClocks, Stretch};

/// Reads the job, then executes the commands on standard input until it ends. A slice is on disk before its `drained` line is printed.
/// `secrets` is the file of headers and values that the engine never writes.
pub fn run(job_path: &Path, out: &Path, secrets: Option<&Path>) -> Result<()> {
    let mut job = validation::read(job_path)?;
    if let Some(path) = secrets {
        secrets::take_in(path, &mut job)?;
    }
    let rules: Vec<&str> = job.rules.keys().map(String::as_str).collect();
    let corpus = Corpus::open(&validation::corpus_folder(&job, job_path), &rules)?;
    validation::check_against_corpus(&job, &corpus).map_err(|why| EngineError::InvalidJob {
        path: job_path.to_owned(),
        why,
    })?;
    let maker = PlanMaker::new(job, Arc::new(corpus), job_path.parent().unwrap_or(Path::new(".")))?;
    let output = Output::create(out, maker.job())?;
    raise_file_limit();
    let (crew, messages) = Crew::start(&maker)?;
    control::read_in_background(crew.sender())?;
    control::print_line(&serde_json::json!({"ready": true}))?;
    Runner {
        maker: &maker,
        crew: &crew,
        messages,
        output,
        done: vec![false; maker.job().slices.len()],
        keepers: None,
    }
    .run()
}

/// Executes the commands on standard input.
struct Runner<'a> {
    maker: &'a PlanMaker,
    crew: &'a Crew,
    messages: Receiver<Message>,
    output: Output,
    /// For each listed slice, whether it was started.
    done: Vec<bool>,
    /// After turns: the keepers, which hold the subjects frozen until the next command.
    keepers: Option<Keepers>,
}

impl Runner<'_> {
    fn run(mut self) -> Result<()> {
        while let Ok(message) = self.messages.recv() {
            match message {
                Message::Line(line) => {
                    if self.execute(&line)? == Ended::WithInput {
                        break;
                    }
                }
                Message::InputEnded => break,
                Message::Broken(why) => return Err(EngineError::CannotGoOn(why)),
                Message::Opened | Message::Tick(_) | Message::Driven(_) => {}
            }
        }
        self.output.finish()
    }

    fn execute(&mut self, line: &str) -> Result<Ended> {
        let wrong = |why: String| EngineError::Control {
            line: line.to_owned(),
            why,
        };
        match control::parse(line).map_err(wrong)? {
            Command::Go(number, None) => {
                let place = self.begin(number).map_err(wrong)?;
                self.drive(place, self.maker.slice(place)?, Start::AtOnce, None)
            }
            Command::Prepare(number) => {
                let place = self.begin(number).map_err(wrong)?;
                self.drive(place, self.maker.slice(place)?, Start::WhenTold, None)
            }
            Command::Go(number, Some(_)) => Err(wrong(format!(
                "slice {number} was not prepared; `at_ns` needs `prepare` first"
            ))),
            Command::Turns(request) => {
                turns::check(&request, self.maker.job()).map_err(wrong)?;
                let places: std::result::Result<Vec<_>, _> =
                    request.slices.iter().map(|number| self.begin(*number)).collect();
                self.take_turns(&places.map_err(wrong)?, &request)
            }
            Command::Stretch(request) => {
                stretch::check(&request, self.maker.job()).map_err(wrong)?;
                let place = self.begin(request.slice).map_err(wrong)?;
                self.stretch(place, &request)
            }
            // The slice has ended by itself.
            Command::Enough(number, _) => match self.done[self.place(number).map_err(wrong)?] {
                true => Ok(Ended::AsPlanned),
                false => Err(wrong(format!("slice {number} was not begun"))),
            },
        }
    }

    fn place(&self, number: u64) -> std::result::Result<usize, String> {
        let place = self.maker.job().slices.iter().position(|slice| slice.number == number);
        place.ok_or_else(|| format!("the job has no slice {number}"))
    }

    /// Marks a slice as run, which is possible once; returns its place.
    fn begin(&mut self, number: u64) -> std::result::Result<usize, String> {
        let place = self.place(number)?;
        match std::mem::replace(&mut self.done[place], true) {
            false => Ok(place),
            true => Err(format!("slice {number} was run already")),
        }
    }

    /// The samples that each of the slices that run now may store.
    fn allowance(&self, running: usize) -> SampleAllowance {
        let left = (self.done.iter().filter(|done| !**done).count() + running) as u64;
        let (right, failed) = self.output.samples_written();
        SampleAllowance::share(&self.maker.job().samples, right, failed, left)
    }

    /// Drives the slice at `place` in a stretch.
    fn stretch(&mut self, place: usize, request: &Stretch) -> Result<Ended> {
        let plan = stretch::plan(self.maker.slice(place)?, request);
        let clocks = EdgeClocks::start(&self.maker.job().targets[plan.target], &plan)?;
        self.drive(place, plan, request.start(), clocks)
    }

    /// Drives the slice at `place` and writes its result; `clocks` are read at its edges.
    fn drive(&mut self, place: usize, plan: SlicePlan, start: Start, clocks: Option<EdgeClocks>) -> Result<Ended> {
        // An unbroken slice freezes nothing: the caller decides which subjects run.
        self.keepers = None;
        let plan = Arc::new(plan);
        let slice = &self.maker.job().slices[place];
        let allowance = self.allowance(1);
        let mut gatherer = TickGatherer::new(&plan, slice, Parts::OfEachThread);
        let output = &mut self.output;
        let tick = |part| {
            for tick in gatherer.take(part) {
                output.tick(&tick)?;
                control::print_line(&tick.line())?;
            }
            Ok(())
        };
        let begun = |at| clocks.iter().for_each(|clocks| clocks.begin(at));
        let (mut result, ended) = drive_begun(self.crew, &self.messages, &plan, allowance, start, tick, begun)?;
        if let Some(clocks) = clocks {
            result.window_cpu = clocks.cpu_used()?;
        }
        for tick in gatherer.rest() {
            output.tick(&tick)?;
        }
        output.slice(slice, &plan, &result)?;
        // The histograms are freed before the caller learns that the slice has ended.
        drop(result);
        if ended == Ended::AsPlanned {
            control::print_line(&serde_json::json!({"drained": slice.number}))?;
        }
        Ok(ended)
    }

    /// Drives the slices at these places in turns and writes their results.
    fn take_turns(&mut self, places: &[usize], request: &Turns) -> Result<Ended> {
        let mut shares = Vec::new();
        for place in places {
            let slice = &self.maker.job().slices[*place];
            let allowance = self.allowance(places.len());
            shares.push(turns::Share::new(slice, self.maker.slice(*place)?, request, allowance));
        }
        let mut keepers = match self.keepers.take() {
            Some(keepers) => keepers,
            None => Keepers::connect(&self.maker.job().targets)?,
        };
        let ended = turns::drive(self.crew, &self.messages, &mut shares, &mut keepers, |ticks| {
            for tick in ticks {
                self.output.tick(&tick)?;
                control::print_line(&tick.line())?;
            }
            Ok(())
        })?;
        // A server that hangs is examined next, so it must not be frozen.
        let hangs = shares.iter().any(turns::Share::hangs);
        self.keepers = Some(keepers).filter(|_| !hangs);
        for share in shares {
            let Some(result) = share.result else { continue };
            self.output.slice(share.slice, &share.plan, &result)?;
            drop(result);
            if ended == Ended::AsPlanned {
                control::print_line(&serde_json::json!({"drained": share.slice.number}))?;
            }
        }
        Ok(ended)
    }
}

/// How a slice ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    AsPlanned,
    /// Standard input ended before the slice did, which breaks it off.
    WithInput,
}

/// The furthest instant in the future at which a prepared slice may begin.
const MOST_AHEAD: Ns = 3600 * SECOND;

/// When a slice with open connections begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    AtOnce,
    /// At the instant that a later command gives, as when several engines begin together.
    WhenTold,
}

/// Drives one slice on all threads.
pub fn drive_slice(
    crew: &Crew,
    messages: &Receiver<Message>,
    plan: &Arc<SlicePlan>,
    allowance: SampleAllowance,
    start: Start,
    tick: impl FnMut(crate::record::TickPart) -> Result<()>,
) -> Result<(SliceResult, Ended)> {
    drive_begun(crew, messages, plan, allowance, start, tick, |_| ())
}

/// As `drive_slice`; calls `begun` with the instant at which the lead-in begins.
fn drive_begun(
    crew: &Crew,
    messages: &Receiver<Message>,
    plan: &Arc<SlicePlan>,
    allowance: SampleAllowance,
    start: Start,
    mut tick: impl FnMut(crate::record::TickPart) -> Result<()>,
    begun: impl Fn(Ns),
) -> Result<(SliceResult, Ended)> {
    crew.prepare(plan, allowance)?;
    let threads = crew.threads();
    let (mut opened, mut parts, mut ended) = (0, Vec::new(), Ended::AsPlanned);
    let mut waiting = false;
    let mut seconds = 0;
    while parts.len() < threads {
        let message = messages
            .recv()
            .map_err(|_| EngineError::CannotGoOn("all threads ended".to_owned()))?;
        match message {
            Message::Opened => {
                opened += 1;
                if opened == threads && start == Start::WhenTold && ended == Ended::AsPlanned {
                    waiting = true;
                    control::print_line(&serde_json::json!({"prepared": plan.number}))?;
                } else if opened == threads {
                    // Several threads are to begin together.
                    let at = Monotonic.now() + if threads > 1 { MILLISECOND } else { 50 * MICROSECOND };
                    begun(at);
                    crew.go(at)?;
                }
            }
            Message::Tick(part) => {
                seconds = seconds.max(part.index + 1);
                tick(part)?;
            }
            Message::Driven(part) => parts.push(*part),
            Message::InputEnded => {
                ended = Ended::WithInput;
                crew.stop();
                if std::mem::take(&mut waiting) {
                    // In the future, so that nothing is due before the threads see the stop signal.
                    crew.go(Monotonic.now() + SECOND)?;
                }
            }
            Message::Line(line) => match control::parse(&line) {
                // At a whole second that no thread has reached, so that all end together.
                Ok(Command::Enough(number, at)) if number == plan.number => {
                    crew.shorten_to(at.unwrap_or(seconds + 2).saturating_mul(SECOND));
                }
                Ok(Command::Go(number, Some(at)))
                    if number == plan.number && waiting && at < Monotonic.now() + MOST_AHEAD =>
                {
                    waiting = false;
                    begun(at);
                    crew.go(at)?;
                }
                _ => {
                    let why = match waiting {
                        true => "a slice is prepared; send `go` with an instant within the next hour",
                        false => "a slice is running; wait until it is drained",
                    };
                    return Err(EngineError::Control {
                        line,
                        why: why.to_owned(),
                    });
                }
            },
            Message::Broken(why) => return Err(EngineError::CannotGoOn(why)),
        }
    }
    Ok((SliceResult::merge(parts), ended))
}

/// One second of a slice, all threads together.
pub struct Tick {
    pub rows: Vec<TickRow>,
    progress: serde_json::Value,
    second: Option<Second>,
}

/// The response times of one second of a slice, ended at `end`.
pub struct Second {
    tag: String,
    end: Ns,
    response: Histogram<u64>,
}

impl Tick {
    /// The progress line on standard output.
    pub fn line(&self) -> serde_json::Value {
        serde_json::json!({"tick": self.progress})
    }
}
