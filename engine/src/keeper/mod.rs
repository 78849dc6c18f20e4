//! The keeper: one command with all its descendants, controlled by standard input (`contracts/keeper.md`).

mod afterwards;
mod control;
mod cpu_list;
mod cpu_time;
mod dispositions;
mod ending;
mod freezing;
mod guard;
mod launch;
mod lines;
mod mark;
mod pinning;
mod process_table;
mod protocol;
mod signalling;
mod watch;

use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use nix::errno::Errno;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getppid};
use steelyard_engine::clock::{Clock, Monotonic};

use control::Control;
use cpu_list::CpuList;
use cpu_time::CpuTimes;
use mark::Mark;
use protocol::{Answer, Exit, ProcessClock, Request, TimeStamps};
use watch::{Event, Origin, Watch};

/// Starts a command and owns all its descendants. Commands on standard input: `freeze`, `thaw`, `clocks`, `pin CPUS`, `cpu`, `time` and
/// `stop SECONDS`. End of input kills all.
#[derive(Debug, clap::Parser)]
#[command(name = "steelyard-keeper", version)]
pub struct Options {
    /// File to which the command's standard output and error are appended
    #[arg(long, value_name = "FILE")]
    log: PathBuf,

    /// Processors the command may use from its start, as in 0,2-3
    #[arg(long, value_name = "LIST")]
    cpus: Option<CpuList>,

    /// Socket for the commands `freeze`, `thaw` and `clocks`; when its caller hangs up, processes that it froze continue
    #[arg(long, value_name = "PATH")]
    control: Option<PathBuf>,

    /// Kill all if no line comes for this long, for connections that may be lost without an end of input; `beat` counts as a line
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..))]
    unheard: Option<u32>,

    /// Shell command that is run once all processes have ended, however that came, for at most 10 s
    #[arg(long, value_name = "COMMAND")]
    afterwards: Option<String>,

    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "ARGV")]
    command: Vec<std::ffi::OsString>,
}

/// The exit code of a keeper that got no line for too long.
const UNHEARD: u8 = 4;

/// The errors of the keeper, one sentence each.
#[derive(Debug, thiserror::Error)]
pub enum KeeperError {
    #[error("cannot write the log {path}: {source}")]
    Log { path: PathBuf, source: std::io::Error },
    #[error("cannot make the control socket {path}: {source}")]
    Control { path: PathBuf, source: std::io::Error },
    #[error("cannot start {program}: {source}")]
    Start { program: String, source: std::io::Error },
    #[error("{0}")]
    Cpus(String),
    #[error("cannot {what}: {errno}")]
    System { what: &'static str, errno: Errno },
    #[error("{0}")]
    Left(ending::Left),
}

impl KeeperError {
    /// The shell's convention: 127 if the command does not exist, 126 if it cannot be run; 3 if processes are left that could not
    /// be ended; else 1.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Start { source, .. } if source.kind() == std::io::ErrorKind::NotFound => 127,
            Self::Start { .. } => 126,
            Self::Left(_) => 3,
            _ => 1,
        }
    }
}

/// Runs the keeper to its end and returns its exit code: 0 after `stop` or end of input, 128 + n after signal n.
pub fn run(options: &Options) -> Result<u8, KeeperError> {
    dispositions::reset();
    let mark = Mark::of_this_process().ok_or(KeeperError::System {
        what: "read /proc/self",
        errno: Errno::ENOENT,
    })?;
    let left = mark::sweep(&mark);
    if !left.is_empty() {
        eprintln!("steelyard-keeper: of a keeper that was killed, {}", ending::Left(left));
    }
    // Whichever of the two ends last runs the command: the guard, or the keeper where the guard was killed.
    let (ended, is_last) = match guard::divide()? {
        guard::Role::Guard { keeper } => (guard::watch_over(keeper), true),
        guard::Role::Keeper { guard } => (keep(options, &mark), getppid() != guard),
    };
    if let (true, Some(line)) = (is_last, &options.afterwards) {
        afterwards::run(line, &options.log);
    }
    ended
}

fn keep(options: &Options, mark: &Mark) -> Result<u8, KeeperError> {
    let control = options.control.as_deref().map(|path| {
        let refused = |source| KeeperError::Control {
            path: path.to_owned(),
            source,
        };
        Control::open(path).map_err(refused)
    });
    let mut watch = Watch::begin(control.transpose()?)?;
    let child = launch::start(options, mark)?;
    protocol::say(&Answer::Started(child.as_raw()));
    let mut keeper = Keeper {
        child,
        child_ended: false,
        caller_froze: false,
        cpu_times: CpuTimes::default(),
    };
    let patience = options.unheard.map(|seconds| Duration::from_secs(seconds.into()));
    let mut heard = Instant::now();
    loop {
        match watch.next(patience.map(|patience| patience.saturating_sub(heard.elapsed()))) {
            Event::Line(line, origin) => {
                if origin == Origin::Input {
                    heard = Instant::now();
                }
                if keeper.obey(&line, origin, &mut watch) {
                    return Ok(0);
                }
            }
            Event::HungUp => keeper.thaw_for_lost_caller(),
            Event::ChildChanged => keeper.reap(),
            // The guard reports processes that are left.
            Event::EndOfInput => {
                let _ = ending::kill_all();
                return Ok(0);
            }
            Event::Signal(number) => {
                let _ = ending::kill_all();
                return Ok(128 + number);
            }
            Event::Nothing => {
                if patience.is_some_and(|patience| heard.elapsed() >= patience) {
                    let _ = ending::kill_all();
                    return Ok(UNHEARD);
                }
            }
        }
    }
}

