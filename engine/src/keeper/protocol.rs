//! The keeper's commands and its answers, which are JSON objects.

use std::io::Write;
use std::time::Duration;

use serde::Serialize;

use super::cpu_list::CpuList;

/// The longest time that `stop` accepts: a day.
const MOST_STOP_SECONDS: f64 = 86_400.0;

#[derive(Debug, PartialEq)]
pub enum Request {
    Freeze,
    Thaw,
    Pin(CpuList),
    Cpu,
    Clocks,
    /// The time of this machine; `clocks` are those of processes.
    Time,
    /// A sign of life; not answered.
    Beat,
    Stop(Duration),
}

impl Request {
    /// Reads one line; the error is the sentence of the answer.
    pub fn parse(line: &str) -> Result<Self, String> {
        let mut words = line.split_whitespace();
        let request = match (words.next(), words.next(), words.next()) {
            (Some("freeze"), None, None) => Self::Freeze,
            (Some("thaw"), None, None) => Self::Thaw,
            (Some("cpu"), None, None) => Self::Cpu,
            (Some("clocks"), None, None) => Self::Clocks,
            (Some("time"), None, None) => Self::Time,
            (Some("beat"), None, None) => Self::Beat,
            (Some("pin"), Some(list), None) => Self::Pin(list.parse()?),
            (Some("stop"), Some(seconds), None) => Self::Stop(stop_patience(seconds)?),
            _ => {
                return Err(format!(
                    "cannot understand `{}`: the lines are freeze, thaw, clocks, pin CPUS, cpu, time, beat, stop SECONDS",
                    line.trim()
                ));
            }
        };
        Ok(request)
    }
}

fn stop_patience(seconds: &str) -> Result<Duration, String> {
    match seconds.parse::<f64>() {
        Ok(value) if (0.0..=MOST_STOP_SECONDS).contains(&value) => Ok(Duration::from_secs_f64(value)),
        _ => Err(format!(
            "`{seconds}` is not a number of seconds from 0 to {MOST_STOP_SECONDS}"
        )),
    }
}

/// One line of an answer: an object whose only key is the name of the answer.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Started(i32),
    Frozen(Vec<ProcessClock>),
    Thawed(Vec<ProcessClock>),
    Clocks(Vec<ProcessClock>),
    Time(TimeStamps),
    Pinned(usize),
    Cpu(Vec<ProcessCpu>),
    Stopped(usize),
    Exited(Exit),
    Error(String),
}

/// When a line came and when its answer was sent: the two of NTP's four timestamps that the other side cannot know. By
/// CLOCK_REALTIME, and by CLOCK_MONOTONIC, which processes use for their records.
#[derive(Debug, Serialize)]
pub struct TimeStamps {
    pub received_ns: u64,
    pub sent_ns: u64,
    pub received_monotonic_ns: u64,
    pub sent_monotonic_ns: u64,
}

/// How the command ended: by itself with a code, or by a signal.
#[derive(Debug, Serialize)]
pub struct Exit {
    pub code: Option<i32>,
    pub signal: Option<i32>,
}

/// The use of one process since its start, which is `start_ticks` clock ticks after boot; `jit_ns` is the part of a JVM's compiler threads.
#[derive(Debug, Serialize)]
pub struct ProcessCpu {
    pub pid: i32,
    pub start_ticks: u64,
    pub name: String,
    pub cpu_ns: u64,
    pub jit_ns: u64,
    pub rss_bytes: u64,
}

/// The CPU clock of one process, user and system, since its start.
#[derive(Debug, Serialize)]
pub struct ProcessClock {
    pub pid: i32,
    pub start_ticks: u64,
    pub cpu_ns: u64,
}

impl Answer {
    /// The answer as it is sent, with the line's end.
    pub fn to_line(&self) -> Vec<u8> {
        let mut line =
            serde_json::to_vec(self).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}").into_bytes());
        line.push(b'\n');
        line
    }
}

/// Prints and flushes an answer. A lost reader is no error here: the end of input ends the keeper.
pub fn say(answer: &Answer) {
    let mut output = std::io::stdout().lock();
    let _ = output.write_all(&answer.to_line()).and_then(|()| output.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_protocol_is_understood() {
        assert_eq!(Request::parse("freeze"), Ok(Request::Freeze));
        assert_eq!(Request::parse(" thaw \r"), Ok(Request::Thaw));
        assert_eq!(Request::parse("cpu"), Ok(Request::Cpu));
        assert_eq!(Request::parse("clocks"), Ok(Request::Clocks));
        assert_eq!(Request::parse("time"), Ok(Request::Time));
        assert_eq!(Request::parse("beat"), Ok(Request::Beat));
        assert_eq!(Request::parse("pin 0,2-3"), Ok(Request::Pin("0,2,3".parse().unwrap())));
        assert_eq!(
            Request::parse("stop 2.5"),
            Ok(Request::Stop(Duration::from_millis(2500)))
        );
    }

    #[test]
    fn a_wrong_line_names_itself() {
        for line in [
            "",
            "freeze now",
            "pin",
            "stop",
            "stop soon",
            "stop -1",
            "stop nan",
            "stop 1e99",
            "PIN 0",
        ] {
            let sentence = Request::parse(line).unwrap_err();
            let named = line.split_whitespace().last().unwrap_or("``");
            assert!(sentence.contains(named), "{sentence}");
        }
    }
}
