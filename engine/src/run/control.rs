//! Standard input and output: one JSON object a line, read by a thread of its own so that reading never disturbs a slice.

use std::io::{BufRead, Write};
use std::sync::mpsc::Sender;

use serde::Deserialize;

use super::crew::Message;
use crate::error::{EngineError, Result};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    go: Option<u64>,
    enough: Option<u64>,
}

/// What a line asks of a slice, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// To run it.
    Go(u64),
    /// To end its measured time soon, since it has shown enough.
    Enough(u64),
}

/// What a line asks for.
pub fn parse(line: &str) -> std::result::Result<Asked, String> {
    let found = serde_json::from_str::<Line>(line).map_err(|error| error.to_string());
    let asked = found.and_then(|line| match (line.go, line.enough) {
        (Some(slice), None) => Ok(Asked::Go(slice)),
        (None, Some(slice)) => Ok(Asked::Enough(slice)),
        _ => Err("it must ask for one thing".to_owned()),
    });
    asked.map_err(|why| format!("{why}; ask as {{\"go\":3}} or {{\"enough\":3}}"))
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
        // Nobody listening any more means that the run is over already.
        let _ = messages.send(Message::InputEnded);
    };
    let thread = std::thread::Builder::new().name("control".to_owned()).spawn(read);
    thread.map(|_| ()).map_err(EngineError::system("cannot start a thread"))
}

/// Says one thing on standard output.
pub fn say(value: &serde_json::Value) -> Result<()> {
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
        assert_eq!(parse("{\"go\":3}"), Ok(Asked::Go(3)));
        assert_eq!(parse("{\"enough\":3}"), Ok(Asked::Enough(3)));
        for wrong in [
            "",
            "{}",
            "go 3",
            "{\"go\":-1}",
            "{\"go\":1,\"fast\":true}",
            "{\"go\":1,\"enough\":1}",
            "{\"stop\":1}",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
