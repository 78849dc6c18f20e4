//! The keeper's promises, seen from outside: it obeys its lines, and nothing that it started outlives it.

// `allow-unwrap-in-tests` does not reach the helpers of integration tests.
#![allow(clippy::unwrap_used)]

mod keeper_harness;

use std::time::{Duration, Instant};

use keeper_harness::{Keeper, LONG, allowed_cpus, signal, state, wait_until};
use steelyard_engine::clock::{Clock, Monotonic};

/// A server with a child in its own group, one that left the group, and one that left parent, group and session.
const FAMILY: &str = "
    sleep 1000 &
    setsid sleep 1000 &
    (setsid sh -c 'sleep 1000 & sleep 1000 & wait' &)
    trap '' TERM HUP INT
    echo $$ > $KEEPER_TEST_FOLDER/ready
    while :; do sleep 0.1; done";

const SPIN: &str = "echo $$ > $KEEPER_TEST_FOLDER/ready; while :; do :; done";

fn first_cpu_ns(keeper: &mut Keeper) -> u64 {
    keeper.ask("cpu", "cpu")[0]["cpu_ns"].as_u64().unwrap()
}

#[test]
#[ignore = "not a test: the part of the lab, played by a copy of this program"]
fn plays_the_lab() {
    keeper_harness::play_lab();
}

#[test]
fn the_command_is_started_with_its_output_in_the_log() {
    let mut keeper = Keeper::of("echo out; echo err >&2; echo $$ > $KEEPER_TEST_FOLDER/ready; sleep 1000");
    let pid = keeper.expect("started");
    assert_eq!(pid, keeper.number_from("ready"));
    assert_eq!(std::fs::read_to_string(keeper.file("log")).unwrap(), "out\nerr\n");
    keeper.ask("stop 5", "stopped");
}

#[test]
fn killing_what_holds_the_input_kills_all() {
    let mut keeper = Keeper::of_below_a_lab(FAMILY);
    keeper.number_from("ready");
    wait_until("the family is complete", LONG, || keeper.alive().len() >= 9);
    keeper.starter.kill().unwrap();
    keeper.starter.wait().unwrap();
    keeper.wait_until_none_is_alive();
}

#[test]
fn killing_what_holds_the_input_kills_all_while_frozen() {
    let mut keeper = Keeper::of_below_a_lab(FAMILY);
    keeper.expect("started");
    keeper.number_from("ready");
    keeper.ask("freeze", "frozen");
    keeper.starter.kill().unwrap();
    keeper.starter.wait().unwrap();
    keeper.wait_until_none_is_alive();
}

#[test]
fn end_of_input_kills_all() {
    let mut keeper = Keeper::of(FAMILY);
    keeper.number_from("ready");
    keeper.close_input();
    keeper.wait_until_none_is_alive();
    assert_eq!(keeper.ended().code(), Some(0));
}

#[test]
fn sigterm_and_sigint_to_the_keeper_kill_all() {
    for (number, code) in [(libc::SIGTERM, 143), (libc::SIGINT, 130)] {
        let mut keeper = Keeper::of(FAMILY);
        keeper.number_from("ready");
        signal(keeper.starter.id().cast_signed(), number);
        keeper.wait_until_none_is_alive();
        assert_eq!(keeper.ended().code(), Some(code));
    }
}

#[test]
fn kill_9_of_the_keeper_or_of_its_guard_kills_all() {
    for victim in ["guard", "keeper"] {
        let mut keeper = Keeper::of(FAMILY);
        keeper.expect("started");
        keeper.number_from("ready");
        keeper.ask("freeze", "frozen");
        let guard = keeper.starter.id().cast_signed();
        signal(
            if victim == "guard" { guard } else { keeper.own_process() },
            libc::SIGKILL,
        );
        keeper.wait_until_none_is_alive();
    }
}

