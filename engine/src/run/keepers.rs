//! Turns under keepers: pauses the subjects that wait (SIGSTOP), and attributes each subject's processor time to the current turn.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::clock::Ns;
use crate::error::{EngineError, Result};
use crate::job::Target;
use crate::record::SubjectCpu;

/// The timeout of a keeper's answer: longer than the keeper tries to stop processes.
const PATIENCE: Duration = Duration::from_secs(10);

/// The keepers of all subjects of a job. When they are dropped, all processes continue: a keeper thaws what its caller froze.
pub struct Keepers {
    channels: Vec<Channel>,
    /// By the subject's place: the places of its channels, and its processor time since the last reading.
    of_subject: Vec<Vec<usize>>,
    used: Vec<SubjectCpu>,
    holder: Option<usize>,
}

impl Keepers {
    /// Connects to the keepers of these subjects, once to each: subjects may share processes.
    pub fn connect(subjects: &[Target]) -> Result<Self> {
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
        Ok(Self {
            channels,
            used: vec![SubjectCpu::default(); of_subject.len()],
            of_subject,
            holder: None,
        })
    }

    /// Makes the subject at `place` the only one that runs, among those that may be frozen.
    pub fn give_turn_to(&mut self, place: usize) -> Result<()> {
        self.switch_to(Some(place))
    }

    /// Ends the last turn. Between pairs all subjects are frozen too, because deferred work would otherwise be done then.
    pub fn freeze_all(&mut self) -> Result<()> {
        self.switch_to(None)
    }

    /// Processor time of all subjects since the last reading; stops no process.
    pub fn used_since_last(&mut self) -> Result<Ns> {
        self.channels.iter_mut().map(Channel::read_clocks).sum()
    }

    /// Processor time of the subject at `place` since the last call; None if it has no keeper.
    pub fn take_usage(&mut self, place: usize) -> Option<SubjectCpu> {
        let used = std::mem::take(&mut self.used[place]);
        (!self.of_subject[place].is_empty()).then_some(used)
    }

    /// Ends the holder's turn and begins that of `next`. The others are frozen first, so that they never run together with the next.
    fn switch_to(&mut self, next: Option<usize>) -> Result<()> {
        let runs = |channel: &usize| next.is_some_and(|place| self.of_subject[place].contains(channel));
        let (running, standing): (Vec<usize>, Vec<usize>) = (0..self.channels.len()).partition(runs);
        for channel in standing {
            let used = self.channels[channel].freeze()?;
            self.charge(channel, used);
        }
        for channel in running {
            let used = self.channels[channel].thaw()?;
            self.charge(channel, used);
        }
        self.holder = next;
        Ok(())
    }

    /// Charges the processor time of a channel's processes since the last reading to their subjects, by whose turn it was. Subjects that
    /// share processes with the holder are not charged.
    fn charge(&mut self, channel: usize, cpu: Ns) {
        let holders = self.holder.map_or(&[][..], |place| &self.of_subject[place]);
        for (place, channels) in self.of_subject.iter().enumerate() {
            let used = &mut self.used[place];
            if !channels.contains(&channel) {
                continue;
            } else if self.holder.is_none() {
                used.between += cpu;
            } else if self.holder == Some(place) {
                used.own += cpu;
            } else if !holders.contains(&channel) {
                used.other += cpu;
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
    /// The clock of each process as last read, by id and start; none before the first reading.
    clocks: Option<HashMap<(i32, u64), Ns>>,
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
            clocks: None,
        })
    }

    /// Freezes the processes, if that is allowed; returns their processor time since the last reading.
    fn freeze(&mut self) -> Result<Ns> {
        self.request(if self.may_freeze { "freeze" } else { "clocks" })
    }

    /// Lets the processes run; returns their processor time since the last reading.
    fn thaw(&mut self) -> Result<Ns> {
        self.request(if self.may_freeze { "thaw" } else { "clocks" })
    }

    /// Returns the processes' processor time since the last reading.
    fn read_clocks(&mut self) -> Result<Ns> {
        self.request("clocks")
    }

    fn used_since_last(&mut self, clocks: &[ProcessClock]) -> Ns {
        let now: HashMap<_, _> = clocks
            .iter()
            .map(|clock| ((clock.pid, clock.start_ticks), clock.cpu_ns))
            .collect();
        let used = |before: &HashMap<_, Ns>| {
            let of_process = |(process, cpu): (_, &Ns)| cpu.saturating_sub(before.get(process).copied().unwrap_or(0));
            now.iter().map(of_process).sum()
        };
        let used = self.clocks.as_ref().map_or(0, used);
        self.clocks = Some(now);
        used
    }

    fn request(&mut self, line: &str) -> Result<Ns> {
        let clocks = self.exchange(line).map_err(|why| {
            let (subject, path) = (&self.subject, self.path.display());
            EngineError::CannotGoOn(format!(
                "the keeper of {subject} at {path} did not obey `{line}`: {why}"
            ))
        })?;
        Ok(self.used_since_last(&clocks))
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
