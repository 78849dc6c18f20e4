//! The load of one thread: users that start and stop, or arrivals.

use crate::clock::Ns;
use crate::plan::{Shape, SlicePlan, part_of};
use crate::schedule::Arrivals;

pub(super) enum Load {
    Closed(Users),
    Open(Queue),
}

/// The remaining changes of level, as instants and numbers of users of this thread.
pub(super) struct Users {
    changes: std::vec::IntoIter<(Ns, u32)>,
    next: Option<(Ns, u32)>,
    pub level: u32,
}

/// The remaining arrivals; the first may be due already and wait for a lane.
pub(super) struct Queue {
    arrivals: Box<dyn Iterator<Item = (u64, Ns)> + Send>,
    pub next: Option<(u64, Ns)>,
    /// Idle lanes; the most recently busy one is used first.
    pub free: Vec<u32>,
}

impl Load {
    /// The load of one thread; the lead-in begins at `lead_in` and the measured time at `begin`.
    pub fn new(plan: &SlicePlan, thread: u32, lead_in: Ns, begin: Ns) -> Self {
        match &plan.shape {
            Shape::Closed(levels) => {
                let own = |users: u32| part_of(plan.share.of_all(users), thread, plan.threads);
                let mut changes: Vec<(Ns, u32)> = levels
                    .changes
                    .iter()
                    .enumerate()
                    .map(|(place, (at, users))| {
                        // The lead-in has the first level too.
                        let at = if place == 0 { lead_in } else { begin + at };
                        (at, own(*users))
                    })
                    .collect();
                if let (true, Some((_, all))) = (plan.spread > 0, levels.changes.first()) {
                    let starts = (0..own(*all)).map(|place| (lead_in + start_of(plan, thread, place, *all), place + 1));
                    changes.splice(..1, starts);
                }
                let mut changes = changes.into_iter();
                let next = changes.next();
                Self::Closed(Users {
                    changes,
                    next,
                    level: 0,
                })
            }
            Shape::Open(rate) => {
                let before = Arrivals::lead_in(rate, plan.lead_in, plan.deck_seed).of_share(plan.share);
                let measured = Arrivals::measured(rate, plan.deck_seed).of_share(plan.share);
                let (before, measured) = (
                    before.map(move |due| lead_in + due),
                    measured.map(move |due| begin + due),
                );
                let (thread, threads) = (u64::from(thread), u64::from(plan.threads));
                let numbered = (0u64..).zip(before.take_while(move |due| *due < begin).chain(measured));
                let mut arrivals = numbered.filter(move |(number, _)| number % threads == thread);
                let next = arrivals.next();
                Self::Open(Queue {
                    arrivals: Box::new(arrivals),
                    next,
                    free: Vec::new(),
                })
            }
        }
    }

    /// The instant of the next change or arrival that can start.
    #[inline]
    pub fn next(&self) -> Ns {
        match self {
            Self::Closed(users) => users.next.map_or(Ns::MAX, |(at, _)| at),
            // While all lanes are busy, a due arrival waits for an answer.
            Self::Open(queue) if queue.free.is_empty() => Ns::MAX,
            Self::Open(queue) => queue.next.map_or(Ns::MAX, |(_, due)| due),
        }
    }
}

/// The start of a user, from the lead-in's begin: users of all threads and engines start evenly over the spread, in order.
fn start_of(plan: &SlicePlan, thread: u32, place: u32, all: u32) -> Ns {
    let number = plan
        .share
        .number(u64::from(place) * u64::from(plan.threads) + u64::from(thread));
    plan.spread / u64::from(all.max(1)) * number
}

impl Users {
    /// The next change that is due at `now`: its instant and the level before; `level` is the level after.
    pub fn change(&mut self, now: Ns) -> Option<(Ns, u32)> {
        let (at, level) = self.next.filter(|(at, _)| *at <= now)?;
        self.next = self.changes.next();
        Some((at, std::mem::replace(&mut self.level, level)))
    }
}

impl Queue {
    /// The next arrival that is due at `now` and has a lane: lane, card and due instant.
    #[inline]
    pub fn take(&mut self, now: Ns) -> Option<(u32, u64, Ns)> {
        let (number, due) = self.next.filter(|(_, due)| *due <= now)?;
        let lane = self.free.pop()?;
        self.next = self.arrivals.next();
        Some((lane, number, due))
    }

    /// The next arrival, due before `end`, that will not be taken up any more.
    pub fn forgo(&mut self, end: Ns) -> Option<(u64, Ns)> {
        let arrival = self.next.filter(|(_, due)| *due < end)?;
        self.next = self.arrivals.next();
        Some(arrival)
    }
}
