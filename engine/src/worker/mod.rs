//! One thread's part of a slice: a loop that starts requests by the schedule, drives connections, and records the end of each
//! request.

#[cfg(test)]
mod account_tests;
#[cfg(test)]
mod answer_tests;
#[cfg(test)]
mod at_once_tests;
mod connections;
mod drive;
#[cfg(test)]
mod endings_tests;
mod exchange;
mod lane;
#[cfg(test)]
mod lead_out_tests;
mod link;
mod load;
mod once;
#[cfg(test)]
mod once_tests;
#[cfg(test)]
mod redirect_tests;
mod redirects;
#[cfg(test)]
mod session_tests;
mod shared;
#[cfg(test)]
mod simulation;
mod stages;
mod stop_signal;
mod streams;
#[cfg(test)]
mod stretch_tests;
#[cfg(test)]
mod tests;

pub use drive::{Drive, Driven};
pub use lane::Pool;
pub use stop_signal::StopSignal;

/// Buffers that all requests of one thread share.
pub struct Scratch {
    /// The read buffer; idle connections need none.
    pub buffer: Box<[u8]>,
    /// The request that is being sent.
    pub request: Vec<u8>,
    /// Its body, if that has marked places.
    pub body: Vec<u8>,
    /// The bytes of incomplete answers that may still be kept.
    pub room: usize,
}

/// The most bytes of incomplete answers that all threads together keep, for expressions and samples.
const MOST_KEPT: usize = 256 * 1024 * 1024;

impl Scratch {
    /// For one of `threads`.
    pub fn new(threads: u32) -> Self {
        Self {
            buffer: vec![0; 64 * 1024].into_boxed_slice(),
            request: Vec::with_capacity(32 * 1024),
            body: Vec::new(),
            room: MOST_KEPT / threads as usize,
        }
    }
}
