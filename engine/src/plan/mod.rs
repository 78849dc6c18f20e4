//! From a checked job to what the threads need: addresses, compiled rules, and a plan for each slice.

mod maker;
mod redirects;
mod slice;

pub use maker::PlanMaker;
pub use redirects::{Destination, Elsewhere, MOST_REDIRECTS, Redirects};
pub use slice::{Shape, SlicePlan, Steps, Work, part_of};
