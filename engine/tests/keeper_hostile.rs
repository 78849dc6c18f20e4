//! What the keeper keeps of its promises when it is killed itself, and when processes hide, hold on or were left deaf.

// `allow-unwrap-in-tests` does not reach the helpers of integration tests.
#![allow(clippy::unwrap_used)]

mod keeper_harness;

use std::time::{Duration, Instant};

use serde_json::Value;

use keeper_harness::{Keeper, LONG, allowed_cpus, first_child, signal, state, wait_until};

/// Grandchildren in and outside the command's session; one of them has no environment.
const GRANDCHILDREN: &str = "
    sleep 1000 &
    (setsid sh -c 'sleep 1000 & wait' &)
    env -i sleep 100 &
    echo $! > $KEEPER_TEST_FOLDER/bare
    wait";

/// Stops the guard and the keeper first, so that neither can act before both are killed.
fn kill_lab_guard_and_keeper(keeper: &mut Keeper) {
    let guard = first_child(keeper.starter.id().cast_signed());
    let own = first_child(guard);
    for pid in [guard, own] {
        signal(pid, libc::SIGSTOP);
        wait_until("it has stopped", LONG, || state(pid) == 'T');
    }
    for pid in [keeper.starter.id().cast_signed(), guard, own] {
        signal(pid, libc::SIGKILL);
    }
    keeper.starter.wait().unwrap();
    wait_until("both are gone", LONG, || {
        [guard, own].iter().all(|&pid| state(pid) == 'Z')
    });
}

/// What `cpu` says of the process with this id.
fn use_of(keeper: &mut Keeper, pid: i32) -> Value {
    let answer = keeper.ask("cpu", "cpu");
    let processes = answer.as_array().unwrap();
    processes.iter().find(|process| process["pid"] == pid).unwrap().clone()
}

fn comm(pid: i32) -> Vec<u8> {
    std::fs::read(format!("/proc/{pid}/comm")).unwrap()
}

#[test]
#[ignore = "not a test: the part of the lab, played by a copy of this program"]
fn plays_the_lab() {
    keeper_harness::play_lab();
}

#[test]
fn what_outlives_lab_guard_and_keeper_is_ended_by_the_next_keeper_and_nothing_else_is() {
    let mut bystander = Keeper::of(GRANDCHILDREN);
    bystander.number_from("bare");
    wait_until("the bystander's family is complete", LONG, || {
        bystander.alive().len() == 2 + 4
    });

    let mut killed = Keeper::of_below_a_lab(GRANDCHILDREN);
    let bare = killed.number_from("bare");
    wait_until("the family is complete", LONG, || killed.alive().len() == 3 + 4);
    kill_lab_guard_and_keeper(&mut killed);
    wait_until("the command has died with its keeper", LONG, || {
        killed.alive().len() == 3
    });
    assert_ne!(state(bare), 'Z');

    let mut next = Keeper::of("exec sleep 1000");
    next.expect("started");
    assert!(killed.alive().is_empty(), "{:?}", killed.alive());
    assert_eq!(state(bare), 'Z');
    assert_eq!(bystander.alive().len(), 2 + 4);
    next.ask("stop 5", "stopped");
    bystander.close_input();
    bystander.wait_until_none_is_alive();
}

#[test]
fn a_process_that_cannot_be_ended_is_named_within_bounds_and_the_end_is_no_success() {
    let mut keeper = Keeper::of("sleep 1000 & echo $! > $KEEPER_TEST_FOLDER/held; wait");
    keeper.expect("started");
    let held = keeper.number_from("held");
    wait_until("it runs its program", LONG, || comm(held) == b"sleep\n");
    // A tracer that takes no note of its end keeps it from being gone, as the kernel does where it waits for a disk.
    // SAFETY: passes numbers and null pointers only.
    let seized = unsafe { libc::ptrace(libc::PTRACE_SEIZE, held, 0, 0) };
    assert_eq!(seized, 0, "{}", std::io::Error::last_os_error());

    let sentence = format!("not ended by SIGKILL: process {held} (sleep) in state Z");
    let answer = keeper.ask("stop 0", "error");
    assert!(answer.as_str().unwrap().starts_with(&sentence), "{answer}");
    assert_eq!(keeper.ended().code(), Some(3));
    assert!(keeper.errors().starts_with(&format!("steelyard-keeper: {sentence}")));

    // SAFETY: takes note of the end of a process that this thread traces.
    unsafe { libc::waitpid(held, std::ptr::null_mut(), libc::__WALL) };
}

