//! Open profiles: the instants at which requests are due, whatever the server does.
//!
//! The k-th arrival is at the instant where the integral of the rate reaches k (constant) or the sum of k draws of the unit
//! exponential distribution (Poisson, by change of time). So rates that rise or fall need no thinning. Where several engines share
//! a rate, each generates the same stream and takes its own part (`share`).

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::share::Owners;
use super::stream;
use crate::clock::{Ns, SECOND, from_seconds};
use crate::job::{ArrivalKind, EngineShare, Rate, Stage};

/// Arrivals in time order; instants count from the beginning of the lead-in.
#[derive(Debug, Clone)]
pub struct Arrivals {
    kind: ArrivalKind,
    rng: ChaCha8Rng,
    /// The current stage and those that follow, with the instant at which the current one begins.
    stages: std::collections::VecDeque<Stage>,
    stage_begin: f64,
    /// Arrivals expected in the current stage up to the last one drawn.
    within: f64,
    begun: bool,
    /// Decides which arrivals are this engine's.
    owners: Owners,
}

impl Arrivals {
    /// Refuses a profile in which nothing ever arrives.
    pub fn check(rate: &Rate) -> Result<(), String> {
        let any = rate
            .stages
            .iter()
            .any(|stage| stage.from_rate > 0.0 || stage.to_rate > 0.0);
        if any {
            Ok(())
        } else {
            Err("no stage has a rate above 0".to_owned())
        }
    }

    /// The arrivals of the lead-in, at the first stage's first rate.
    pub fn lead_in(rate: &Rate, lead_in: Ns, seed: u64) -> Self {
        let first = rate.stages.first().map_or(0.0, |stage| stage.from_rate);
        let stage = Stage {
            from_rate: first,
            to_rate: first,
            seconds: lead_in as f64 / SECOND as f64,
        };
        Self::over(rate.arrivals, vec![stage], seed, LEAD_IN_STREAM)
    }

    /// The arrivals of the measured time. They do not depend on the lead-in's length.
    pub fn measured(rate: &Rate, seed: u64) -> Self {
        Self::over(rate.arrivals, rate.stages.clone(), seed, MEASURED_STREAM)
    }

    fn over(kind: ArrivalKind, stages: Vec<Stage>, seed: u64, name: u64) -> Self {
        let owners_rng = stream(seed, OWNERS_STREAM + name);
        Self {
            kind,
            rng: stream(seed, name),
            stages: stages.into(),
            stage_begin: 0.0,
            within: 0.0,
            begun: false,
            owners: Owners::new(EngineShare::default(), kind, owners_rng),
        }
    }

    /// The arrivals of one engine, where several drive the target.
    pub fn of_share(mut self, share: EngineShare) -> Self {
        self.owners = self.owners.of_share(share);
        self
    }

    /// The length of all stages.
    pub fn length(rate: &Rate) -> Ns {
        from_seconds(rate.stages.iter().map(|stage| stage.seconds).sum())
    }
}

const LEAD_IN_STREAM: u64 = 1;
const MEASURED_STREAM: u64 = 2;
/// Added to the name of the arrivals' own stream; 3 is the deck's.
const OWNERS_STREAM: u64 = 3;

impl Iterator for Arrivals {
    type Item = Ns;

    fn next(&mut self) -> Option<Ns> {
        loop {
            let due = self.next_of_all()?;
            if self.owners.next_is_own() {
                return Some(due);
            }
        }
    }
}

impl Arrivals {
    /// The next arrival of the whole stream.
    #[inline]
    fn next_of_all(&mut self) -> Option<Ns> {
        self.within += match self.kind {
            // The first of a constant rate is due at once, the next ones an interval apart.
            ArrivalKind::Constant if !self.begun => 0.0,
            ArrivalKind::Constant => 1.0,
            ArrivalKind::Poisson => -(1.0 - self.rng.random::<f64>()).ln(),
        };
        self.begun = true;
        loop {
            let stage = self.stages.front()?;
            let expected = (stage.from_rate + stage.to_rate) / 2.0 * stage.seconds;
            // The tolerance keeps rounding from moving the last interval of a stage into the next.
            if self.within < expected - 1e-9 {
                return Some(from_seconds(self.stage_begin + instant_within(stage, self.within)));
            }
            self.within = (self.within - expected).max(0.0);
            self.stage_begin += stage.seconds;
            self.stages.pop_front();
        }
    }
}

