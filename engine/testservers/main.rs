//! Servers that tests and `make bench` measure against: exact ones, and hostile ones.
//!
//! Each listens on loopback, says where in one JSON line on standard output (`{"listening":"127.0.0.1:40001"}`), and
//! ends when its standard input ends, so that none outlives what started it.

mod answers;
mod certificates;
mod clock;
mod deferring;
mod event_loop;
mod freezes;
mod misbehave;
mod misbehaviour;
mod recording;
mod report;
mod requests;
mod shop;

use std::io::Read;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use nix::sched::{CpuSet, sched_setaffinity};
use nix::sys::socket::{
    AddressFamily, Backlog, SockFlag, SockType, SockaddrStorage, bind, listen, setsockopt, socket, sockopt,
};
use nix::unistd::Pid;

use deferring::{Cost, Work};
use event_loop::{EventLoop, Plan};
use freezes::Freezes;
use misbehaviour::Misbehaviour;
use recording::Recording;

#[derive(Parser)]
#[command(
    name = "steelyard-testserver",
    about = "Servers to measure a load engine against; loopback only"
)]
struct Options {
    /// Port to listen on; 0 lets the system choose
    #[arg(long, global = true, default_value_t = 0)]
    port: u16,

    /// Listen on ::1 instead of 127.0.0.1
    #[arg(long, global = true)]
    ipv6: bool,

    /// Share the port with other servers that do so too; the kernel deals connections to them
    #[arg(long, global = true)]
    shared_port: bool,

    /// Processor to run on
    #[arg(long, global = true, value_name = "N")]
    cpu: Option<usize>,

    #[command(subcommand)]
    kind: Kind,
}

#[derive(Subcommand)]
enum Kind {
    /// Answers a fixed envelope as fast as it can
    Null,
    /// Answers after a delay and tells in the answer when it read the request and wrote the answer
    Delay {
        /// From reading a whole request to writing its answer
        #[arg(long, default_value_t = 0)]
        microseconds: u64,
        /// File for all those instants, written when the server ends
        #[arg(long, value_name = "FILE")]
        record: Option<PathBuf>,
    },
    /// Answers with one worker, that takes so long for each request; the others wait in the order in which they came
    Worker {
        #[arg(long, default_value_t = 10_000)]
        microseconds: u64,
    },
    /// Stops serving at regular times, and reports each freeze on standard output
    Freeze {
        #[arg(long, default_value_t = 10_000)]
        every_ms: u64,
        #[arg(long, default_value_t = 1_000)]
        for_ms: u64,
    },
    /// Spends CPU time on each request, some of it later, and on chores
    Defer {
        #[command(flatten)]
        cost: Cost,
    },
    /// Knows each visitor's own values, and answers 409 where they are wrong; `GET /totals` tells its counts
    Shop,
    /// Breaks the protocol, or answers falsely
    Misbehave {
        mode: Misbehaviour,
        /// Share of the answers that are bad, for the modes that answer well otherwise; evenly spread
        #[arg(long, default_value_t = 1.0)]
        share: f64,
    },
}

fn main() -> ExitCode {
    match serve(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("steelyard-testserver: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn serve(options: &Options) -> Result<()> {
    if let Some(cpu) = options.cpu {
        let mut set = CpuSet::new();
        set.set(cpu)
            .and_then(|()| sched_setaffinity(Pid::from_raw(0), &set))
            .with_context(|| format!("cannot run on processor {cpu}"))?;
    }
    let listener = bind_loopback(options)?;
    let address = listener.local_addr()?;
    let recording = match &options.kind {
        Kind::Delay { record: Some(path), .. } => Some(Recording::new(path.clone())),
        _ => None,
    };
    end_with_input(recording.clone());
    let at_once = Plan {
        delay_ns: 0,
        one_worker: false,
        stamped: false,
        freezes: None,
        recording,
        work: None,
    };
    let plan = match options.kind {
        Kind::Null => at_once,
        Kind::Delay { microseconds, .. } => Plan {
            delay_ns: microseconds * 1000,
            stamped: true,
            ..at_once
        },
        Kind::Worker { microseconds } => Plan {
            delay_ns: microseconds * 1000,
            one_worker: true,
            ..at_once
        },
        Kind::Freeze { every_ms, for_ms } => {
            anyhow::ensure!(
                for_ms < every_ms,
                "a freeze of {for_ms} ms does not fit in every {every_ms} ms"
            );
            Plan {
                freezes: Some(Freezes::new(every_ms * 1_000_000, for_ms * 1_000_000)),
                ..at_once
            }
        }
        Kind::Defer { ref cost } => {
            anyhow::ensure!((0.0..=1.0).contains(&cost.share()), "a share is from 0 to 1");
            Plan {
                work: Some(Work::start(cost)),
                ..at_once
            }
        }
        Kind::Shop => {
            start_listening(&listener)?;
            report::line(&serde_json::json!({ "listening": address.to_string() }));
            return shop::serve(&listener);
        }
        Kind::Misbehave { mode, share } => return misbehave::serve(listener, mode, share),
    };
    start_listening(&listener)?;
    report::line(&serde_json::json!({ "listening": address.to_string() }));
    EventLoop::new(listener, plan)?.run()
}

/// A socket that has its address and does not listen yet, so that `refuses` can stay so.
fn bind_loopback(options: &Options) -> Result<TcpListener> {
    let (family, address) = if options.ipv6 {
        (
            AddressFamily::Inet6,
            SocketAddr::from((Ipv6Addr::LOCALHOST, options.port)),
        )
    } else {
        (
            AddressFamily::Inet,
            SocketAddr::from((Ipv4Addr::LOCALHOST, options.port)),
        )
    };
    let descriptor = socket(family, SockType::Stream, SockFlag::SOCK_CLOEXEC, None)?;
    setsockopt(&descriptor, sockopt::ReuseAddr, &true)?;
    setsockopt(&descriptor, sockopt::ReusePort, &options.shared_port)?;
    bind(
        std::os::fd::AsRawFd::as_raw_fd(&descriptor),
        &SockaddrStorage::from(address),
    )
    .with_context(|| format!("cannot have the address {address}"))?;
    Ok(TcpListener::from(descriptor))
}

fn start_listening(listener: &TcpListener) -> Result<()> {
    listen(listener, Backlog::MAXCONN).context("cannot listen")
}

/// Ends the process when its input ends: what started us is gone, or wants no more.
fn end_with_input(recording: Option<Recording>) {
    std::thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        let mut scrap = [0; 256];
        while input.read(&mut scrap).is_ok_and(|count| count > 0) {}
        let saved = recording.map_or(Ok(()), |recording| recording.save());
        if let Err(error) = &saved {
            eprintln!("steelyard-testserver: cannot write the record: {error}");
        }
        std::process::exit(i32::from(saved.is_err()));
    });
}
