//! A keeper under test, whose every process carries a mark in its environment, so that none can hide by leaving its
//! parent, group or session.

// Each test that uses this harness uses a part of it.
#![allow(dead_code)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::Value;

/// What the issue allows between the lab's death and the last process's.
pub const FIVE_SECONDS: Duration = Duration::from_secs(5);
/// For all that has no such limit: long, since the machine may be busy.
pub const LONG: Duration = Duration::from_secs(30);

const MARK: &str = "KEEPER_TEST_MARK";
/// Set for a copy of the test program that plays the lab: it starts a keeper and passes lines on until it is killed.
const PLAY_LAB: &str = "KEEPER_TEST_PLAYS_LAB";

pub struct Keeper {
    pub starter: Child,
    input: Option<ChildStdin>,
    answers: Receiver<Value>,
    pub folder: tempfile::TempDir,
    mark: String,
}

impl Keeper {
    /// Starts a keeper of `sh -c script` directly below the test.
    pub fn of(script: &str) -> Self {
        Self::start(&["--"], &["sh", "-c", script], false)
    }

    /// Starts a keeper of `sh -c script` with a control channel at this path.
    pub fn of_with_control(script: &str, control: &Path) -> Self {
        Self::start(
            &["--control", control.to_str().unwrap(), "--"],
            &["sh", "-c", script],
            false,
        )
    }

    /// Starts a keeper of `sh -c script` below a process that holds its input and that the test may kill.
    pub fn of_below_a_lab(script: &str) -> Self {
        Self::start(&["--"], &["sh", "-c", script], true)
    }

    /// Starts a keeper of `argv` below a shell that ignores signals, which it passes on to the program that it becomes.
    pub fn of_below_a_deaf_shell(argv: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut shell = Command::new("sh");
        shell
            .args(["-c", "trap '' CHLD HUP INT QUIT TERM USR1; exec \"$@\"", "sh"])
            .arg(env!("CARGO_BIN_EXE_steelyard-keeper"))
            .arg("--log")
            .arg(folder.path().join("log"))
            .arg("--")
            .args(argv);
        Self::run(shell, folder)
    }

    pub fn start(options: &[&str], argv: &[&str], below_a_lab: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut command = if below_a_lab {
            let mut lab = Command::new(std::env::current_exe().unwrap());
            lab.args(["--exact", "plays_the_lab", "--ignored", "--nocapture", "--"])
                .env(PLAY_LAB, "yes");
            lab
        } else {
            Command::new(env!("CARGO_BIN_EXE_steelyard-keeper"))
        };
        let log = folder.path().join("log");
        if below_a_lab {
            let line: Vec<String> = ["--log".into(), log.to_str().unwrap().into()]
                .into_iter()
                .chain(options.iter().chain(argv).map(|word| (*word).to_owned()))
                .collect();
            command.env("KEEPER_TEST_LINE", serde_json::to_string(&line).unwrap());
        } else {
            command.arg("--log").arg(&log).args(options).args(argv);
        }
        Self::run(command, folder)
    }

