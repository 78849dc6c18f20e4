//! The process keeper.

fn main() {}