#[test]
fn a_last_command_runs_after_all_have_ended_even_where_guard_or_keeper_is_killed() {
    for victim in ["lab", "guard", "keeper", "none"] {
        let last = r#"echo last >> "$KEEPER_TEST_FOLDER/last""#;
        let argv = ["sh", "-c", FAMILY];
        let mut keeper = Keeper::start(&["--afterwards", last, "--"], &argv, victim == "lab");
        keeper.expect("started");
        keeper.number_from("ready");
        match victim {
            "lab" => keeper.starter.kill().unwrap(),
            "guard" => signal(keeper.starter.id().cast_signed(), libc::SIGKILL),
            "keeper" => signal(keeper.own_process(), libc::SIGKILL),
            _ => keeper.close_input(),
        }
        let written = keeper.folder.path().join("last");
        wait_until("the last command ran", LONG, || {
            std::fs::read_to_string(&written).is_ok_and(|text| text == "last\n")
        });
        keeper.wait_until_none_is_alive();
    }
}

#[test]
fn processes_that_fork_without_end_are_all_killed() {
    let mut keeper = Keeper::of(
        "echo $$ > $KEEPER_TEST_FOLDER/ready
         while [ $(date +%s) -lt $KEEPER_TEST_END ]; do (setsid sleep 2 &); (sleep 1 &); done",
    );
    keeper.number_from("ready");
    std::thread::sleep(Duration::from_millis(200));
    keeper.close_input();
    keeper.wait_until_none_is_alive();
}

#[test]
fn a_process_that_forks_and_leaves_its_session_over_and_over_is_caught() {
    let hop = "echo >> $KEEPER_TEST_FOLDER/hops; [ $(date +%s) -lt $KEEPER_TEST_END ] && setsid sh $0 & exit 0";
    let mut keeper = Keeper::of(&format!(
        "echo '{hop}' > $KEEPER_TEST_FOLDER/hop; sh $KEEPER_TEST_FOLDER/hop"
    ));
    let hops = || std::fs::read(keeper.file("hops")).map_or(0, |lines| lines.len());
    wait_until("the process hops", LONG, || hops() > 20);
    keeper.close_input();
    keeper.wait_until_none_is_alive();
}

#[test]
fn a_frozen_family_uses_no_cpu_and_goes_on_when_thawed() {
    let mut keeper = Keeper::of(SPIN);
    keeper.expect("started");
    let spinner = keeper.number_from("ready");
    let frozen = keeper.ask("freeze", "frozen");
    assert_eq!(frozen[0]["pid"], spinner);
    assert_eq!(state(spinner), 'T');
    let before = first_cpu_ns(&mut keeper);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(first_cpu_ns(&mut keeper), before);
    // The clocks stood from when all had stopped until just before they went on.
    assert_eq!(frozen[0]["cpu_ns"], before);
    assert_eq!(keeper.ask("thaw", "thawed"), frozen);
    wait_until("it spins again", LONG, || first_cpu_ns(&mut keeper) > before);
    keeper.ask("stop 1", "stopped");
}

#[test]
fn freeze_reaches_children_that_left_their_session_and_those_forked_meanwhile() {
    let mut keeper =
        Keeper::of("echo $$ > $KEEPER_TEST_FOLDER/ready; while :; do (setsid sleep 3 &); sleep 0.01; done");
    keeper.expect("started");
    keeper.number_from("ready");
    std::thread::sleep(Duration::from_millis(200));
    let frozen = keeper.freeze();
    let ours = [keeper.starter.id().cast_signed(), keeper.own_process()];
    let family: Vec<i32> = keeper.alive().into_iter().filter(|pid| !ours.contains(pid)).collect();
    assert_eq!(family.len(), frozen);
    // A parent in vfork waits in the kernel (D) for a child that was stopped before it ran its program.
    let states: Vec<char> = family.iter().map(|&pid| state(pid)).collect();
    assert!(states.iter().all(|state| matches!(state, 'T' | 'D')), "{states:?}");
    assert_eq!(keeper.ask("thaw", "thawed").as_array().unwrap().len(), frozen);
    keeper.close_input();
    keeper.wait_until_none_is_alive();
}