struct Keeper {
    child: Pid,
    child_ended: bool,
    /// Whether the control channel's caller froze all and has not thawed them.
    caller_froze: bool,
    cpu_times: CpuTimes,
}

impl Keeper {
    /// Executes one line and answers it; true after `stop`.
    fn obey(&mut self, line: &str, origin: Origin, watch: &mut Watch) -> bool {
        let (received_ns, received_monotonic_ns) = (now_ns(), Monotonic.now());
        let answer = match Request::parse(line) {
            Ok(Request::Freeze) => self.freeze(origin).map_or_else(Answer::Error, Answer::Frozen),
            Ok(Request::Thaw) => Answer::Thawed(self.thaw()),
            Ok(Request::Clocks) => Answer::Clocks(cpu_time::clocks(&process_table::descendants())),
            Ok(Request::Time) => Answer::Time(TimeStamps {
                received_ns,
                sent_ns: now_ns(),
                received_monotonic_ns,
                sent_monotonic_ns: Monotonic.now(),
            }),
            Ok(Request::Beat) => return false,
            Ok(Request::Pin(_) | Request::Cpu | Request::Stop(_)) if origin == Origin::Control => {
                Answer::Error(format!("`{line}` is obeyed on standard input only"))
            }
            Ok(Request::Pin(cpus)) => pinning::pin_all(&cpus).map_or_else(Answer::Error, Answer::Pinned),
            Ok(Request::Cpu) => Answer::Cpu(self.cpu_times.read()),
            Ok(Request::Stop(patience)) => {
                let ended = stop(patience, watch);
                let answer = ended.map_or_else(|left| Answer::Error(left.to_string()), Answer::Stopped);
                watch.say(&answer, origin);
                return true;
            }
            Err(sentence) => Answer::Error(sentence),
        };
        watch.say(&answer, origin);
        false
    }

    /// Freezes all; returns their clocks afterwards.
    fn freeze(&mut self, origin: Origin) -> Result<Vec<ProcessClock>, String> {
        self.caller_froze = origin == Origin::Control;
        Ok(cpu_time::clocks(&freezing::freeze()?))
    }

    /// Continues all; returns their clocks just before.
    fn thaw(&mut self) -> Vec<ProcessClock> {
        self.caller_froze = false;
        let family = process_table::descendants();
        let clocks = cpu_time::clocks(&family);
        freezing::thaw(&family);
        clocks
    }

    /// Thaws processes that a caller froze and can no longer thaw.
    fn thaw_for_lost_caller(&mut self) {
        if self.caller_froze {
            self.thaw();
        }
    }

    /// Reaps ended children, orphans included, and reports the command's own end.
    fn reap(&mut self) {
        loop {
            let exit = match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::Exited(pid, code)) => (
                    pid,
                    Exit {
                        code: Some(code),
                        signal: None,
                    },
                ),
                Ok(WaitStatus::Signaled(pid, signal, _)) => (
                    pid,
                    Exit {
                        code: None,
                        signal: Some(signal as i32),
                    },
                ),
                Ok(WaitStatus::StillAlive) | Err(_) => return,
                Ok(_) => continue,
            };
            // The process id may come again once its owner is reaped, so the command ends only once.
            if exit.0 == self.child && !self.child_ended {
                self.child_ended = true;
                protocol::say(&Answer::Exited(exit.1));
            }
        }
    }
}

/// The time by CLOCK_REALTIME.
fn now_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// Sends SIGTERM to all, waits, and kills the rest; returns the number killed, or the processes left.
///
/// End of input or a signal in the meantime ends the patience, not the stopping.
fn stop(patience: Duration, watch: &mut Watch) -> Result<usize, ending::Left> {
    let deadline = Instant::now() + patience;
    ending::ask_all();
    while !ending::none_left() {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        match watch.next(Some(left.min(ending::LOOK_AGAIN))) {
            Event::EndOfInput | Event::Signal(_) => break,
            Event::Line(..) | Event::HungUp | Event::ChildChanged | Event::Nothing => {}
        }
    }
    ending::kill_all()
}
