//! The order of requests: the mix as a shuffled deck, exact over every hand, and the corpus entries in a seeded order.

use std::sync::atomic::{AtomicU64, Ordering};

use rand::seq::SliceRandom;

use super::stream;
use crate::job::EngineShare;

/// One name of the mix: its weight, and the operation of each of its requests (one, or those of a session).
#[derive(Debug, Clone, PartialEq)]
pub struct MixPart {
    pub name: String,
    pub weight: f64,
    pub operations: Vec<u16>,
    /// Linked entries, one for each operation that has some; empty where none has.
    pub chains: Vec<Vec<Option<u32>>>,
}

/// One draw of the deck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Card {
    /// Place in the mix.
    pub part: u16,
    /// The number of earlier draws of this part.
    pub rank: u64,
}

/// A hand holds each part as often as its weight says; every hand is shuffled on its own, and the deck starts over after the
/// last. Users draw in turn, so that the same seed replays the same requests.
#[derive(Debug)]
pub struct Deck {
    cards: Vec<(u16, u32)>,
    per_lap: Vec<u64>,
    /// For each part, for each of its requests: place among the requests of the same operation, and how many there are.
    places: Vec<Vec<(u64, u64)>>,
    /// Corpus entries of every operation, in seeded order.
    entries: Vec<Vec<u32>>,
    /// For each part, its chains of linked entries in seeded order.
    chains: Vec<Vec<Vec<Option<u32>>>>,
    drawn: AtomicU64,
    pub hand: u64,
    share: EngineShare,
}

/// A mix whose weights are whole multiples of 1/1000 is exact in a hand of this size.
const LARGEST_HAND: u64 = 1000;
const HANDS: usize = 64;

impl Deck {
    /// `entries` lists the corpus entries of every operation, by its place.
    pub fn new(mix: &[MixPart], mut entries: Vec<Vec<u32>>, seed: u64) -> Self {
        let weights: Vec<f64> = mix.iter().map(|part| part.weight).collect();
        let counts = hand_counts(&weights);
        let mut rng = stream(seed, DECK_STREAM);
        let mut sorted: Vec<u16> = Vec::new();
        for (part, count) in counts.iter().enumerate() {
            sorted.extend(std::iter::repeat_n(part as u16, *count as usize));
        }
        let mut per_lap = vec![0; mix.len()];
        let mut cards = Vec::with_capacity(sorted.len() * HANDS);
        for _ in 0..HANDS {
            sorted.shuffle(&mut rng);
            for part in &sorted {
                cards.push((*part, per_lap[usize::from(*part)] as u32));
                per_lap[usize::from(*part)] += 1;
            }
        }
        for (operation, entries) in entries.iter_mut().enumerate() {
            entries.shuffle(&mut stream(seed, FIRST_ENTRY_STREAM + operation as u64));
        }
        let place = |operations: &[u16], step: usize| {
            let same = |other: &&u16| **other == operations[step];
            (
                operations[..step].iter().filter(same).count() as u64,
                operations.iter().filter(same).count() as u64,
            )
        };
        let places = mix.iter().map(|part| {
            (0..part.operations.len())
                .map(|step| place(&part.operations, step))
                .collect()
        });
        let chains = mix.iter().enumerate().map(|(part, mixed)| {
            let mut chains = mixed.chains.clone();
            chains.shuffle(&mut stream(seed, FIRST_CHAIN_STREAM + part as u64));
            chains
        });
        let chains = chains.collect();
        Self {
            cards,
            per_lap,
            places: places.collect(),
            entries,
            chains,
            drawn: AtomicU64::new(0),
            hand: sorted.len() as u64,
            share: EngineShare::default(),
        }
    }

    /// The part of the deck that one of several engines deals: whole hands, each of them once among all.
    pub fn of_share(self, share: EngineShare) -> Self {
        Self { share, ..self }
    }

    /// The next card, for closed users, who share the deck; with its number.
    #[inline]
    pub fn draw(&self) -> (u64, Card) {
        let number = self.drawn.fetch_add(1, Ordering::Relaxed);
        (number, self.card(number))
    }

    /// This engine's n-th card, counted from 0.
    #[inline]
    pub fn card(&self, number: u64) -> Card {
        let number = self.share.card(number, self.hand);
        let size = self.cards.len() as u64;
        let (lap, place) = (number / size, number % size);
        let (part, rank) = self.cards[place as usize];
        Card {
            part,
            rank: lap * self.per_lap[usize::from(part)] + u64::from(rank),
        }
    }

    /// The corpus entry of a card's request number `step`, which is for `operation`.
    #[inline]
    pub fn entry(&self, card: Card, step: usize, operation: u16) -> u32 {
        let chains = &self.chains[usize::from(card.part)];
        if !chains.is_empty()
            && let Some(entry) = chains[(card.rank % chains.len() as u64) as usize][step]
        {
            return entry;
        }
        let (place, uses) = self.places[usize::from(card.part)][step];
        let entries = &self.entries[usize::from(operation)];
        entries[((card.rank * uses + place) % entries.len() as u64) as usize]
    }
}