#[test]
fn pin_moves_the_threads_that_are_there_and_those_to_come() {
    let program = std::env::current_exe().unwrap();
    let helper = [
        program.to_str().unwrap(),
        "--exact",
        "starts_threads",
        "--ignored",
        "--nocapture",
    ];
    let mut keeper = Keeper::start(&["--"], &helper, false);
    keeper.expect("started");
    let pid = keeper.number_from("threads");
    assert_eq!(keeper.ask("pin 0", "pinned"), 1);
    assert!(allowed_cpus(pid).len() >= 4);
    assert!(
        allowed_cpus(pid).iter().all(|list| list == "0"),
        "{:?}",
        allowed_cpus(pid)
    );
    std::fs::write(keeper.file("go-on"), "").unwrap();
    keeper.number_from("more-threads");
    let lists = allowed_cpus(pid);
    assert!(lists.len() >= 8 && lists.iter().all(|list| list == "0"), "{lists:?}");
    keeper.ask("stop 5", "stopped");
}

#[test]
#[ignore = "not a test: a process with threads, started by another test"]
fn starts_threads() {
    let Ok(folder) = std::env::var("KEEPER_TEST_FOLDER") else {
        return;
    };
    let file = |name: &str| std::path::Path::new(&folder).join(name);
    let start = || (0..4).for_each(|_| drop(std::thread::spawn(|| std::thread::sleep(Duration::from_secs(1000)))));
    start();
    std::fs::write(file("threads"), std::process::id().to_string()).unwrap();
    wait_until("the test says go on", LONG, || file("go-on").exists());
    start();
    std::fs::write(file("more-threads"), "1").unwrap();
    std::thread::sleep(Duration::from_secs(1000));
}

#[test]
fn processors_given_at_the_start_hold_from_the_first_instruction() {
    let script = "grep Cpus_allowed_list /proc/self/status; echo 1 > $KEEPER_TEST_FOLDER/ready";
    let mut keeper = Keeper::start(&["--cpus", "0", "--"], &["sh", "-c", script], false);
    keeper.number_from("ready");
    assert!(std::fs::read_to_string(keeper.file("log")).unwrap().ends_with("\t0\n"));
    keeper.close_input();
    keeper.ended();
}

#[test]
fn a_processor_that_is_not_there_is_an_error() {
    let mut keeper = Keeper::of("exec sleep 1000");
    keeper.expect("started");
    assert!(keeper.ask("pin 0,1000", "error").as_str().unwrap().contains("1000"));
    keeper.close_input();

    let mut at_start = Keeper::start(&["--cpus", "0,1000", "--"], &["true"], false);
    assert_eq!(at_start.ended().code(), Some(1));
    assert!(at_start.errors().contains("processor 1000"));
}

#[test]
fn cpu_tells_each_process_by_name_with_its_time_and_memory() {
    let mut keeper = Keeper::of("sleep 1000 & while :; do :; done");
    keeper.expect("started");
    wait_until(
        "the spinner has used a tenth of a second beside its idle child",
        LONG,
        || {
            let answer = keeper.ask("cpu", "cpu");
            let named = |name: &str| {
                answer
                    .as_array()
                    .unwrap()
                    .iter()
                    .find(|process| process["name"] == name)
                    .cloned()
            };
            let (Some(spinner), Some(sleeper)) = (named("sh"), named("sleep")) else {
                return false;
            };
            assert_eq!((&spinner["jit_ns"], &sleeper["jit_ns"]), (&0.into(), &0.into()));
            assert!(spinner["rss_bytes"].as_u64().unwrap() > 0 && spinner["pid"].as_i64().unwrap() > 0);
            assert!(sleeper["cpu_ns"].as_u64().unwrap() < 100_000_000);
            spinner["cpu_ns"].as_u64().unwrap() > 100_000_000
        },
    );
    keeper.ask("stop 1", "stopped");
}

#[test]
fn the_time_of_compiler_threads_is_told_apart_and_never_falls() {
    let program = std::env::current_exe().unwrap();
    let helper = [
        program.to_str().unwrap(),
        "--exact",
        "compiles",
        "--ignored",
        "--nocapture",
    ];
    let mut keeper = Keeper::start(&["--"], &helper, false);
    keeper.expect("started");
    let jit_ns = |keeper: &mut Keeper| keeper.ask("cpu", "cpu")[0]["jit_ns"].as_u64().unwrap();
    wait_until("the compiler thread has run", LONG, || jit_ns(&mut keeper) > 50_000_000);
    let before = jit_ns(&mut keeper);
    std::fs::write(keeper.file("go-on"), "").unwrap();
    keeper.number_from("compiler-ended");
    assert!(jit_ns(&mut keeper) >= before);
    keeper.ask("stop 1", "stopped");
}

