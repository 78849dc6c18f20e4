//! The keeper's control channel: a caller nearer to the work than the lab freezes, thaws and reads clocks over a socket.

// `allow-unwrap-in-tests` does not reach the helpers of integration tests.
#![allow(clippy::unwrap_used)]

mod keeper_harness;

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use keeper_harness::{Keeper, LONG, state, wait_until};
use serde_json::Value;

const SPIN: &str = "echo $$ > $KEEPER_TEST_FOLDER/ready; while :; do :; done";

/// A kept command that spins, with a control channel in a folder of its own.
struct Spinner {
    keeper: Keeper,
    folder: tempfile::TempDir,
    pid: i32,
}

impl Spinner {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let keeper = Keeper::of_with_control(SPIN, &folder.path().join("control"));
        keeper.expect("started");
        let pid = keeper.number_from("ready");
        Self { keeper, folder, pid }
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("control")
    }
}

struct Caller {
    stream: UnixStream,
    answers: BufReader<UnixStream>,
}

impl Caller {
    fn of(path: &Path) -> Self {
        let stream = UnixStream::connect(path).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        let answers = BufReader::new(stream.try_clone().unwrap());
        Self { stream, answers }
    }

    fn ask(&mut self, line: &str) -> Value {
        writeln!(self.stream, "{line}").unwrap();
        let mut answer = String::new();
        self.answers.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap()
    }
}

#[test]
fn a_caller_freezes_and_thaws_and_is_told_the_clocks_of_both_edges() {
    let spinner = Spinner::start();
    let mut caller = Caller::of(&spinner.socket());
    let clocks = caller.ask("clocks")["clocks"].clone();
    assert_eq!(clocks[0]["pid"], spinner.pid);
    let frozen = caller.ask("freeze")["frozen"].clone();
    assert_eq!(state(spinner.pid), 'T');
    assert!(frozen[0]["cpu_ns"].as_u64() >= clocks[0]["cpu_ns"].as_u64());
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert_eq!(caller.ask("thaw")["thawed"], frozen, "it used nothing between");
    wait_until("it spins again", LONG, || {
        caller.ask("clocks")["clocks"][0]["cpu_ns"].as_u64() > frozen[0]["cpu_ns"].as_u64()
    });
}

#[test]
fn what_a_caller_froze_goes_on_when_it_hangs_up_and_what_the_lab_froze_does_not() {
    let mut spinner = Spinner::start();
    let mut caller = Caller::of(&spinner.socket());
    caller.ask("freeze");
    drop(caller);
    wait_until("it goes on", LONG, || state(spinner.pid) != 'T');

    spinner.keeper.freeze();
    let mut next = Caller::of(&spinner.socket());
    next.ask("clocks");
    drop(next);
    // The next caller is served after the one before was let go.
    Caller::of(&spinner.socket()).ask("clocks");
    assert_eq!(state(spinner.pid), 'T');
}

#[test]
fn the_socket_is_its_owners_alone_and_gone_with_the_keeper() {
    let mut spinner = Spinner::start();
    let mode = std::fs::metadata(spinner.socket()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    spinner.keeper.ask("stop 5", "stopped");
    assert!(spinner.keeper.ended().success());
    assert!(!spinner.socket().exists());
}

#[test]
fn a_caller_may_not_end_what_the_lab_keeps_nor_say_what_is_no_line() {
    let spinner = Spinner::start();
    let mut caller = Caller::of(&spinner.socket());
    for line in ["stop 1", "pin 0", "cpu", "melt"] {
        let answer = caller.ask(line);
        assert!(answer["error"].as_str().unwrap().contains(line), "{answer}");
    }
    assert_ne!(state(spinner.pid), 'Z');
}

#[test]
fn a_path_that_no_socket_can_have_is_one_sentence() {
    let path = Path::new("/tmp").join("x".repeat(200));
    let mut keeper = Keeper::of_with_control("sleep 1000", &path);
    assert_eq!(keeper.ended().code(), Some(1));
    let errors = keeper.errors();
    assert!(errors.contains("cannot make the control socket"), "{errors}");
    assert_eq!(errors.trim().lines().count(), 1, "{errors}");
}
