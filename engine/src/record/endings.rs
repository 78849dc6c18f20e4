//! Counts of requests by time, outcome, cause and HTTP status: the content of `outcomes.csv`.

use crate::verify::{Failed, Outcome};

/// When a request ended: in the lead-in, in the measured time, or after it. One that was due in the lead-in and ended in the measured
/// time was carried into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum When {
    LeadIn,
    Carried,
    Measured,
    After,
}

impl When {
    /// Its name in `outcomes.csv`.
    pub fn name(self) -> &'static str {
        match self {
            Self::LeadIn => "lead-in",
            Self::Carried => "carried",
            Self::Measured => "measured",
            Self::After => "after",
        }
    }
}

/// The end of a request; `status` is 0 if no status line came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ending {
    pub when: When,
    pub outcome: &'static str,
    pub cause: &'static str,
    pub status: u16,
}

impl Ending {
    pub fn of(when: When, outcome: Outcome, status: u16) -> Self {
        let cause = match outcome {
            Outcome::Failed(Failed { cause, .. }) => cause,
            _ => "",
        };
        Self {
            when,
            outcome: outcome.name(),
            cause,
            status,
        }
    }

    /// A request without an answer when the drain ended.
    pub fn unanswered(when: When, cause: &'static str) -> Self {
        Self {
            when,
            outcome: UNANSWERED,
            cause,
            status: 0,
        }
    }

    fn order(&self) -> (When, &'static str, u16, &'static str) {
        (self.when, self.outcome, self.status, self.cause)
    }
}

pub const UNANSWERED: &str = "unanswered";

/// Counts of endings. Few are different: most requests end like the one before.
#[derive(Debug, Clone, Default)]
pub struct Endings {
    rows: Vec<(Ending, u64)>,
    last: usize,
}

impl Endings {
    #[inline]
    pub fn count(&mut self, ending: Ending) {
        self.add(ending, 1);
    }

    #[inline]
    fn add(&mut self, ending: Ending, count: u64) {
        if let Some((known, sum)) = self.rows.get_mut(self.last)
            && *known == ending
        {
            *sum += count;
            return;
        }
        match self.rows.iter().position(|(known, _)| *known == ending) {
            Some(place) => {
                self.last = place;
                self.rows[place].1 += count;
            }
            None => {
                self.last = self.rows.len();
                self.rows.push((ending, count));
            }
        }
    }

    /// Adds what another thread or turn counted.
    pub fn merge(&mut self, other: &Self) {
        other.rows.iter().for_each(|(ending, count)| self.add(*ending, *count));
    }

    /// All endings with their counts, in a fixed order.
    pub fn sorted(&self) -> Vec<(Ending, u64)> {
        let mut rows = self.rows.clone();
        rows.sort_by_key(|(ending, _)| ending.order());
        rows
    }

    /// How many requests ended.
    pub fn total(&self) -> u64 {
        self.rows.iter().map(|(_, count)| count).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::Failure;

    #[test]
    fn each_ending_has_one_count_however_threads_and_order_mix_them() {
        let right = Ending::of(When::Measured, Outcome::Right { expected_fault: false }, 200);
        let busy = Ending::of(When::Measured, Outcome::failed(Failure::Status), 503);
        let moved = Ending::of(When::Measured, Outcome::failed(Failure::Status), 302);
        let late = Ending::unanswered(When::After, "");
        let (mut one, mut other) = (Endings::default(), Endings::default());
        [right, busy, right, late, right, moved]
            .into_iter()
            .for_each(|ending| one.count(ending));
        [busy, right].into_iter().for_each(|ending| other.count(ending));
        one.merge(&other);
        assert_eq!(one.sorted(), [(right, 4), (moved, 1), (busy, 2), (late, 1)]);
        assert_eq!(one.total(), 8);
    }
}
