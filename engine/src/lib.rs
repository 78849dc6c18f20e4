//! The load engine: one job in, samples out.
