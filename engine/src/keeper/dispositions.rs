//! Resets signals that the keeper does not wait for to the system's default, whatever its parent set.

/// Resets every signal to its default. Call it before anything else.
///
/// A process that ignores a signal passes that on to its children: with SIGCHLD ignored the end of a child would never be
/// reported, and a server would never see a SIGTERM. The command inherits the defaults from us; SIGPIPE, which Rust's
/// runtime ignores, is reset when the command starts.
pub fn reset() {
    for number in (1..=libc::SIGRTMAX()).filter(|&number| number != libc::SIGPIPE) {
        // SAFETY: the default is no function of ours. What cannot be set, as SIGKILL, is refused, which does no harm.
        unsafe { libc::signal(number, libc::SIG_DFL) };
    }
}
