//! The load engine: one job in, samples out. It knows nothing of studies, servers or reports.

pub mod awake;
pub mod clock;
pub mod corpus;
pub mod error;
pub mod heap;
pub mod http;
pub mod http2;
pub mod job;
pub mod load;
pub mod plan;
pub mod probe;
pub mod record;
pub mod run;
pub mod schedule;
pub mod session;
pub mod spin;
pub mod validation;
pub mod verify;
pub mod wire;
pub mod worker;