/// Seconds into the stage at which `expected` arrivals have come: the root of `from t + slope t^2 / 2 = expected`, in the
/// form that stays exact where the slope is small.
fn instant_within(stage: &Stage, expected: f64) -> f64 {
    let slope = (stage.to_rate - stage.from_rate) / stage.seconds;
    let root = (stage.from_rate * stage.from_rate + 2.0 * slope * expected)
        .max(0.0)
        .sqrt();
    if expected == 0.0 {
        0.0
    } else {
        2.0 * expected / (stage.from_rate + root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(kind: ArrivalKind, stages: &[(f64, f64, f64)]) -> Rate {
        let stages = stages
            .iter()
            .map(|&(from_rate, to_rate, seconds)| Stage {
                from_rate,
                to_rate,
                seconds,
            })
            .collect();
        Rate {
            arrivals: kind,
            stages,
            max_in_flight: 1000,
        }
    }

    #[test]
    fn a_constant_rate_is_one_interval_after_the_other_without_drift() {
        let due: Vec<Ns> = Arrivals::measured(&rate(ArrivalKind::Constant, &[(1000.0, 1000.0, 60.0)]), 1).collect();
        assert_eq!(due.len(), 60_000);
        assert!(due.iter().enumerate().all(|(k, due)| *due == k as Ns * 1_000_000));
    }

    #[test]
    fn a_ramp_of_rate_has_as_many_arrivals_as_its_area() {
        let due: Vec<Ns> = Arrivals::measured(&rate(ArrivalKind::Constant, &[(0.0, 100.0, 10.0)]), 1).collect();
        assert_eq!(due.len(), 500);
        let first_half = due.iter().filter(|due| **due < 5 * SECOND).count();
        assert!((124..=126).contains(&first_half), "{first_half}");
        assert!(due.is_sorted());
    }

    #[test]
    fn steps_of_rate_follow_one_another_and_a_silent_one_is_silent() {
        let stages = [(10.0, 10.0, 1.0), (0.0, 0.0, 1.0), (20.0, 20.0, 1.0)];
        let due: Vec<Ns> = Arrivals::measured(&rate(ArrivalKind::Constant, &stages), 1).collect();
        let count = |from: Ns, to: Ns| {
            due.iter()
                .filter(|due| (from * SECOND..to * SECOND).contains(*due))
                .count()
        };
        assert_eq!((count(0, 1), count(1, 2), count(2, 3), due.len()), (10, 0, 20, 30));
    }

    #[test]
    fn the_same_seed_gives_the_same_poisson_arrivals_and_another_others() {
        let poisson = rate(ArrivalKind::Poisson, &[(1000.0, 1000.0, 1.0)]);
        let due = |seed| Arrivals::measured(&poisson, seed).collect::<Vec<Ns>>();
        assert_eq!(due(5), due(5));
        assert_ne!(due(5), due(6));
    }

    /// The Anderson-Darling statistic of gaps against the exponential distribution of the given mean (all known).
    fn anderson_darling(due: &[Ns], mean: f64) -> f64 {
        let mut gaps: Vec<f64> = due.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
        gaps.sort_by(f64::total_cmp);
        let n = gaps.len() as f64;
        let below = |gap: f64| (1.0 - (-gap / mean).exp()).clamp(1e-15, 1.0 - 1e-15);
        let sum: f64 = (0..gaps.len())
            .map(|i| {
                let weight = 2.0 * i as f64 + 1.0;
                weight * (below(gaps[i]).ln() + (1.0 - below(gaps[gaps.len() - 1 - i])).ln())
            })
            .sum();
        -n - sum / n
    }

    #[test]
    fn poisson_gaps_are_exponential_by_anderson_darling_over_a_hundred_seeds() {
        // The case of a known distribution: 3.857 is exceeded by 1% of true samples (Stephens 1974).
        let poisson = rate(ArrivalKind::Poisson, &[(1000.0, 1000.0, 10.0)]);
        let rejected = (0..100)
            .filter(|&seed| {
                let due: Vec<Ns> = Arrivals::measured(&poisson, seed).take(5001).collect();
                assert_eq!(due.len(), 5001);
                anderson_darling(&due, 1e6) > 3.857
            })
            .count();
        assert!(rejected <= 4, "{rejected} of 100 seeds were rejected at 1%");
    }
}
