//! The descendants of this process, from /proc.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// The most walks that differ from the one before; after that, the last walk is taken.
const MOST_WALKS: usize = 20;

/// One line of /proc/PID/stat, as far as the keeper needs it.
#[derive(Debug, Clone, PartialEq)]
pub struct Process {
    pub pid: i32,
    pub name: String,
    pub state: char,
    pub parent: i32,
    pub group: i32,
    pub session: i32,
    pub thread_count: u32,
    /// Clock ticks from boot to its start, which tell it from a later process with the same id.
    pub start_ticks: u64,
}

impl Process {
    /// Ended, and not yet reaped by its parent. A process whose first thread has ended is not, as long as other threads
    /// run.
    pub fn is_dead(&self) -> bool {
        matches!(self.state, 'Z' | 'X' | 'x') && self.thread_count <= 1
    }

    /// Whether the id still belongs to this process, dead or alive.
    pub fn is_still_there(&self) -> bool {
        process(self.pid).is_some_and(|now| now.start_ticks == self.start_ticks)
    }
}

/// All living descendants of this process, taken when two walks in a row found the same.
///
/// One walk is not a snapshot: the children of a process that dies meanwhile still have a parent that is no longer
/// there, and become ours only in the next walk.
pub fn descendants() -> Vec<Process> {
    let mut known = living_descendants();
    for _ in 0..MOST_WALKS {
        let again = living_descendants();
        let same = again.len() == known.len() && again.iter().zip(&known).all(|(one, other)| one.pid == other.pid);
        known = again;
        if same {
            break;
        }
    }
    known
}

/// All living descendants of this process as one walk finds them.
pub fn living_descendants() -> Vec<Process> {
    let mut family = all_descendants();
    family.retain(|process| !process.is_dead());
    family
}

/// All descendants of this process as one walk finds them, those among them that have ended too.
///
/// The walk follows the kernel's lists of children, if it keeps them: reading every process of the machine would cost
/// milliseconds at each edge of a turn. Such a list may miss a process whose sibling ends meanwhile, as any walk may; it is exact
/// for processes that are stopped.
pub fn all_descendants() -> Vec<Process> {
    let this = std::process::id().cast_signed();
    let mut family = match children(this) {
        Some(children) => family_below(children),
        None => family_of(this, all_processes()),
    };
    family.sort_unstable_by_key(|process| process.pid);
    family
}

/// The processes with these ids and their descendants, by the lists of children.
fn family_below(children_of_ours: Vec<i32>) -> Vec<Process> {
    let mut waiting = children_of_ours;
    let mut family: Vec<Process> = Vec::new();
    while let Some(pid) = waiting.pop() {
        // A process that became our orphan during the walk may occur twice.
        if family.iter().any(|process| process.pid == pid) {
            continue;
        }
        if let Some(process) = process(pid) {
            family.push(process);
            waiting.extend(children(pid).unwrap_or_default());
        }
    }
    family
}

/// The children of all threads of a process; None if the kernel keeps no list of them.
fn children(pid: i32) -> Option<Vec<i32>> {
    let mut found = Vec::new();
    for thread in threads(pid) {
        match fs::read_to_string(format!("/proc/{pid}/task/{thread}/children")) {
            Ok(list) => found.extend(list.split_whitespace().filter_map(|pid| pid.parse::<i32>().ok())),
            // A thread that has ended meanwhile has passed its children on; our own has not ended.
            Err(_) if pid != std::process::id().cast_signed() => {}
            Err(_) => return None,
        }
    }
    Some(found)
}

/// Every process that /proc shows.
pub fn all_processes() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter(|entry| entry.file_name().as_encoded_bytes()[0].is_ascii_digit())
        .filter_map(|entry| read_stat(&entry.path().join("stat")))
        .collect()
}

/// The process with this id, if there is one.
pub fn process(pid: i32) -> Option<Process> {
    read_stat(Path::new(&format!("/proc/{pid}/stat")))
}

fn read_stat(path: &Path) -> Option<Process> {
    parse_stat(&text_of(path)?)
}

/// A file of /proc as text, None when its process has ended. A process may name itself in bytes that are not UTF-8.
pub fn text_of(path: impl AsRef<Path>) -> Option<String> {
    Some(String::from_utf8_lossy(&fs::read(path).ok()?).into_owned())
}

/// The descendants of `ancestor` among `processes`, without itself.
fn family_of(ancestor: i32, processes: Vec<Process>) -> Vec<Process> {
    let mut children: HashMap<i32, Vec<Process>> = HashMap::new();
    for process in processes {
        children.entry(process.parent).or_default().push(process);
    }
    let mut family = children.remove(&ancestor).unwrap_or_default();
    let mut next = 0;
    while next < family.len() {
        let pid = family[next].pid;
        family.extend(children.remove(&pid).unwrap_or_default());
        next += 1;
    }
    family
}

