//! The state of a connection, and the token of its events.

use crate::clock::Ns;

/// The state of a lane's connection.
pub(super) enum Link<T> {
    None,
    Opening {
        transport: T,
        began: Ns,
        /// When TCP connected; 0 before.
        connected: Ns,
    },
    Open(T),
}

/// The token of a connection's events: the lane and the generation of its connection.
pub(super) fn token(lane: usize, generation: u32) -> u64 {
    (lane as u64) << 32 | u64::from(generation)
}

pub(super) fn lane_of(token: u64) -> (usize, u32) {
    ((token >> 32) as usize, token as u32)
}
