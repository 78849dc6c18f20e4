//! The process's limit of open files.

/// Lets the process open as many files as the system allows it, since every connection is one.
pub fn raise_file_limit() {
    // SAFETY: the limit is a valid place to read to and write from. Where it cannot be raised, running out is reported.
    unsafe {
        let mut limit = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        if libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) == 0 {
            limit.rlim_cur = limit.rlim_max;
            libc::setrlimit(libc::RLIMIT_NOFILE, &limit);
        }
    }
}
