//! The `spin` command: times a fixed piece of arithmetic by the thread's CPU clock.
//!
//! Machines of the same name may differ, and so may one machine at different hours. The arithmetic needs no memory and waits
//! for nothing, so its time measures the processor's speed alone, without its caches and without time that the host takes.

use std::hint::black_box;
use std::io::{Write, stdout};

use anyhow::Result;

use crate::clock::{Ns, cpu_of_thread};

/// Steps of one round; each waits for the one before it, so that no processor does several at a time.
const STEPS: u64 = 1 << 20;
const ROUNDS: usize = 41;

/// Prints `{"least_us":1400.1,"median_us":1403.5,"rounds":41}`.
pub fn spin() -> Result<()> {
    let mut rounds: Vec<u64> = (0..ROUNDS).map(|round| time_round(round as u64)).collect();
    rounds.sort_unstable();
    let (least, middle) = (rounds[0] as f64 / 1000.0, rounds[ROUNDS / 2] as f64 / 1000.0);
    writeln!(
        stdout(),
        "{{\"least_us\":{least:.1},\"median_us\":{middle:.1},\"rounds\":{ROUNDS}}}"
    )?;
    Ok(())
}

/// CPU time of one round in nanoseconds.
fn time_round(seed: u64) -> Ns {
    let begin = cpu_of_thread();
    black_box(chain(black_box(seed)));
    cpu_of_thread() - begin
}

/// A chain of multiplications and additions: a linear congruential generator.
fn chain(seed: u64) -> u64 {
    (0..black_box(STEPS)).fold(seed, |value, _| {
        value.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_is_done_and_takes_time() {
        assert_ne!(chain(1), chain(2));
        let steps_in_a_nanosecond = STEPS as f64 / time_round(1) as f64;
        assert!(
            steps_in_a_nanosecond < 5.0,
            "a step takes at least a cycle: {steps_in_a_nanosecond}"
        );
    }
}