#[test]
#[ignore = "not a test: a process with a thread named as HotSpot names its compilers, started by another test"]
fn compiles() {
    let Ok(folder) = std::env::var("KEEPER_TEST_FOLDER") else {
        return;
    };
    let file = move |name: &str| std::path::Path::new(&folder).join(name);
    let go_on = file("go-on");
    let spin = move || while !go_on.exists() {};
    std::thread::Builder::new()
        .name("C2 CompilerThread0".into())
        .spawn(spin)
        .unwrap()
        .join()
        .unwrap();
    std::fs::write(file("compiler-ended"), "1").unwrap();
    std::thread::sleep(Duration::from_secs(1000));
}

#[test]
fn stop_lets_the_command_end_by_itself() {
    let mut keeper =
        Keeper::of("trap 'echo bye; exit 3' TERM; echo $$ > $KEEPER_TEST_FOLDER/ready; while :; do sleep 0.05; done");
    keeper.expect("started");
    keeper.number_from("ready");
    assert_eq!(keeper.ask("stop 30", "stopped"), 0);
    assert!(std::fs::read_to_string(keeper.file("log")).unwrap().contains("bye"));
    assert_eq!(keeper.ended().code(), Some(0));
    keeper.wait_until_none_is_alive();
}

#[test]
fn stop_wakes_a_frozen_command_so_that_it_can_end_by_itself() {
    let mut keeper =
        Keeper::of("trap 'echo bye; exit' TERM; echo $$ > $KEEPER_TEST_FOLDER/ready; while :; do sleep 0.05; done");
    keeper.expect("started");
    keeper.number_from("ready");
    keeper.ask("freeze", "frozen");
    assert_eq!(keeper.ask("stop 30", "stopped"), 0);
    assert!(std::fs::read_to_string(keeper.file("log")).unwrap().contains("bye"));
}

#[test]
fn stop_kills_those_that_will_not_end_and_counts_them() {
    let mut keeper = Keeper::of(
        "trap '' TERM; sleep 1000 & (setsid sleep 1000 &); echo $$ > $KEEPER_TEST_FOLDER/ready; while :; do :; done",
    );
    keeper.expect("started");
    keeper.number_from("ready");
    wait_until("three processes run", LONG, || keeper.alive().len() == 3 + 2);
    let begin = Instant::now();
    assert_eq!(keeper.ask("stop 0.3", "stopped"), 3);
    assert!(begin.elapsed() >= Duration::from_millis(300), "it was patient");
    assert_eq!(keeper.ended().code(), Some(0));
    keeper.wait_until_none_is_alive();
}

#[test]
fn end_of_input_ends_the_patience_of_stop() {
    let mut keeper = Keeper::of("trap '' TERM; echo $$ > $KEEPER_TEST_FOLDER/ready; while :; do sleep 0.1; done");
    keeper.expect("started");
    keeper.number_from("ready");
    keeper.say("stop 1000");
    std::thread::sleep(Duration::from_millis(100));
    keeper.close_input();
    keeper.wait_until_none_is_alive();
}

#[test]
fn the_end_of_the_command_is_told_unasked_and_the_keeper_stays() {
    let mut keeper = Keeper::of("(setsid sleep 1000 &); exit 7");
    keeper.expect("started");
    assert_eq!(keeper.expect("exited"), serde_json::json!({"code": 7, "signal": null}));
    assert_eq!(keeper.freeze(), 1);
    assert_eq!(keeper.ask("stop 30", "stopped"), 0);

    let killed = Keeper::of("kill -9 $$");
    killed.expect("started");
    assert_eq!(killed.expect("exited"), serde_json::json!({"code": null, "signal": 9}));
}

