//! The command line of the load engine.

fn main() {}
