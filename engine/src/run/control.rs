//! Standard input and output: one JSON object a line, read by a thread of its own so that reading never disturbs a slice.

use std::io::{BufRead, Write};
use std::sync::mpsc::Sender;

use serde::Deserialize;

use super::crew::Message;
use crate::error::{EngineError, Result};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Go {
    go: u64,
}

/// The number of the slice that a line asks for.
pub fn parse_go(line: &str) -> std::result::Result<u64, String> {
    serde_json::from_str::<Go>(line)
        .map(|asked| asked.go)
        .map_err(|error| format!("{error}; ask as {{\"go\":3}}"))
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
    fn a_line_asks_for_a_slice_by_its_number_and_for_nothing_else() {
        assert_eq!(parse_go("{\"go\":3}"), Ok(3));
        for wrong in ["", "go 3", "{\"go\":-1}", "{\"go\":1,\"fast\":true}", "{\"stop\":1}"] {
            assert!(parse_go(wrong).is_err(), "{wrong}");
        }
    }
}
