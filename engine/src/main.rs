//! The command line of the load engine: runs a job for the lab, or loads one URL for a person.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use steelyard_engine::error::EngineError;
use steelyard_engine::{awake, clock, heap, load, probe, run, spin};

/// A load engine with exact timing and low cost that verifies every answer.
#[derive(Parser)]
#[command(version)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a job, controlled by standard input: `{"go":k}` starts slice k, the end of input ends the run.
    Run {
        /// Job file (contracts/job.schema.json).
        job: PathBuf,
        /// Output folder.
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
        /// File with secrets that the engine never writes: {"headers": {}, "values": {}}; `-` reads the first line of standard input.
        #[arg(long, value_name = "FILE")]
        secrets: Option<PathBuf>,
        /// Nanoseconds by which this machine's CLOCK_MONOTONIC is ahead of the lab's.
        #[arg(long, value_name = "NS", default_value_t = 0, allow_hyphen_values = true)]
        clock_ahead: i64,
    },
    /// Load one URL and print the result.
    Load(load::Arguments),
    /// Send one GET; succeed if the status is 200 within a second.
    Probe { url: String },
    /// Time a fixed piece of arithmetic on this machine.
    Spin,
    /// Keep processors from halting, at the lowest priority, until the end of input.
    Awake {
        /// Processors by number, as in 0,1.
        #[arg(value_name = "LIST", value_delimiter = ',', required = true)]
        cpus: Vec<usize>,
    },
}

fn main() -> ExitCode {
    heap::return_large_blocks();
    let done = match CommandLine::parse().command {
        Command::Run {
            job,
            out,
            secrets,
            clock_ahead,
        } => {
            clock::follow_clock_behind(clock_ahead);
            run::run(&job, &out, secrets.as_deref())
                .map(|()| ExitCode::SUCCESS)
                .map_err(Into::into)
        }
        Command::Load(arguments) => load::load(&arguments).map(exit_code),
        Command::Awake { cpus } => awake::keep_awake(&cpus).map(|()| ExitCode::SUCCESS),
        Command::Spin => spin::spin().map(|()| ExitCode::SUCCESS),
        Command::Probe { url } => probe::probe(&url).map(exit_code),
    };
    done.unwrap_or_else(|error: anyhow::Error| {
        eprintln!("steelyard-engine: {error:#}");
        let code = error.downcast_ref::<EngineError>().map_or(1, EngineError::exit_code);
        ExitCode::from(code)
    })
}

fn exit_code(succeeded: bool) -> ExitCode {
    if succeeded {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
