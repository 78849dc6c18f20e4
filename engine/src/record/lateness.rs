//! How late the engine was: from the instant a request was due to the instant the engine took it up.

use crate::clock::Ns;

/// A histogram of nanoseconds with 32 places an octave (3% wide), small enough to be emptied every second.
#[derive(Debug, Clone)]
pub struct Lateness {
    places: Box<[u32; PLACES]>,
    total: u64,
    highest: usize,
}

const BITS: u32 = 5;
const PLACES: usize = (1 << BITS) * (64 - BITS as usize + 1);

impl Default for Lateness {
    fn default() -> Self {
        Self {
            places: Box::new([0; PLACES]),
            total: 0,
            highest: 0,
        }
    }
}

impl Lateness {
    #[inline]
    pub fn record(&mut self, late: Ns) {
        let place = place(late);
        self.places[place] = self.places[place].saturating_add(1);
        self.total += 1;
        self.highest = self.highest.max(place);
    }

    /// The time that a share of the starts did not exceed, rounded up to the place's upper edge; 0 where nothing started.
    pub fn quantile(&self, share: f64) -> Ns {
        let wanted = (self.total as f64 * share).ceil() as u64;
        let mut seen = 0;
        for (place, count) in self.places.iter().enumerate().take(self.highest + 1) {
            seen += u64::from(*count);
            if seen >= wanted && seen > 0 {
                return upper_edge(place);
            }
        }
        0
    }

    pub fn add(&mut self, other: &Self) {
        for (own, other) in self.places.iter_mut().zip(other.places.iter()) {
            *own = own.saturating_add(*other);
        }
        self.total += other.total;
        self.highest = self.highest.max(other.highest);
    }

    pub fn clear(&mut self) {
        self.places[..=self.highest].fill(0);
        self.total = 0;
        self.highest = 0;
    }
}

#[inline]
fn place(late: Ns) -> usize {
    let octave = (64 - late.leading_zeros()).saturating_sub(BITS + 1);
    ((octave as usize) << BITS) + (late >> octave) as usize
}

fn upper_edge(place: usize) -> Ns {
    let octave = (place >> BITS).saturating_sub(1);
    let base = (place - (octave << BITS)) as Ns;
    (((u128::from(base) + 1) << octave) - 1).min(u128::from(Ns::MAX)) as Ns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_falls_in_a_place_whose_edge_is_at_most_four_percent_above_it() {
        for shift in 0..64 {
            for extra in [0, 1, 3] {
                let late = (1u64 << shift).saturating_add(extra << shift >> 2);
                let edge = upper_edge(place(late));
                assert!(edge >= late && edge as f64 <= late as f64 * 1.04 + 1.0, "{late} {edge}");
            }
        }
        assert!(place(Ns::MAX) < PLACES);
    }

    #[test]
    fn a_quantile_is_the_time_that_the_share_did_not_exceed() {
        let mut lateness = Lateness::default();
        (1..=100).for_each(|late| lateness.record(late * 1000));
        let p99 = lateness.quantile(0.99);
        assert!((99_000..103_000).contains(&p99), "{p99}");
        lateness.clear();
        assert_eq!(lateness.quantile(0.99), 0);
    }
}
