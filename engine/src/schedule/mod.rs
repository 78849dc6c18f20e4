//! When load is due: the number of users over time, the instants of arrivals, the pauses between, and what is asked next.

mod arrivals;
mod deck;
mod levels;
mod share;
mod think;

pub use arrivals::Arrivals;
pub use deck::{Card, Deck, MixPart};
pub use levels::Levels;
pub use think::Pause;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// One stream of random numbers out of `seed`; streams with other names are independent of it.
pub(crate) fn stream(seed: u64, name: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(name);
    rng
}
