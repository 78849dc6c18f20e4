//! What the keeper does upon signals that it does not wait for: what the system does by default, whoever started it.

/// Gives every signal back its default. To be called before anything else.
///
/// Whoever ignores a signal passes that on to all that it starts: with SIGCHLD ignored no end of a child would ever be
/// told, and a server would never see a SIGTERM. The command inherits the defaults from us; SIGPIPE, which Rust's own
/// start ignores, it gets back when it is started.
pub fn reset() {
    for number in (1..=libc::SIGRTMAX()).filter(|&number| number != libc::SIGPIPE) {
        // SAFETY: the default is no function of ours. What cannot be set, as SIGKILL, is refused, which does no harm.
        unsafe { libc::signal(number, libc::SIG_DFL) };
    }
}
