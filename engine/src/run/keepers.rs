//! Gives turns by the subjects' keepers: whoever waits stands still, and what each used is booked by whose turn it was.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::clock::Ns;
use crate::error::{EngineError, Result};
use crate::job::Target;
use crate::record::{Meter, SubjectCpu};

/// Longer than a keeper itself tries to stop processes.
const PATIENCE: Duration = Duration::from_secs(10);

/// The keepers of the subjects that take turns. Whoever drops them lets all go on, since a keeper thaws what its caller froze.
pub struct Keepers {
    channels: Vec<Channel>,
    /// By the subject's place: the places of its channels.
    of_subject: Vec<Vec<usize>>,
    holder: Option<usize>,
    /// By the subject's place: the CPU time of its whole turns, of their measured time, and of others' turns.
    in_turns: Vec<Ns>,
    measured: Vec<Ns>,
    in_others: Vec<Ns>,
}

impl Keepers {
    /// Calls the keepers of these subjects, each once: subjects may share their processes.
    pub fn meet(subjects: &[&Target]) -> Result<Self> {
        let mut channels: Vec<Channel> = Vec::new();
        let mut of_subject = Vec::new();
        for target in subjects {
            let mut places = Vec::new();
            for keeper in &target.keepers {
                let path = Path::new(&keeper.control);
                let place = match channels.iter().position(|channel| channel.path == path) {
                    Some(place) => place,
                    None => {
                        channels.push(Channel::open(&target.subject, path, keeper.may_freeze)?);
                        channels.len() - 1
                    }
                };
                places.push(place);
            }
            of_subject.push(places);
        }
        let none = vec![0; subjects.len()];
        Ok(Self {
            channels,
            of_subject,
            holder: None,
            in_turns: none.clone(),
            measured: none.clone(),
            in_others: none,
        })
    }

    /// Makes the subject at `place` the one that runs; the meter reads its processes.
    pub fn give_turn_to(&mut self, place: usize) -> Result<Meter> {
        let processes = self.hand_over(Some(place))?;
        Ok(Meter::of(processes))
    }

    /// Of the turn that just ended, so much CPU time was used while it was measured.
    pub fn measured(&mut self, place: usize, cpu: Ns) {
        self.measured[place] += cpu;
    }

    /// Lets all go on, and tells what each subject used; nothing of one that has no keeper.
    pub fn end(mut self) -> Result<Vec<Option<SubjectCpu>>> {
        self.hand_over(None)?;
        let of_place = |place: usize| {
            (!self.of_subject[place].is_empty()).then(|| SubjectCpu {
                own: self.measured[place],
                other: self.in_others[place],
                between: self.in_turns[place].saturating_sub(self.measured[place]),
            })
        };
        Ok((0..self.of_subject.len()).map(of_place).collect())
    }

    /// Ends the holder's turn and begins that of `next`; without one all may run. Those that are to stand are stopped first, so that
    /// they and the next never run together. Gives the processes of the next.
    fn hand_over(&mut self, next: Option<usize>) -> Result<Vec<i32>> {
        let next_channels = next.map_or_else(Vec::new, |place| self.of_subject[place].clone());
        let (mut order, running): (Vec<usize>, Vec<usize>) =
            (0..self.channels.len()).partition(|channel| !next_channels.contains(channel));
        order.extend(running);
        let mut processes = Vec::new();
        for place in order {
            let runs = next.is_none() || next_channels.contains(&place);
            let (used, found) = self.channels[place].turn(runs)?;
            self.book(place, used);
            if next_channels.contains(&place) {
                processes.extend(found);
            }
        }
        self.holder = next;
        Ok(processes)
    }

