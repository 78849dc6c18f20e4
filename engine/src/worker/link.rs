//! A connection as far as it has come, and the token by which its events are known.

use crate::clock::Ns;

/// The state of a lane's connection.
pub(super) enum Link<T> {
    None,
    Opening {
        transport: T,
        began: Ns,
        /// When TCP was up; 0 before.
        connected: Ns,
    },
    Open(T),
}

/// An event's token: the lane, and which of its connections.
pub(super) fn token(lane: usize, generation: u32) -> u64 {
    (lane as u64) << 32 | u64::from(generation)
}

pub(super) fn lane_of(token: u64) -> (usize, u32) {
    ((token >> 32) as usize, token as u32)
}