/// Reads a line of /proc/PID/stat. The name stands in brackets and may hold any character, brackets too.
pub fn parse_stat(line: &str) -> Option<Process> {
    let (before_name, rest) = line.split_once(" (")?;
    let (name, rest) = rest.rsplit_once(") ")?;
    let mut fields = rest.split_ascii_whitespace();
    Some(Process {
        pid: before_name.parse().ok()?,
        name: name.to_owned(),
        state: fields.next()?.chars().next()?,
        parent: fields.next()?.parse().ok()?,
        group: fields.next()?.parse().ok()?,
        session: fields.next()?.parse().ok()?,
        // The 20th and the 22nd field of the line; the session is the 6th.
        thread_count: fields.nth(13)?.parse().ok()?,
        start_ticks: fields.nth(1)?.parse().ok()?,
    })
}

/// The ids of a process's threads; empty when it has ended.
pub fn threads(pid: i32) -> Vec<i32> {
    let Ok(entries) = fs::read_dir(format!("/proc/{pid}/task")) else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}

/// The states of a process's threads; empty when it has ended.
pub fn thread_states(pid: i32) -> impl Iterator<Item = char> {
    threads(pid)
        .into_iter()
        .filter_map(move |thread| read_stat(Path::new(&format!("/proc/{pid}/task/{thread}/stat"))))
        .map(|thread| thread.state)
}

/// Our own children.
pub fn own_children() -> Vec<i32> {
    let this = std::process::id().cast_signed();
    children(this).unwrap_or_else(|| {
        let ours = |process: &Process| process.parent == this;
        all_processes()
            .into_iter()
            .filter(ours)
            .map(|process| process.pid)
            .collect()
    })
}

/// Process groups of the family that are led by a child of ours, outside our own session, so that no stranger is in them.
///
/// Neither the child's id nor its group's can be used again before we reap it.
pub fn groups_of_own_children(family: &[Process]) -> Vec<i32> {
    let Ok(our_session) = nix::unistd::getsid(None) else {
        return Vec::new();
    };
    let this = std::process::id().cast_signed();
    family
        .iter()
        .filter(|process| process.parent == this && process.group == process.pid)
        .filter(|process| process.session != our_session.as_raw())
        .map(|process| process.group)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "42 (a) b (c) T 1 7 6 0 -1 0 10 11 12 13 14 15 16 17 20 0 3 0 9955";

    fn process(pid: i32, parent: i32) -> Process {
        Process {
            pid,
            name: "p".to_owned(),
            state: 'S',
            parent,
            group: pid,
            session: pid,
            thread_count: 1,
            start_ticks: 0,
        }
    }

    #[test]
    fn a_name_with_brackets_and_spaces_is_read_whole() {
        let read = parse_stat(LINE).unwrap();
        assert_eq!((read.pid, read.name.as_str(), read.state), (42, "a) b (c", 'T'));
        assert_eq!((read.parent, read.group, read.session), (1, 7, 6));
        assert_eq!((read.thread_count, read.start_ticks), (3, 9955));
    }

    #[test]
    fn a_process_is_dead_once_none_of_its_threads_runs() {
        let mut ended = process(1, 0);
        ended.state = 'Z';
        assert!(ended.is_dead());
        ended.thread_count = 2;
        assert!(!ended.is_dead());
    }

    #[test]
    fn an_id_that_came_again_is_another_process() {
        let this = super::process(std::process::id().cast_signed()).unwrap();
        assert!(this.is_still_there());
        let earlier = Process {
            start_ticks: this.start_ticks - 1,
            ..this
        };
        assert!(!earlier.is_still_there());
    }

    #[test]
    fn a_line_cut_short_is_no_process() {
        for length in 0..LINE.rfind(' ').unwrap() {
            assert_eq!(parse_stat(&LINE[..length]), None, "{}", &LINE[..length]);
        }
    }

    #[test]
    fn the_family_holds_every_generation_and_no_stranger() {
        let processes = vec![
            process(5, 4),
            process(2, 1),
            process(4, 2),
            process(9, 8),
            process(3, 1),
        ];
        let mut pids: Vec<i32> = family_of(1, processes).iter().map(|member| member.pid).collect();
        pids.sort_unstable();
        assert_eq!(pids, [2, 3, 4, 5]);
    }

    #[test]
    fn a_circle_of_parents_does_not_hang_the_walk() {
        assert!(family_of(1, vec![process(7, 8), process(8, 7)]).is_empty());
    }
}
