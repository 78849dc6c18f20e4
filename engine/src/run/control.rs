//! Standard input and output: one JSON object a line. A thread of its own reads, so that reading never disturbs a slice.

use std::io::{BufRead, Write};
use std::sync::mpsc::Sender;

use serde::Deserialize;

use super::crew::Message;
use super::stretch::Stretch;
use crate::clock::Ns;
use crate::error::{EngineError, Result};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    prepare: Option<u64>,
    go: Option<u64>,
    at_ns: Option<u64>,
    enough: Option<u64>,
    at_s: Option<u64>,
    turns: Option<Turns>,
    stretch: Option<Stretch>,
}

/// Slices that take turns.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turns {
    pub slices: Vec<u64>,
    /// The length of a turn: requests are sent for so many ms.
    pub ms: f64,
}

/// A command for a slice, given by its number.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Open its connections and wait for the instant at which it begins.
    Prepare(u64),
    /// Run it: at once, or, after `Prepare`, at this instant.
    Go(u64, Option<Ns>),
    /// Run several in turns.
    Turns(Turns),
    /// Run one as a stretch.
    Stretch(Stretch),
    /// End its measured time early: at the next second, or after this many seconds.
    Enough(u64, Option<u64>),
}

/// Reads one line.
pub fn parse(line: &str) -> std::result::Result<Command, String> {
    let found = serde_json::from_str::<Line>(line).map_err(|error| error.to_string());
    let command = found.and_then(|line| match line {
        Line {
            go: Some(slice),
            at_ns,
            prepare: None,
            enough: None,
            at_s: None,
            turns: None,
            stretch: None,
        } => Ok(Command::Go(slice, at_ns)),
        Line {
            enough: Some(slice),
            at_s,
            prepare: None,
            go: None,
            at_ns: None,
            turns: None,
            stretch: None,
        } => Ok(Command::Enough(slice, at_s)),
        Line {
            prepare: Some(slice),
            go: None,
            at_ns: None,
            enough: None,
            at_s: None,
            turns: None,
            stretch: None,
        } => Ok(Command::Prepare(slice)),
        Line {
            turns: Some(turns),
            prepare: None,
            go: None,
            at_ns: None,
            enough: None,
            at_s: None,
            stretch: None,
        } => Ok(Command::Turns(turns)),
        Line {
            stretch: Some(stretch),
            prepare: None,
            go: None,
            at_ns: None,
            enough: None,
            at_s: None,
            turns: None,
        } => Ok(Command::Stretch(stretch)),
        _ => Err("a line must hold one command".to_owned()),
    });
    command.map_err(|why| {
        format!(
            "{why}; the commands are {{\"go\":3}}, {{\"enough\":3}}, {{\"turns\":{{\"slices\":[3,4],\"ms\":150}}}}, \
             {{\"stretch\":{{\"slice\":3,\"lead_in_ms\":2500,\"spread_ms\":1000,\"seconds\":12}}}}, or {{\"prepare\":3}} \
             and then {{\"go\":3,\"at_ns\":INSTANT}}"
        )
    })
}

/// Reads lines until the end of standard input and passes them on.
pub fn read_in_background(messages: Sender<Message>) -> Result<()> {
    let read = move || {
        for line in std::io::stdin().lock().lines() {
            match line {
                Ok(line) if line.trim().is_empty() => {}
                Ok(line) => {
                    if messages.send(Message::Line(line)).is_err() {
                        return;
                    }
                }
                Err(_) => break,
            }
        }
        // A closed channel means that the run is over.
        let _ = messages.send(Message::InputEnded);
    };
    let thread = std::thread::Builder::new().name("control".to_owned()).spawn(read);
    thread.map(|_| ()).map_err(EngineError::system("cannot start a thread"))
}

/// Prints one JSON line on standard output.
pub fn print_line(value: &serde_json::Value) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{value}")
        .and_then(|()| out.flush())
        .map_err(EngineError::system("standard output is closed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_asks_for_one_thing_of_a_slice_by_its_number_and_for_nothing_else() {
        assert_eq!(parse("{\"go\":3}"), Ok(Command::Go(3, None)));
        assert_eq!(parse("{\"go\":3,\"at_ns\":5}"), Ok(Command::Go(3, Some(5))));
        assert_eq!(parse("{\"prepare\":3}"), Ok(Command::Prepare(3)));
        assert_eq!(parse("{\"enough\":3}"), Ok(Command::Enough(3, None)));
        assert_eq!(parse("{\"enough\":3,\"at_s\":7}"), Ok(Command::Enough(3, Some(7))));
        let turns = Turns {
            slices: vec![3, 4],
            ms: 20.0,
        };
        assert_eq!(
            parse("{\"turns\":{\"slices\":[3,4],\"ms\":20}}"),
            Ok(Command::Turns(turns))
        );
        let stretch = Stretch {
            slice: 3,
            lead_in_ms: 2500.0,
            spread_ms: 1000.0,
            seconds: 12.0,
            prepare: true,
        };
        assert_eq!(
            parse("{\"stretch\":{\"slice\":3,\"lead_in_ms\":2500,\"spread_ms\":1000,\"seconds\":12,\"prepare\":true}}"),
            Ok(Command::Stretch(stretch))
        );
        for wrong in [
            "",
            "{}",
            "go 3",
            "{\"go\":-1}",
            "{\"go\":1,\"fast\":true}",
            "{\"go\":1,\"enough\":1}",
            "{\"prepare\":1,\"go\":1}",
            "{\"prepare\":1,\"at_ns\":1}",
            "{\"go\":1,\"at_s\":1}",
            "{\"enough\":1,\"at_ns\":1}",
            "{\"at_ns\":1}",
            "{\"stop\":1}",
            "{\"turns\":[1,2]}",
            "{\"turns\":{\"slices\":[3,4]}}",
            "{\"stretch\":{\"slice\":3}}",
            "{\"go\":1,\"turns\":{\"slices\":[1,2],\"ms\":20}}",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
