//! Slices that take turns of a fraction of a second, so that disturbances of the machine affect all of them alike.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;

use super::control::Turns;
use super::crew::{Crew, Message};
use super::keepers::Keepers;
use super::merge::SliceResult;
use super::ticks::{Parts, TickGatherer};
use super::{Ended, Start, Tick, drive_slice};
use crate::clock::{CpuTime, Ns, SECOND, from_ms};
use crate::error::Result;
use crate::job::{Job, Profile, Slice, ThinkKind};
use crate::plan::SlicePlan;
use crate::record::{Counts, Edges, Lateness, SampleAllowance, TickPart};

const LEAST_MS: f64 = 1.0;
/// A minute; longer times might not fit the clock.
const MOST_MS: f64 = 60_000.0;

/// Checks that the slices can take turns.
pub fn check(request: &Turns, job: &Job) -> std::result::Result<(), String> {
    if !(LEAST_MS..=MOST_MS).contains(&request.ms) {
        return Err(format!("a turn takes {LEAST_MS} to {MOST_MS} ms"));
    }
    if request.slices.is_empty() {
        return Err("it names no slice".to_owned());
    }
    if job.share.of > 1 {
        return Err("turns need one engine; this job shares its load with others".to_owned());
    }
    for slice in job.slices.iter().filter(|slice| request.slices.contains(&slice.number)) {
        let session = slice.mix.0.iter().any(|(name, _)| job.sessions.contains_key(name));
        let steady = matches!(slice.profile, Profile::BigBang(_)) && slice.think.kind == ThinkKind::None;
        if session || !steady {
            return Err(format!(
                "slice {} cannot take turns: its load has a shape, pauses or sessions",
                slice.number
            ));
        }
    }
    Ok(())
}

/// One slice of those that take turns.
pub struct Share<'a> {
    pub slice: &'a Slice,
    pub plan: Arc<SlicePlan>,
    /// The sum of the turns so far.
    pub result: Option<SliceResult>,
    allowance: SampleAllowance,
    seconds: TurnSeconds,
    rounds: u64,
}

impl<'a> Share<'a> {
    /// `whole` is the plan of the unbroken slice.
    pub fn new(slice: &'a Slice, whole: SlicePlan, request: &Turns, allowance: SampleAllowance) -> Self {
        let turn = from_ms(request.ms).min(whole.length);
        Self {
            seconds: TurnSeconds::new(TickGatherer::new(&whole, slice, Parts::OfAllThreads), whole.length),
            rounds: whole.length.div_ceil(turn),
            slice,
            plan: Arc::new(SlicePlan {
                length: turn,
                lead_in: 0,
                edges: Edges::WholeTurn,
                ..whole
            }),
            result: None,
            allowance,
        }
    }

    /// Whether a turn ended without all of its answers.
    pub fn hangs(&self) -> bool {
        self.result.as_ref().is_some_and(|result| result.unfinished > 0)
    }

    fn add(&mut self, turn: SliceResult) -> Vec<Tick> {
        self.allowance = self.allowance.less(&turn.samples);
        let users = match &self.slice.profile {
            Profile::BigBang(profile) => profile.users,
            _ => 0,
        };
        let ticks = self.seconds.add(&turn, users);
        self.result = Some(match self.result.take() {
            Some(earlier) => earlier.followed_by(turn),
            None => turn,
        });
        ticks
    }
}

/// Drives all shares in turns until each has had its measured time. The keepers freeze the others during a turn, and all after the last.
/// A round that leaves a request without an answer is the last: the server hangs, and every further turn would wait for it.
pub fn drive(
    crew: &Crew,
    messages: &Receiver<Message>,
    shares: &mut [Share],
    keepers: &mut Keepers,
    mut tick: impl FnMut(Vec<Tick>) -> Result<()>,
) -> Result<Ended> {
    let rounds = shares.iter().map(|share| share.rounds).max().unwrap_or(0);
    let mut orders = Orders::new(shares.len(), shares.first().map_or(0, |share| share.plan.deck_seed));
    let mut ended = Ended::AsPlanned;
    'rounds: for round in 0..rounds {
        for place in orders.next() {
            let share = &mut shares[place];
            if round >= share.rounds {
                continue;
            }
            keepers.give_turn_to(share.plan.target)?;
            let turn;
            (turn, ended) = drive_slice(crew, messages, &share.plan, share.allowance, Start::AtOnce, |_| Ok(()))?;
            tick(share.add(turn))?;
            if ended == Ended::WithInput {
                break 'rounds;
            }
        }
        if shares.iter().any(Share::hangs) {
            break;
        }
    }
    keepers.freeze_all()?;
    for share in shares {
        if let Some(result) = &mut share.result {
            result.subject_cpu = keepers.take_usage(share.plan.target);
        }
        tick(share.seconds.rest())?;
    }
    Ok(ended)
}

