//! Pauses between an answer and the next request.

use rand::Rng;

use crate::clock::{Ns, from_ms};
use crate::job::{Think, ThinkKind};

/// A distribution of think times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pause {
    None,
    Constant(Ns),
    Uniform(Ns, Ns),
    Exponential(f64),
}

impl Pause {
    pub fn new(think: &Think) -> Self {
        match think.kind {
            ThinkKind::None => Self::None,
            ThinkKind::Constant => Self::Constant(from_ms(think.ms)),
            ThinkKind::Uniform => Self::Uniform(from_ms(think.ms), from_ms(think.to_ms)),
            ThinkKind::Exponential => Self::Exponential(think.ms * 1e6),
        }
    }

    /// One pause, in nanoseconds.
    #[inline]
    pub fn draw(self, rng: &mut impl Rng) -> Ns {
        match self {
            Self::None => 0,
            Self::Constant(pause) => pause,
            Self::Uniform(least, most) => rng.random_range(least..=most),
            Self::Exponential(mean) => (-(1.0 - rng.random::<f64>()).ln() * mean) as Ns,
        }
    }

    /// The pause that is drawn on average, in nanoseconds.
    pub fn mean(self) -> f64 {
        match self {
            Self::None => 0.0,
            Self::Constant(pause) => pause as f64,
            Self::Uniform(least, most) => (least as f64 + most as f64) / 2.0,
            Self::Exponential(mean) => mean,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::stream;

    #[test]
    fn drawn_pauses_have_the_mean_and_the_bounds_that_were_asked_for() {
        let mut rng = stream(7, 0);
        for pause in [
            Pause::Constant(500),
            Pause::Uniform(100, 900),
            Pause::Exponential(500.0),
        ] {
            let drawn: Vec<Ns> = (0..200_000).map(|_| pause.draw(&mut rng)).collect();
            let mean = drawn.iter().sum::<Ns>() as f64 / drawn.len() as f64;
            assert!((mean - 500.0).abs() < 5.0, "{pause:?}: {mean}");
            if let Pause::Uniform(least, most) = pause {
                assert!(drawn.iter().all(|pause| (least..=most).contains(pause)));
            }
        }
    }
}
