//! One engine's part of the load where several drive a target together: all parts make the load of one engine.
//!
//! Users are dealt in turn. Cards are dealt by whole hands of one deck, so that each engine's mix is exact too. Each engine generates the
//! one seeded stream of arrivals and takes its own: every n-th arrival of a constant rate, and random arrivals of a Poisson rate, whose
//! parts are then Poisson streams themselves.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::job::{ArrivalKind, EngineShare};

impl EngineShare {
    /// This engine's number of `all` users, which are dealt in turn.
    pub fn of_all(self, all: u32) -> u32 {
        (all + self.of - 1 - self.place) / self.of
    }

    /// The number among all engines' items of this engine's item `own`, both counted from 0, where items are dealt in turn.
    #[inline]
    pub fn number(self, own: u64) -> u64 {
        own * u64::from(self.of) + u64::from(self.place)
    }

    /// The number in the shared deck of this engine's card `own`, both counted from 0; a hand has `hand` cards.
    #[inline]
    pub fn card(self, own: u64, hand: u64) -> u64 {
        match self.of {
            1 => own,
            _ => self.number(own / hand) * hand + own % hand,
        }
    }
}

/// Assigns the arrivals of one stream to engines, one after the other.
#[derive(Debug, Clone)]
pub(super) struct Owners {
    share: EngineShare,
    kind: ArrivalKind,
    rng: ChaCha8Rng,
    arrival: u64,
}

impl Owners {
    /// All engines have the same `rng`, so that each arrival has one owner.
    pub fn new(share: EngineShare, kind: ArrivalKind, rng: ChaCha8Rng) -> Self {
        Self {
            share,
            kind,
            rng,
            arrival: 0,
        }
    }

    /// The same for another engine, before the first arrival.
    pub fn of_share(self, share: EngineShare) -> Self {
        Self { share, ..self }
    }

    /// Whether the next arrival is this engine's.
    #[inline]
    pub fn next_is_own(&mut self) -> bool {
        if self.share.of == 1 {
            return true;
        }
        let owner = match self.kind {
            ArrivalKind::Constant => (self.arrival % u64::from(self.share.of)) as u32,
            ArrivalKind::Poisson => self.rng.random_range(0..self.share.of),
        };
        self.arrival += 1;
        owner == self.share.place
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::clock::{Ns, SECOND};
    use crate::job::{Rate, Stage};
    use crate::schedule::{Arrivals, Deck, MixPart};

    fn shares(of: u32) -> impl Iterator<Item = EngineShare> {
        (0..of).map(move |place| EngineShare { place, of })
    }

    fn rate(arrivals: ArrivalKind, stages: &[(f64, f64)]) -> Rate {
        let stage = |&(from_rate, to_rate): &(f64, f64)| Stage {
            from_rate,
            to_rate,
            seconds: 1.5,
        };
        Rate {
            arrivals,
            stages: stages.iter().map(stage).collect(),
            max_in_flight: 1000,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn all_engines_together_have_the_arrivals_of_one_and_each_arrival_once(
            of in 1u32..7,
            seed in 0u64..1 << 53,
            poisson: bool,
            stages in proptest::collection::vec((0.5f64..400.0, 0.5f64..400.0), 1..4),
        ) {
            let rate = rate(if poisson { ArrivalKind::Poisson } else { ArrivalKind::Constant }, &stages);
            let of_engine = |share| {
                let before = Arrivals::lead_in(&rate, SECOND, seed).of_share(share);
                before.chain(Arrivals::measured(&rate, seed).of_share(share)).collect::<Vec<Ns>>()
            };
            let mut together: Vec<Ns> = shares(of).flat_map(of_engine).collect();
            let mut alone = of_engine(EngineShare::default());
            together.sort_unstable();
            alone.sort_unstable();
            prop_assert_eq!(together, alone);
        }

        #[test]
        fn users_and_numbers_are_dealt_out_and_none_is_left_or_dealt_twice(of in 1u32..9, all in 0u32..1000, hand in 1u64..30) {
            prop_assert_eq!(shares(of).map(|share| share.of_all(all)).sum::<u32>(), all);
            let mut numbers: Vec<u64> = shares(of).flat_map(|share| (0..5).map(move |own| share.number(own))).collect();
            numbers.sort_unstable();
            prop_assert!(numbers.into_iter().eq(0..5 * u64::from(of)));
            let mut cards: Vec<u64> = shares(of).flat_map(|share| (0..3 * hand).map(move |own| share.card(own, hand))).collect();
            cards.sort_unstable();
            prop_assert!(cards.into_iter().eq(0..3 * hand * u64::from(of)));
        }
    }

    #[test]
    fn a_part_of_a_poisson_rate_is_a_poisson_rate_and_no_engine_has_a_pattern() {
        let rate = rate(ArrivalKind::Poisson, &[(4000.0, 4000.0)]);
        for share in shares(3) {
            let due: Vec<Ns> = Arrivals::measured(&rate, 11).of_share(share).collect();
            let gaps: Vec<f64> = due.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
            let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
            let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
            // Every third of a Poisson stream would have a third of an exponential's variance.
            let squared_variation = variance / (mean * mean);
            assert!(
                (0.85..1.15).contains(&squared_variation),
                "{share:?}: {squared_variation}"
            );
            assert!((1800..2200).contains(&due.len()), "{share:?}: {}", due.len());
        }
    }

    #[test]
    fn each_engines_own_mix_is_exact_over_every_hand() {
        let part = |name: &str, weight, operation| MixPart {
            name: name.to_owned(),
            weight,
            operations: vec![operation],
            chains: Vec::new(),
        };
        for share in shares(2) {
            let deck = Deck::new(&[part("a", 1.0, 0), part("b", 3.0, 1)], vec![vec![0], vec![1]], 5).of_share(share);
            let dealt: Vec<u16> = (0..400).map(|_| deck.draw().1.part).collect();
            assert!(
                dealt
                    .chunks(4)
                    .all(|hand| hand.iter().filter(|part| **part == 0).count() == 1)
            );
        }
    }
}
