//! One thread's share of a slice: one loop, told when load is due by a schedule and when to stop by the clock, that drives
//! connections and tells a recorder what became of each request.

mod brake;
mod connections;
mod drive;
mod exchange;
mod lane;
mod load;
mod plan;
#[cfg(test)]
mod simulation;
mod stages;
#[cfg(test)]
mod tests;

pub use brake::Brake;
pub use drive::{Drive, Driven};
pub use lane::Pool;
pub use plan::{Shape, SlicePlan, Steps};

/// Buffers that all requests of one thread share.
pub struct Scratch {
    /// What is read from a connection; so idle connections need no memory for it.
    pub buffer: Box<[u8]>,
    /// The request that is being sent.
    pub request: Vec<u8>,
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            buffer: vec![0; 64 * 1024].into_boxed_slice(),
            request: Vec::with_capacity(32 * 1024),
        }
    }
}