const DECK_STREAM: u64 = 3;
const FIRST_ENTRY_STREAM: u64 = 1000;
/// Behind those of all operations that there may be.
const FIRST_CHAIN_STREAM: u64 = FIRST_ENTRY_STREAM + 65_536;

/// How often each weight is in the smallest hand that holds all weights exactly, or in the largest hand by largest remainder.
fn hand_counts(weights: &[f64]) -> Vec<u64> {
    let total: f64 = weights.iter().sum();
    let exact = |size: u64| {
        weights.iter().all(|weight| {
            let share = weight / total * size as f64;
            (share - share.round()).abs() < 1e-9 && share.round() >= 1.0
        })
    };
    let size = (weights.len() as u64..=LARGEST_HAND).find(|size| exact(*size));
    let size = size.unwrap_or(LARGEST_HAND.max(weights.len() as u64));
    let shares: Vec<f64> = weights.iter().map(|weight| weight / total * size as f64).collect();
    let mut counts: Vec<u64> = shares.iter().map(|share| (share + 1e-9).floor() as u64).collect();
    let mut by_remainder: Vec<usize> = (0..weights.len()).collect();
    by_remainder.sort_by(|a, b| {
        let rest = |place: usize| shares[place] - counts[place] as f64;
        rest(*b).total_cmp(&rest(*a)).then(a.cmp(b))
    });
    let missing = size.saturating_sub(counts.iter().sum());
    for place in by_remainder.into_iter().cycle().take(missing as usize) {
        counts[place] += 1;
    }
    // Every part is in the hand at least once.
    counts.into_iter().map(|count| count.max(1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &str, weight: f64, operations: &[u16]) -> MixPart {
        MixPart {
            name: name.to_owned(),
            weight,
            operations: operations.to_vec(),
            chains: Vec::new(),
        }
    }

    fn deck(weights: &[f64], seed: u64) -> Deck {
        let mix: Vec<MixPart> = weights
            .iter()
            .enumerate()
            .map(|(place, weight)| part("x", *weight, &[place as u16]))
            .collect();
        Deck::new(&mix, weights.iter().map(|_| (0..10).collect()).collect(), seed)
    }

    #[test]
    fn the_mix_is_exact_over_every_hand() {
        let deck = deck(&[50.0, 30.0, 20.0], 1);
        assert_eq!(deck.hand, 10);
        for hand in 0..1000 {
            let mut counts = [0; 3];
            (0..10).for_each(|place| counts[usize::from(deck.card(hand * 10 + place).part)] += 1);
            assert_eq!(counts, [5, 3, 2]);
        }
    }

    #[test]
    fn weights_that_fit_no_hand_are_dealt_by_largest_remainder() {
        assert_eq!(hand_counts(&[1.0, 1.0, 1.0]), vec![1, 1, 1]);
        assert_eq!(hand_counts(&[std::f64::consts::PI, 1.0]).iter().sum::<u64>(), 1000);
        assert_eq!(hand_counts(&[std::f64::consts::PI, 1.0]), vec![759, 241]);
    }

    #[test]
    fn the_same_seed_replays_the_same_requests() {
        let requests = |seed| {
            let deck = deck(&[2.0, 1.0], seed);
            (0..500)
                .map(|_| {
                    let (_, card) = deck.draw();
                    (card.part, deck.entry(card, 0, card.part))
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(requests(3), requests(3));
        assert_ne!(requests(3), requests(4));
    }

    #[test]
    fn all_entries_of_an_operation_are_used_equally_often() {
        let deck = deck(&[2.0, 1.0], 1);
        let mut uses = [0; 10];
        let cards = (0..3000).map(|number| deck.card(number)).filter(|card| card.part == 1);
        cards.for_each(|card| uses[deck.entry(card, 0, 1) as usize] += 1);
        assert_eq!(uses, [100; 10]);
    }

    #[test]
    fn a_session_that_asks_the_same_twice_uses_different_entries() {
        let deck = Deck::new(&[part("s", 1.0, &[0, 1, 0])], vec![(0..6).collect(), vec![9]], 1);
        let used: std::collections::BTreeSet<u32> = (0..3)
            .flat_map(|number| [0, 2].map(|step| deck.entry(deck.card(number), step, 0)))
            .collect();
        assert_eq!(used.len(), 6);
    }

    #[test]
    fn what_is_linked_stays_together_and_every_chain_is_used() {
        let linked = MixPart {
            chains: (0..4).map(|link| vec![Some(link), None, Some(link + 10)]).collect(),
            ..part("s", 1.0, &[0, 1, 2])
        };
        let deck = Deck::new(&[linked], vec![(0..4).collect(), vec![7], (10..14).collect()], 1);
        let mut used = std::collections::BTreeSet::new();
        for card in (0..4).map(|number| deck.card(number)) {
            let [first, second, third] = [0, 1, 2].map(|step| deck.entry(card, usize::from(step), step));
            assert_eq!((third, second), (first + 10, 7));
            used.insert(first);
        }
        assert_eq!(used.len(), 4);
    }
}
