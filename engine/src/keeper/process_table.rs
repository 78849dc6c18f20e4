//! What /proc says of the processes that descend from this one.

use std::collections::{HashMap, HashSet};
use std::fs;

/// Walks that may differ from the one before until a changing family is taken as it is.
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
}

impl Process {
    /// Ended, and only waiting for its parent to take note.
    pub fn is_dead(&self) -> bool {
        matches!(self.state, 'Z' | 'X' | 'x')
    }
}

/// All living descendants of this process, taken when two walks in a row found the same.
///
/// One walk is not a snapshot: the children of a process that dies meanwhile are seen under a parent that is no longer
/// there, and come to us only in the next walk.
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

fn living_descendants() -> Vec<Process> {
    let mut family = family_of(std::process::id().cast_signed(), all_processes());
    family.retain(|process| !process.is_dead());
    family.sort_unstable_by_key(|process| process.pid);
    family
}

fn all_processes() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter(|entry| entry.file_name().as_encoded_bytes()[0].is_ascii_digit())
        .filter_map(|entry| fs::read_to_string(entry.path().join("stat")).ok())
        .filter_map(|line| parse_stat(&line))
        .collect()
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
    let mut fields = rest.split(' ');
    Some(Process {
        pid: before_name.parse().ok()?,
        name: name.to_owned(),
        state: fields.next()?.chars().next()?,
        parent: fields.next()?.parse().ok()?,
        group: fields.next()?.parse().ok()?,
        session: fields.next()?.parse().ok()?,
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
pub fn thread_states(pid: i32) -> Vec<char> {
    threads(pid)
        .into_iter()
        .filter_map(|thread| fs::read_to_string(format!("/proc/{pid}/task/{thread}/stat")).ok())
        .filter_map(|line| parse_stat(&line).map(|thread| thread.state))
        .collect()
}

/// Our own living children, found without a walk over all processes where the kernel lists them.
pub fn own_children() -> Vec<i32> {
    let this = std::process::id().cast_signed();
    match fs::read_to_string(format!("/proc/{this}/task/{this}/children")) {
        Ok(list) => list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect(),
        Err(_) => all_processes()
            .into_iter()
            .filter(|process| process.parent == this)
            .map(|process| process.pid)
            .collect(),
    }
}

/// Process groups of the family that lie outside our own session, so that no stranger is in them.
pub fn own_groups(family: &[Process]) -> HashSet<i32> {
    let Ok(our_session) = nix::unistd::getsid(None) else {
        return HashSet::new();
    };
    family
        .iter()
        .filter(|process| process.session != our_session.as_raw())
        .map(|process| process.group)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: i32, parent: i32) -> Process {
        Process {
            pid,
            name: "p".to_owned(),
            state: 'S',
            parent,
            group: pid,
            session: pid,
        }
    }

    #[test]
    fn a_name_with_brackets_and_spaces_is_read_whole() {
        let read = parse_stat("42 (a) b (c) T 1 7 6 0 -1").unwrap();
        assert_eq!((read.pid, read.name.as_str(), read.state), (42, "a) b (c", 'T'));
        assert_eq!((read.parent, read.group, read.session), (1, 7, 6));
    }

    #[test]
    fn a_line_cut_short_is_no_process() {
        for line in ["", "42", "42 (sh", "42 (sh) S", "42 (sh) S 1 2"] {
            assert_eq!(parse_stat(line), None);
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
