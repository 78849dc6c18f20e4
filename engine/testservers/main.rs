//! Servers that tests and benches measure against.

fn main() {}
