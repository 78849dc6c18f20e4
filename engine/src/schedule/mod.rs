//! When load is due: users over time, instants of arrivals, pauses, and the order of requests.

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

/// The stream of random numbers with this seed and name; streams with other names are independent of it.
pub(crate) fn stream(seed: u64, name: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(name);
    rng
}