    /// Books what a channel's processes used while the holder had its turn. Subjects that share processes with the holder are not
    /// charged: it is not their turn, nor did they keep anybody from it.
    fn book(&mut self, channel: usize, used: Ns) {
        let Some(holder) = self.holder else { return };
        for place in 0..self.of_subject.len() {
            if !self.of_subject[place].contains(&channel) {
                continue;
            }
            if place == holder {
                self.in_turns[place] += used;
            } else if !self.of_subject[holder].contains(&channel) {
                self.in_others[place] += used;
            }
        }
    }
}

/// A connection to one keeper.
struct Channel {
    subject: String,
    path: PathBuf,
    stream: BufReader<UnixStream>,
    may_freeze: bool,
    frozen: bool,
    /// The clock of each process as last read, by id and start; empty before the first reading.
    clocks: HashMap<(i32, u64), Ns>,
    was_read: bool,
}

#[derive(Deserialize)]
struct ProcessClock {
    pid: i32,
    start_ticks: u64,
    cpu_ns: Ns,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Frozen(Vec<ProcessClock>),
    Thawed(Vec<ProcessClock>),
    Clocks(Vec<ProcessClock>),
    Error(String),
}

impl Channel {
    fn open(subject: &str, path: &Path, may_freeze: bool) -> Result<Self> {
        let open = || {
            let stream = UnixStream::connect(path)?;
            stream.set_read_timeout(Some(PATIENCE))?;
            stream.set_write_timeout(Some(PATIENCE))?;
            Ok(stream)
        };
        let stream = open().map_err(EngineError::system(format!(
            "cannot call the keeper of {subject} at {}",
            path.display()
        )))?;
        Ok(Self {
            subject: subject.to_owned(),
            path: path.to_owned(),
            stream: BufReader::new(stream),
            may_freeze,
            frozen: false,
            clocks: HashMap::new(),
            was_read: false,
        })
    }

    /// Lets the processes run, or stops them where they may be; gives the CPU time used since this was last called (none before
    /// that), and the processes.
    fn turn(&mut self, runs: bool) -> Result<(Ns, Vec<i32>)> {
        let line = match (runs, self.frozen) {
            (true, true) => "thaw",
            (false, false) if self.may_freeze => "freeze",
            _ => "clocks",
        };
        let clocks = self.ask(line)?;
        self.frozen = self.may_freeze && !runs;
        let processes = clocks.iter().map(|clock| clock.pid).collect();
        Ok((self.used_since(&clocks), processes))
    }

    fn used_since(&mut self, clocks: &[ProcessClock]) -> Ns {
        let used = clocks.iter().map(|clock| {
            let before = self.clocks.get(&(clock.pid, clock.start_ticks));
            clock.cpu_ns.saturating_sub(before.copied().unwrap_or(0))
        });
        let used = if self.was_read { used.sum() } else { 0 };
        self.was_read = true;
        let now = clocks
            .iter()
            .map(|clock| ((clock.pid, clock.start_ticks), clock.cpu_ns));
        self.clocks = now.collect();
        used
    }

    fn ask(&mut self, line: &str) -> Result<Vec<ProcessClock>> {
        self.exchange(line).map_err(|why| {
            let (subject, path) = (&self.subject, self.path.display());
            EngineError::CannotGoOn(format!(
                "the keeper of {subject} at {path} did not obey `{line}`: {why}"
            ))
        })
    }

    fn exchange(&mut self, line: &str) -> std::result::Result<Vec<ProcessClock>, String> {
        let mut answer = String::new();
        writeln!(self.stream.get_ref(), "{line}").map_err(|error| error.to_string())?;
        self.stream.read_line(&mut answer).map_err(|error| error.to_string())?;
        if answer.is_empty() {
            return Err("it has ended".to_owned());
        }
        match serde_json::from_str(&answer) {
            Ok(Answer::Frozen(clocks) | Answer::Thawed(clocks) | Answer::Clocks(clocks)) => Ok(clocks),
            Ok(Answer::Error(why)) => Err(why),
            Err(error) => Err(format!("it said `{}` ({error})", answer.trim())),
        }
    }
}
