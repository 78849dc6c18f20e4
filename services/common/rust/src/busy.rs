//! The planted slow-down: spinning for so many microseconds of processor time.

use std::time::Duration;

/// A header costs its sender nothing, so it must not cost the server much more.
const MOST: Duration = Duration::from_secs(1);

/// The time that the header asks for: a decimal number of microseconds, up to a million.
pub fn microseconds(text: &str) -> Option<Duration> {
    let micros: f64 = text.parse().ok()?;
    Duration::try_from_secs_f64(micros / 1e6)
        .ok()
        .filter(|time| *time <= MOST)
}

/// Spins until this thread has used so much more processor time.
pub fn stay_busy(time: Duration) {
    let end = thread_time() + time;
    while thread_time() < end {}
}

fn thread_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes only to `time`, which outlives it.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_may_have_decimals_and_must_be_a_time() {
        assert_eq!(microseconds("1.8"), Some(Duration::from_nanos(1800)));
        assert_eq!(microseconds("1000000"), Some(MOST));
        assert_eq!(microseconds("20000"), Some(Duration::from_millis(20)));
        for wrong in ["", "-1", "NaN", "1e300", "a while", "1000000.5"] {
            assert_eq!(microseconds(wrong), None, "{wrong}");
        }
    }
}