/// The orders of rounds: a random order, then its reverse, so that a steady drift of the machine's speed favours no subject.
struct Orders {
    draw: SmallRng,
    order: Vec<usize>,
    reversed: bool,
}

impl Orders {
    fn new(count: usize, seed: u64) -> Self {
        Self {
            draw: SmallRng::seed_from_u64(seed),
            order: (0..count).collect(),
            reversed: true,
        }
    }

    fn next(&mut self) -> Vec<usize> {
        self.reversed = !self.reversed;
        if self.reversed {
            self.order.reverse();
        } else {
            self.order.shuffle(&mut self.draw);
        }
        self.order.clone()
    }
}

/// Combines turns into seconds of the slice's measured time.
struct TurnSeconds {
    gatherer: TickGatherer,
    length: Ns,
    index: u64,
    end: Ns,
    users_active: u32,
    measured: Ns,
    operations: Vec<Counts>,
    cpu: CpuTime,
    lateness: Lateness,
}

impl TurnSeconds {
    fn new(gatherer: TickGatherer, length: Ns) -> Self {
        Self {
            gatherer,
            length,
            index: 0,
            end: 0,
            users_active: 0,
            measured: 0,
            operations: Vec::new(),
            cpu: CpuTime::default(),
            lateness: Lateness::default(),
        }
    }

    /// Adds a turn; returns the second that it completes, if any. Turns are slightly longer than planned, so the slice's last second is the
    /// rest at the end.
    fn add(&mut self, turn: &SliceResult, users_active: u32) -> Vec<Tick> {
        (self.end, self.users_active) = (turn.end, users_active);
        self.operations.resize(turn.operations.len(), Counts::default());
        for (sum, record) in self.operations.iter_mut().zip(&turn.operations) {
            if let Some(record) = record {
                sum.add(&record.counts);
            }
        }
        self.cpu = self.cpu.plus(turn.cpu);
        self.lateness.add(&turn.lateness);
        self.measured += turn.measured;
        if self.measured >= SECOND && (self.index + 1) * SECOND < self.length {
            self.second()
        } else {
            Vec::new()
        }
    }

    /// The last, incomplete second.
    fn rest(&mut self) -> Vec<Tick> {
        if self.measured > 0 { self.second() } else { Vec::new() }
    }

    fn second(&mut self) -> Vec<Tick> {
        let part = TickPart {
            thread: 0,
            index: self.index,
            end: self.end,
            operations: std::mem::take(&mut self.operations),
            users_active: self.users_active,
            cpu: std::mem::take(&mut self.cpu),
            lateness: std::mem::take(&mut self.lateness),
            response: None,
            is_last: false,
        };
        self.index += 1;
        self.measured = 0;
        self.gatherer.take(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_round_but_every_second_is_in_an_order_drawn_anew_and_that_is_the_reverse_of_the_one_before() {
        let mut orders = Orders::new(4, 7);
        let rounds: Vec<Vec<usize>> = (0..40).map(|_| orders.next()).collect();
        for pair in rounds.chunks(2) {
            let reverse: Vec<usize> = pair[1].iter().rev().copied().collect();
            assert_eq!(pair[0], reverse);
            let mut sorted = pair[0].clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3]);
        }
        assert!(rounds.iter().any(|round| round != &rounds[0] && round != &rounds[1]));
        let again: Vec<Vec<usize>> = {
            let mut orders = Orders::new(4, 7);
            (0..40).map(|_| orders.next()).collect()
        };
        assert_eq!(rounds, again);
    }
}