    fn run(mut command: Command, folder: tempfile::TempDir) -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let mark = format!("{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        command.env(MARK, &mark).env("KEEPER_TEST_FOLDER", folder.path());
        // So that no script can outlive a failed test for long.
        command.env("KEEPER_TEST_END", (now_s() + 120).to_string());
        let mut starter = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let input = starter.stdin.take();
        let output = starter.stdout.take().unwrap();
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                // The test program below which a keeper may run prints lines of its own.
                if let Ok(answer @ Value::Object(_)) = serde_json::from_str(&line) {
                    let _ = sender.send(answer);
                }
            }
        });
        Self {
            starter,
            input,
            answers,
            folder,
            mark,
        }
    }

    /// The next object on standard output.
    pub fn answer(&self) -> Value {
        self.answers.recv_timeout(LONG).expect("the keeper says nothing")
    }

    /// What an answer of this name holds; others, such as an unasked `exited`, must not come before it.
    pub fn expect(&self, name: &str) -> Value {
        let answer = self.answer();
        answer
            .get(name)
            .unwrap_or_else(|| panic!("{name} was expected, not {answer}"))
            .clone()
    }

    /// Says one line and gives what the answer of this name holds.
    pub fn ask(&mut self, line: &str, name: &str) -> Value {
        self.say(line);
        self.expect(name)
    }

    /// Freezes all, and gives how many processes that were.
    pub fn freeze(&mut self) -> usize {
        self.ask("freeze", "frozen").as_array().unwrap().len()
    }

    pub fn say(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// The number with which the keeper, or what started it, ended.
    pub fn ended(&mut self) -> ExitStatus {
        let mut status = None;
        wait_until("the keeper ends", LONG, || {
            status = self.starter.try_wait().unwrap();
            status.is_some()
        });
        status.unwrap()
    }

    pub fn errors(&mut self) -> String {
        let mut text = String::new();
        std::io::Read::read_to_string(&mut self.starter.stderr.take().unwrap(), &mut text).unwrap();
        text
    }

    /// The process that obeys, which is the child of one that guards it.
    pub fn own_process(&self) -> i32 {
        first_child(self.starter.id().cast_signed())
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Waits for a file that the script writes, and reads the number in it.
    pub fn number_from(&self, name: &str) -> i32 {
        let path = self.file(name);
        let read = || fs::read_to_string(&path).ok().and_then(|text| text.trim().parse().ok());
        wait_until(&format!("{name} is written"), LONG, || read().is_some());
        read().unwrap()
    }

    /// All living processes that carry the mark, the keeper and what started it among them.
    pub fn alive(&self) -> Vec<i32> {
        let wanted = format!("{MARK}={}", self.mark).into_bytes();
        let marked = |folder: &Path| {
            let environment = fs::read(folder.join("environ")).unwrap_or_default();
            environment.split(|&byte| byte == 0).any(|variable| variable == wanted)
        };
        numbered_folders("/proc")
            .filter(|(pid, folder)| state(*pid) != 'Z' && marked(folder))
            .map(|(pid, _)| pid)
            .collect()
    }

    pub fn wait_until_none_is_alive(&self) {
        wait_until("all processes are gone", FIVE_SECONDS, || self.alive().is_empty());
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.starter.kill();
        let _ = self.starter.wait();
        for pid in self.alive() {
            signal(pid, libc::SIGKILL);
        }
    }
}

/// The part of the lab, for `Keeper::of_below_a_lab`: holds the input of a keeper and passes lines on.
pub fn play_lab() {
    if std::env::var(PLAY_LAB).is_err() {
        return;
    }
    let line: Vec<String> = serde_json::from_str(&std::env::var("KEEPER_TEST_LINE").unwrap()).unwrap();
    let mut keeper = Command::new(env!("CARGO_BIN_EXE_steelyard-keeper"))
        .args(line)
        .env_remove(PLAY_LAB)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = keeper.stdin.take().unwrap();
    for line in std::io::stdin().lines().map_while(Result::ok) {
        writeln!(input, "{line}").unwrap();
    }
    drop(input);
    keeper.wait().unwrap();
}

pub fn wait_until(what: &str, limit: Duration, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + limit;
    while !holds() {
        assert!(Instant::now() < end, "not within {limit:?}: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub fn signal(pid: i32, number: i32) {
    // SAFETY: sends a signal to a process of this test.
    unsafe { libc::kill(pid, number) };
}

/// The first of the processes that this one's threads started.
pub fn first_child(pid: i32) -> i32 {
    numbered_folders(&format!("/proc/{pid}/task"))
        .map(|(_, folder)| fs::read_to_string(folder.join("children")).unwrap())
        .find_map(|children| children.split_whitespace().next()?.parse().ok())
        .unwrap()
}

/// The state in /proc/PID/stat, Z when there is no such process.
pub fn state(pid: i32) -> char {
    let line = fs::read(format!("/proc/{pid}/stat")).unwrap_or_default();
    let line = String::from_utf8_lossy(&line);
    line.rsplit_once(") ")
        .and_then(|(_, rest)| rest.chars().next())
        .unwrap_or('Z')
}

/// The processors that each thread of a process may use, as the kernel lists them.
pub fn allowed_cpus(pid: i32) -> Vec<String> {
    let list = |folder: PathBuf| {
        let status = fs::read(folder.join("status")).ok()?;
        Some(
            String::from_utf8_lossy(&status)
                .lines()
                .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?
                .trim()
                .to_owned(),
        )
    };
    numbered_folders(&format!("/proc/{pid}/task"))
        .filter_map(|(_, folder)| list(folder))
        .collect()
}

fn now_s() -> u64 {
    std::time::UNIX_EPOCH.elapsed().unwrap().as_secs()
}

fn numbered_folders(path: &str) -> impl Iterator<Item = (i32, PathBuf)> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries.filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path())))
}
