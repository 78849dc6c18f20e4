//! The engine under test: a job and a corpus in a folder of their own, the real binary, and its tables read back.

// Not every test that uses this harness asks for all of it.
#![allow(dead_code)]

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// For what must come, however busy the machine is.
pub const LONG: Duration = Duration::from_secs(60);

pub const BODY: &str = "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body><echoVoid/></e:Body>\
    </e:Envelope>";

/// The kinds of failure.
pub const KINDS: [&str; 10] = [
    "refused",
    "reset",
    "timeout",
    "tls",
    "malformed",
    "status",
    "fault",
    "truncated",
    "stale_failed",
    "capture",
];

/// One row of a table, by column.
pub type Row = HashMap<String, String>;

pub fn number(row: &Row, column: &str) -> u64 {
    row[column]
        .parse()
        .unwrap_or_else(|_| panic!("{column} is {}", row[column]))
}

/// A folder with a corpus, in which jobs are run.
pub struct Bench {
    pub folder: TempDir,
}

impl Bench {
    /// With the corpus entries given as operation, body and whether it is safe to repeat.
    pub fn with_corpus(entries: &[(&str, &[u8], bool)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("corpus")).unwrap();
        let mut index = "entry,operation,offset,length,rule,safe\n".to_owned();
        let mut bytes = Vec::new();
        for (entry, (operation, body, safe)) in entries.iter().enumerate() {
            let safe = u8::from(*safe);
            index.push_str(&format!(
                "{entry},{operation},{},{},right,{safe}\n",
                bytes.len(),
                body.len()
            ));
            bytes.extend_from_slice(body);
        }
        std::fs::write(folder.path().join("corpus/corpus.bin"), bytes).unwrap();
        std::fs::write(folder.path().join("corpus/corpus.csv"), index).unwrap();
        Self { folder }
    }

    /// With one request, safe to repeat.
    pub fn new() -> Self {
        Self::with_corpus(&[("echoVoid", BODY.as_bytes(), true)])
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts the engine on a job and waits until it is ready.
    pub fn ready(&self, job: &Value) -> Engine {
        let mut engine = self.start(job);
        engine.expect(&json!({"ready": true}));
        engine
    }

    /// Starts the engine on a job.
    pub fn start(&self, job: &Value) -> Engine {
        std::fs::write(self.path("job.json"), job.to_string()).unwrap();
        let mut process = Command::new(env!("CARGO_BIN_EXE_steelyard-engine"))
            .arg("run")
            .arg(self.path("job.json"))
            .arg("--out")
            .arg(self.path("out"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let _ = sender.send(serde_json::from_str(&line).unwrap());
            }
        });
        Engine { process, input, lines }
    }

    /// Runs all slices of a job in their order, to the end.
    pub fn run(&self, job: &Value) -> Vec<Row> {
        let mut engine = self.ready(job);
        for slice in job["slices"].as_array().unwrap() {
            engine.go(slice["number"].as_u64().unwrap());
            engine.expect(&json!({"drained": slice["number"]}));
        }
        let (status, errors) = engine.end();
        assert!(status.success(), "{errors}");
        self.slices()
    }

    /// The rows of `slices.csv`; every request that was taken up is in one of their counts.
    pub fn slices(&self) -> Vec<Row> {
        let rows = self.table("slices.csv");
        for row in &rows {
            let kinds = KINDS
                .iter()
                .flat_map(|kind| [(*kind).to_owned(), format!("outside_{kind}")]);
            let others = ["completed", "wrong", "lead_in_completed", "outside_wrong", "dropped"].map(str::to_owned);
            let ended: u64 = kinds.chain(others).map(|column| number(row, &column)).sum();
            assert_eq!(number(row, "sent"), ended, "{row:?}");
        }
        rows
    }

    /// A table of the output folder.
    pub fn table(&self, name: &str) -> Vec<Row> {
        let mut reader = csv::Reader::from_path(self.path("out").join(name)).unwrap();
        reader.deserialize().collect::<Result<Vec<Row>, _>>().unwrap()
    }

    pub fn summary(&self) -> Value {
        serde_json::from_slice(&std::fs::read(self.path("out/summary.json")).unwrap()).unwrap()
    }
}

/// A job against one address, with these slices; keys of `more` are set on top.
pub fn job(url: &str, slices: Value, more: Value) -> Value {
    let mut job = json!({
        "seed": 1,
        "corpus": "corpus",
        "rules": {"right": {"contains": "echoVoidResponse"}},
        "targets": [{"subject": "a", "url": url, "headers": {"Content-Type": "text/xml"}}],
        "slices": slices,
        "timeout_ms": 400,
        "drain_limit_ms": 500,
    });
    for (key, value) in more.as_object().unwrap() {
        job[key] = value.clone();
    }
    job
}

/// A slice of the operation `echoVoid` without lead-in.
pub fn slice(number: u64, profile: Value) -> Value {
    json!({
        "number": number, "subject": "a", "phase": "measure", "profile": profile,
        "mix": {"echoVoid": 1}, "deck_seed": 7, "lead_in_ms": 0,
    })
}

pub struct Engine {
    process: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Value>,
}

impl Engine {
    pub fn go(&mut self, number: u64) {
        self.say(&json!({"go": number}).to_string());
    }

    pub fn say(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    /// Waits for a line; ticks before it are passed over.
    pub fn expect(&mut self, wanted: &Value) {
        let end = Instant::now() + LONG;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) if line == *wanted => return,
                Ok(line) if line.get("tick").is_some() => {}
                Ok(line) => panic!("{line} where {wanted} was expected"),
                Err(_) => {
                    let (status, errors) = self.finish();
                    panic!("no {wanted}; the engine ended with {status}: {errors}");
                }
            }
        }
    }

    /// Closes the engine's input and waits for its end.
    pub fn end(mut self) -> (ExitStatus, String) {
        self.finish()
    }

    /// The CPU time of the engine so far, in clock ticks, as the system counts it.
    pub fn cpu_ticks(&self) -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.process.id())).unwrap();
        let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    }

    /// The memory of the engine that is resident now.
    pub fn resident_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    fn finish(&mut self) -> (ExitStatus, String) {
        self.input = None;
        let end = Instant::now() + LONG;
        while self.process.try_wait().unwrap().is_none() {
            if Instant::now() > end {
                self.process.kill().unwrap();
                panic!("the engine does not end");
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let mut errors = String::new();
        if let Some(mut stderr) = self.process.stderr.take() {
            std::io::Read::read_to_string(&mut stderr, &mut errors).unwrap();
        }
        (self.process.wait().unwrap(), errors)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