#[test]
fn orphans_that_end_do_not_stay_as_zombies() {
    let mut keeper =
        Keeper::of("for i in 1 2 3 4 5; do (sleep 0.05 &); done; echo $$ > $KEEPER_TEST_FOLDER/ready; sleep 1000");
    keeper.expect("started");
    keeper.number_from("ready");
    let this = keeper.own_process();
    let children = || std::fs::read_to_string(format!("/proc/{this}/task/{this}/children")).unwrap();
    wait_until("only the command is left", LONG, || {
        children().split_whitespace().count() == 1
    });
    keeper.ask("stop 5", "stopped");
}

#[test]
fn a_wrong_line_is_answered_by_an_error_and_changes_nothing() {
    let mut keeper = Keeper::of("exec sleep 1000");
    keeper.expect("started");
    for line in ["", "freez", "pin zero", "stop", "cpu 1"] {
        assert!(keeper.ask(line, "error").is_string());
    }
    assert!(keeper.ask(&"x".repeat(5000), "error").is_string());
    keeper.close_input();
    assert_eq!(keeper.ended().code(), Some(0));
}

#[test]
fn a_command_that_is_not_there_is_one_clear_sentence() {
    let mut keeper = Keeper::start(&["--"], &["/no/such/server"], false);
    assert_eq!(keeper.ended().code(), Some(127));
    let errors = keeper.errors();
    assert!(
        errors.contains("cannot start /no/such/server: No such file or directory"),
        "{errors}"
    );
    assert_eq!(errors.lines().count(), 1);
}

#[test]
fn a_log_that_cannot_be_written_is_one_clear_sentence() {
    let keeper = std::process::Command::new(env!("CARGO_BIN_EXE_steelyard-keeper"))
        .args(["--log", "/no/such/folder/log", "--", "true"])
        .output()
        .unwrap();
    assert_eq!(keeper.status.code(), Some(1));
    assert_eq!(
        String::from_utf8_lossy(&keeper.stderr),
        "steelyard-keeper: cannot write the log /no/such/folder/log: No such file or directory (os error 2)\n"
    );
}

#[test]
fn the_command_inherits_no_blocked_signals_and_no_files() {
    // Without a shell, which would unblock signals and close files for its own children.
    let mut keeper = Keeper::start(&["--"], &["grep", "SigBlk", "/proc/self/status"], false);
    keeper.expect("started");
    keeper.expect("exited");
    assert_eq!(
        std::fs::read_to_string(keeper.file("log")).unwrap(),
        "SigBlk:\t0000000000000000\n"
    );

    let other = Keeper::start(&["--"], &["ls", "/proc/self/fd"], false);
    other.expect("started");
    other.expect("exited");
    // The fourth is the folder that `ls` reads.
    assert_eq!(std::fs::read_to_string(other.file("log")).unwrap(), "0\n1\n2\n3\n");
    keeper.close_input();
}

#[test]
fn it_tells_the_time_between_a_lines_coming_and_its_answers_going_by_both_clocks() {
    let now = || {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        [u64::try_from(since.unwrap().as_nanos()).unwrap(), Monotonic.now()]
    };
    let mut keeper = Keeper::of("sleep 1000");
    keeper.expect("started");
    let before = now();
    let answer = keeper.ask("time", "time");
    let after = now();
    for (clock, names) in [
        ["received_ns", "sent_ns"],
        ["received_monotonic_ns", "sent_monotonic_ns"],
    ]
    .iter()
    .enumerate()
    {
        let [received, sent] = names.map(|name| answer[name].as_u64().unwrap());
        assert!(
            before[clock] <= received && received <= sent && sent <= after[clock],
            "{before:?} {answer} {after:?}"
        );
    }
}

#[test]
fn who_is_not_heard_of_for_too_long_loses_all_though_the_input_is_open() {
    let mut keeper = Keeper::start(&["--unheard", "1", "--"], &["sh", "-c", FAMILY], false);
    keeper.number_from("ready");
    assert_eq!(keeper.ended().code(), Some(4));
    keeper.wait_until_none_is_alive();
}

#[test]
fn a_beat_is_heard_and_not_answered() {
    let mut keeper = Keeper::start(&["--unheard", "4", "--"], &["sleep", "1000"], false);
    keeper.expect("started");
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(6) {
        keeper.say("beat");
        std::thread::sleep(Duration::from_millis(100));
    }
    keeper.ask("cpu", "cpu"); // the first answer after all of them
    keeper.close_input();
}
