//! What a test server tells on standard output: one JSON object a line.

use std::io::Write;

/// Prints at once. A reader that is gone is no concern: the end of input ends the server.
pub fn line(object: &serde_json::Value) {
    let mut output = std::io::stdout().lock();
    let _ = writeln!(output, "{object}").and_then(|()| output.flush());
}
