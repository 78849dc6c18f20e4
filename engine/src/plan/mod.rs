//! From a checked job to what the threads need: addresses, compiled rules, and a plan for each slice.

mod maker;
mod slice;

pub use maker::PlanMaker;
pub use slice::{Shape, SlicePlan, Steps, Work, part_of};
