//! Closed profiles: the number of active users at any instant.

use crate::clock::{Ns, from_seconds};
use crate::job::Profile;

/// More changes of level would exceed the engine's memory bound.
const MOST_CHANGES: usize = 1_000_000;

/// The instants at which the number of users changes, counted from the beginning of the measured time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Levels {
    /// Instant and number of users from then on; the first is at 0.
    pub changes: Vec<(Ns, u32)>,
    pub length: Ns,
}

impl Levels {
    /// The levels of a closed profile; an open profile has none, which is an error.
    pub fn new(profile: &Profile) -> Result<Self, String> {
        let mut changes = Changes::default();
        let length = match profile {
            Profile::BigBang(p) => {
                changes.add(0.0, p.users)?;
                p.seconds
            }
            Profile::Ramp(p) => {
                // As many holds as there are levels, so that the last one is held as long as the first.
                changes.add(0.0, p.from_users)?;
                let steps = p.from_users.abs_diff(p.to_users);
                changes.climb(0.0, p.from_users, p.to_users, p.seconds / f64::from(steps + 1))?;
                p.seconds
            }
            Profile::Steps(p) => {
                let (mut now, mut level) = (0.0, 0);
                for &next in &p.levels {
                    if p.ramp_seconds > 0.0 {
                        changes.add(now, level)?;
                        changes.climb(
                            now,
                            level,
                            next,
                            p.ramp_seconds / f64::from(level.abs_diff(next).max(1)),
                        )?;
                    } else {
                        changes.add(now, next)?;
                    }
                    now += p.ramp_seconds + p.hold_seconds;
                    level = next;
                    if p.pause_seconds > 0.0 {
                        changes.add(now, 0)?;
                        now += p.pause_seconds;
                        level = 0;
                    }
                }
                now
            }
            Profile::Bursts(p) => {
                changes.add(0.0, if p.idle_seconds > 0.0 { 0 } else { p.users })?;
                let mut now = p.idle_seconds;
                while now < p.seconds {
                    changes.add(now, p.users)?;
                    changes.add(now + p.on_seconds, 0)?;
                    now += p.on_seconds + p.off_seconds;
                }
                p.seconds
            }
            Profile::Stages(p) => {
                let mut now = 0.0;
                for stage in &p.stages {
                    let (from, to) = (stage.from_users, stage.to_users);
                    changes.add(now, from)?;
                    changes.climb(now, from, to, stage.seconds / f64::from(from.abs_diff(to).max(1)))?;
                    now += stage.seconds;
                }
                now
            }
            Profile::FixedWork(p) => {
                changes.add(0.0, p.users)?;
                p.most_seconds
            }
            Profile::Rate(_) => return Err("a rate has no users".to_owned()),
        };
        Ok(Self {
            changes: changes.0,
            length: from_seconds(length),
        })
    }

    /// The greatest number of users at any instant.
    pub fn most(&self) -> u32 {
        self.changes.iter().map(|(_, users)| *users).max().unwrap_or(0)
    }
}

#[derive(Default)]
struct Changes(Vec<(Ns, u32)>);

impl Changes {
    fn add(&mut self, seconds: f64, users: u32) -> Result<(), String> {
        let at = from_seconds(seconds);
        match self.0.last_mut() {
            Some(last) if last.0 == at => last.1 = users,
            Some(last) if last.1 == users => {}
            _ => self.0.push((at, users)),
        }
        if self.0.len() > MOST_CHANGES {
            return Err("it changes the number of users more than a million times".to_owned());
        }
        Ok(())
    }

    /// One user more, or fewer, every `each` seconds, until `to` is reached.
    fn climb(&mut self, begin: f64, from: u32, to: u32, each: f64) -> Result<(), String> {
        for step in 1..=from.abs_diff(to) {
            let users = if to > from { from + step } else { from - step };
            self.add(begin + f64::from(step) * each, users)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::SECOND;

    fn levels(json: &str) -> Levels {
        Levels::new(&serde_json::from_str(json).unwrap()).unwrap()
    }

    #[test]
    fn a_big_bang_has_all_users_at_once() {
        let levels = levels(r#"{"kind":"big-bang","users":8,"seconds":2}"#);
        assert_eq!((levels.changes, levels.length), (vec![(0, 8)], 2 * SECOND));
    }

    #[test]
    fn a_ramp_holds_every_level_equally_long() {
        let levels = levels(r#"{"kind":"ramp","from_users":1,"to_users":4,"seconds":8}"#);
        assert_eq!(
            levels.changes,
            vec![(0, 1), (2 * SECOND, 2), (4 * SECOND, 3), (6 * SECOND, 4)]
        );
    }

    #[test]
    fn a_ramp_can_go_down() {
        let levels = levels(r#"{"kind":"ramp","from_users":2,"to_users":1,"seconds":2}"#);
        assert_eq!(levels.changes, vec![(0, 2), (SECOND, 1)]);
    }

    #[test]
    fn steps_ramp_hold_and_pause() {
        let levels = levels(r#"{"kind":"steps","levels":[2,1],"hold_seconds":3,"ramp_seconds":2,"pause_seconds":1}"#);
        let s = SECOND;
        assert_eq!(
            levels.changes,
            vec![(0, 0), (s, 1), (2 * s, 2), (5 * s, 0), (8 * s, 1), (11 * s, 0)]
        );
        assert_eq!(levels.length, 12 * s);
    }

    #[test]
    fn stages_climb_hold_jump_and_fall() {
        let levels = levels(
            r#"{"kind":"stages","stages":[
                {"from_users":0,"to_users":2,"seconds":4},{"from_users":2,"to_users":2,"seconds":3},
                {"from_users":5,"to_users":5,"seconds":1},{"from_users":5,"to_users":3,"seconds":2}]}"#,
        );
        let s = SECOND;
        assert_eq!(
            levels.changes,
            vec![(0, 0), (2 * s, 1), (4 * s, 2), (7 * s, 5), (9 * s, 4), (10 * s, 3)]
        );
        assert_eq!((levels.length, levels.most()), (10 * s, 5));
    }

    #[test]
    fn steps_without_ramp_or_pause_jump() {
        let levels = levels(r#"{"kind":"steps","levels":[2,4],"hold_seconds":3}"#);
        assert_eq!(
            (levels.changes, levels.length),
            (vec![(0, 2), (3 * SECOND, 4)], 6 * SECOND)
        );
    }

    #[test]
    fn bursts_alternate_until_the_end() {
        let levels =
            levels(r#"{"kind":"bursts","users":3,"on_seconds":1,"off_seconds":2,"seconds":6,"idle_seconds":1}"#);
        let s = SECOND;
        assert_eq!(levels.changes, vec![(0, 0), (s, 3), (2 * s, 0), (4 * s, 3), (5 * s, 0)]);
        assert_eq!((levels.length, levels.most()), (6 * s, 3));
    }
}
