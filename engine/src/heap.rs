//! The allocator's settings: what a slice needs goes back to the system at its end.

/// Blocks from this size on are mapped on their own; a histogram has 184 KiB.
#[cfg(target_env = "gnu")]
const MAPPED_BYTES: libc::c_int = 64 * 1024;

/// Has glibc map large blocks on their own, and return them when they are freed. As shipped it raises the size from which it does so
/// with each such block that is freed: the histograms of later slices would stay on the heap, 2 MB for each operation and thread.
pub fn return_large_blocks() {
    #[cfg(target_env = "gnu")]
    // SAFETY: the call sets a number of the allocator, which holds its own lock. It fails only for a number above half of its heap.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, MAPPED_BYTES);
    }
}