#[test]
fn a_name_that_is_not_utf_8_hides_no_process() {
    let mut keeper = Keeper::of(
        "cp \"$(command -v sleep)\" \"$KEEPER_TEST_FOLDER/$(printf 'a\\377b')\"
         cd $KEEPER_TEST_FOLDER
         ./$(printf 'a\\377b') 1000 & echo $! > $KEEPER_TEST_FOLDER/named; wait",
    );
    keeper.expect("started");
    let named = keeper.number_from("named");
    wait_until("it runs its program", LONG, || comm(named) == b"a\xffb\n");
    assert_eq!(use_of(&mut keeper, named)["name"], "a\u{fffd}b");
    assert_eq!(keeper.ask("pin 0", "pinned"), 2);
    assert_eq!(allowed_cpus(named), ["0"]);
    assert_eq!(keeper.freeze(), 2);
    assert_eq!(state(named), 'T');
    keeper.ask("stop 5", "stopped");
}

#[test]
fn a_process_whose_first_thread_has_ended_is_frozen_pinned_and_counted() {
    let program = std::env::current_exe().unwrap();
    let helper = [
        program.to_str().unwrap(),
        "--exact",
        "ends_its_first_thread",
        "--ignored",
        "--nocapture",
    ];
    let mut keeper = Keeper::start(&["--"], &helper, false);
    keeper.expect("started");
    let pid = keeper.number_from("ending");
    wait_until("its first thread has ended", LONG, || state(pid) == 'Z');

    assert_eq!(keeper.ask("pin 0", "pinned"), 2);
    assert!(allowed_cpus(pid).contains(&"0".to_owned()));
    assert_eq!(keeper.freeze(), 2);
    let frozen = use_of(&mut keeper, pid);
    assert!(frozen["rss_bytes"].as_u64().unwrap() > 0);
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(use_of(&mut keeper, pid)["cpu_ns"], frozen["cpu_ns"]);
    keeper.ask("thaw", "thawed");
    wait_until("its other thread spins again", LONG, || {
        use_of(&mut keeper, pid)["cpu_ns"].as_u64() > frozen["cpu_ns"].as_u64()
    });
    keeper.ask("stop 5", "stopped");
}

#[test]
#[ignore = "not a test: a process whose first thread ends before another, started by another test"]
fn ends_its_first_thread() {
    let Ok(folder) = std::env::var("KEEPER_TEST_FOLDER") else {
        return;
    };
    // SAFETY: of the threads of this program the child has only this one, as its first.
    match unsafe { nix::unistd::fork() }.unwrap() {
        nix::unistd::ForkResult::Parent { child } => {
            std::fs::write(std::path::Path::new(&folder).join("ending"), child.to_string()).unwrap();
            std::thread::sleep(Duration::from_secs(1000));
        }
        nix::unistd::ForkResult::Child => {
            // Bounded, since nobody who looks for leftovers finds a process by its first thread.
            let end = Instant::now() + 2 * LONG;
            std::thread::spawn(move || while Instant::now() < end {});
            // SAFETY: ends this thread alone.
            unsafe { libc::syscall(libc::SYS_exit, 0) };
        }
    }
}

#[test]
fn signals_that_the_starter_ignored_are_heard_by_the_keeper_and_by_the_command() {
    let mut keeper = Keeper::of_below_a_deaf_shell(&["grep", "SigIgn", "/proc/self/status"]);
    keeper.expect("started");
    assert_eq!(keeper.expect("exited"), serde_json::json!({"code": 0, "signal": null}));
    let log = std::fs::read_to_string(keeper.file("log")).unwrap();
    let ignored = u64::from_str_radix(log.trim_start_matches("SigIgn:").trim(), 16).unwrap();
    // The C library keeps signals 32 and 33 to itself.
    assert_eq!(ignored & !(0b11 << 31), 0, "{log}");
    assert_eq!(keeper.ask("stop 5", "stopped"), 0);
    assert_eq!(keeper.ended().code(), Some(0));
}

#[test]
fn each_process_is_told_with_its_start_so_that_an_id_used_again_is_known() {
    let mut keeper = Keeper::of("sleep 1000 & wait");
    let pid = i32::try_from(keeper.expect("started").as_i64().unwrap()).unwrap();
    let line = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let start: u64 = line
        .rsplit(") ")
        .next()
        .unwrap()
        .split(' ')
        .nth(19)
        .unwrap()
        .parse()
        .unwrap();
    assert_eq!(use_of(&mut keeper, pid)["start_ticks"], start);
    keeper.ask("stop 5", "stopped");
}
