//! The command line of the load engine: one job in, samples out; or one URL, for a person.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use steelyard_engine::error::EngineError;
use steelyard_engine::{awake, clock, load, probe, run, spin};

/// A load engine that is exact, cheap, and verifies every answer.
#[derive(Parser)]
#[command(version)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs a job in step with standard input: `{"go":k}` starts slice k, the end of input ends the run.
    Run {
        /// The job, as contracts/job.schema.json describes it.
        job: PathBuf,
        /// The folder for everything that is recorded.
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
        /// A file with what is to lie in no stored file: {"headers": {}, "values": {}}; `-`: the first line of standard input.
        #[arg(long, value_name = "FILE")]
        secrets: Option<PathBuf>,
        /// By how many nanoseconds CLOCK_MONOTONIC is ahead here of that of the machine by whose clock instants are told.
        #[arg(long, value_name = "NS", default_value_t = 0, allow_hyphen_values = true)]
        clock_ahead: i64,
    },
    /// Loads one URL and prints what came of it.
    Load(load::Arguments),
    /// Sends one GET; succeeds if the answer is 200 within a second.
    Probe { url: String },
    /// Says how long a fixed piece of arithmetic takes here.
    Spin,
    /// Keeps processors from halting, at the lowest priority, until the end of input.
    Awake {
        /// Processors by number, as in 0,1.
        #[arg(value_name = "LIST", value_delimiter = ',', required = true)]
        cpus: Vec<usize>,
    },
}

fn main() -> ExitCode {
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
