//! Starts one server, owns all its processes, and leaves none behind.

#[path = "../keeper/mod.rs"]
mod keeper;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    match keeper::run(&keeper::Options::parse()) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("steelyard-keeper: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}
