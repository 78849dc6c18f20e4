//! A list of processors as the kernel writes it: `0,2-3`.

use std::fmt;
use std::str::FromStr;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

/// Processors by number, ascending, at least one.
#[derive(Debug, Clone, PartialEq)]
pub struct CpuList(Vec<usize>);

impl FromStr for CpuList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut cpus = Vec::new();
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            match (first.parse::<usize>(), last.parse::<usize>()) {
                (Ok(first), Ok(last)) if first <= last && last < CpuSet::count() => cpus.extend(first..=last),
                _ => return Err(format!("`{text}` is not a list of processors such as 0,2-3")),
            }
        }
        cpus.sort_unstable();
        cpus.dedup();
        Ok(Self(cpus))
    }
}

impl fmt::Display for CpuList {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.0.iter().map(usize::to_string).collect();
        formatter.write_str(&numbers.join(","))
    }
}

impl CpuList {
    /// The set that the kernel takes.
    pub fn to_set(&self) -> CpuSet {
        let mut set = CpuSet::new();
        for &cpu in &self.0 {
            // Cannot fail: `from_str` admits only numbers below the set's size.
            let _ = set.set(cpu);
        }
        set
    }

    /// Tests whether a thread of this process may use all the processors listed, by trying it.
    ///
    /// The kernel silently drops processors that do not exist from a list where others do, so the answer is read back.
    pub fn check(&self) -> Result<(), String> {
        let this_thread = Pid::from_raw(0);
        let sentence = |errno: nix::errno::Errno| format!("processors {self} cannot be used: {errno}");
        let before = sched_getaffinity(this_thread).map_err(sentence)?;
        let set = sched_setaffinity(this_thread, &self.to_set());
        let granted = sched_getaffinity(this_thread);
        let _ = sched_setaffinity(this_thread, &before);
        set.map_err(sentence)?;
        let granted = granted.map_err(sentence)?;
        match self.0.iter().find(|&&cpu| !granted.is_set(cpu).unwrap_or(false)) {
            Some(missing) => Err(format!(
                "processor {missing} of the list {self} is not there or not allowed"
            )),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_single_numbers_make_one_ascending_list() {
        assert_eq!("3,0-1,1".parse::<CpuList>().unwrap().to_string(), "0,1,3");
    }

    #[test]
    fn what_is_not_a_list_is_refused_by_name() {
        for text in ["", "a", "1-", "3-2", "0,,1", "999999", "-1"] {
            assert!(text.parse::<CpuList>().unwrap_err().contains(&format!("`{text}`")));
        }
    }

    #[test]
    fn a_processor_that_is_not_there_is_named() {
        let last = CpuSet::count() - 1;
        assert!(
            format!("0,{last}")
                .parse::<CpuList>()
                .unwrap()
                .check()
                .unwrap_err()
                .contains(&last.to_string())
        );
    }
}
