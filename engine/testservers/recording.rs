//! Keeps the instants at which requests were read and answers written, and writes them to a file at the end.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// What `--record` asked for; shared by the loop, which adds, and the thread that sees the input end, which writes.
#[derive(Clone)]
pub struct Recording {
    path: PathBuf,
    instants: Arc<Mutex<Vec<[u64; 2]>>>,
}

impl Recording {
    /// Room is made before, so that growing does not delay an answer while it is measured.
    pub fn new(path: PathBuf) -> Self {
        Self {
            path,
            instants: Arc::new(Mutex::new(Vec::with_capacity(1 << 20))),
        }
    }

    pub fn add(&self, read_ns: u64, write_ns: u64) {
        if let Ok(mut instants) = self.instants.lock() {
            instants.push([read_ns, write_ns]);
        }
    }

    /// Writes `read_ns,write_ns` rows.
    pub fn save(&self) -> std::io::Result<()> {
        let mut text = String::from("read_ns,write_ns\n");
        if let Ok(instants) = self.instants.lock() {
            for [read_ns, write_ns] in instants.iter() {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{read_ns},{write_ns}");
            }
        }
        std::fs::write(&self.path, text)
    }
}
