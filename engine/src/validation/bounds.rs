//! Checks beyond the job's shape: bounds, known names, and values that must fit one another.

use std::collections::BTreeSet;

use super::Checked;
use super::keys::nearest;
use crate::http::Url;
use crate::job::{
    Capture, ConnectionUse, Job, MOST_ADDRESSES, Profile, Redirects, Rule, Session, Target, Think, ThinkKind,
    check_headers, is_token,
};
use crate::schedule::{Arrivals, Levels};
use crate::session::{CompiledCapture, Stamp};
use crate::verify::CompiledRule;

const WEEK_SECONDS: f64 = 7.0 * 24.0 * 3600.0;
const DAY_MS: f64 = 24.0 * 3600.0 * 1000.0;
/// A shorter time would be close to 0 ns.
const LEAST_SECONDS: f64 = 1e-6;
const LEAST_MS: f64 = 1e-3;
const MOST_USERS: u32 = 100_000;
const MOST_SEED: u64 = 1 << 53;
const MOST_STREAMS: u32 = 10_000;
const MOST_WORK: u64 = 1_000_000_000;

pub fn check(job: &Job) -> Checked {
    ensure(job.seed < MOST_SEED, || {
        format!("`seed` is {}; it must be under 2^53", job.seed)
    })?;
    ensure((1..=256).contains(&job.threads), || {
        format!("`threads` is {}; it must be 1 to 256", job.threads)
    })?;
    let share = job.share;
    ensure((1..=256).contains(&share.of) && share.place < share.of, || {
        format!(
            "`share` is {} of {}; it must be from 0 on, under `of`, which is 1 to 256",
            share.place, share.of
        )
    })?;
    ensure((LEAST_MS..=DAY_MS).contains(&job.timeout_ms), || {
        format!("`timeout_ms` is {}; it must be {LEAST_MS} to a day", job.timeout_ms)
    })?;
    check_milliseconds("drain_limit_ms", job.drain_limit_ms)?;
    check_milliseconds("on_failure.ms", job.on_failure.ms)?;
    ensure(job.samples.one_in >= 1, || {
        "`samples.one_in` must be at least 1".to_owned()
    })?;
    ensure(!job.targets.is_empty(), || {
        "`targets` is empty; name at least one".to_owned()
    })?;
    ensure(!job.slices.is_empty(), || {
        "`slices` is empty; list at least one".to_owned()
    })?;
    for (name, rule) in &job.rules {
        check_rule(rule).map_err(|why| format!("`rules.{name}`: {why}"))?;
    }
    check_targets(&job.targets)?;
    let shares = job.targets.iter().any(|target| target.http2.is_some());
    ensure(!shares || job.connection == ConnectionUse::KeepAlive, || {
        "`connection` is `per-request`, which goes without `http2`".to_owned()
    })?;
    for (name, session) in &job.sessions {
        check_name("session", name)?;
        check_session(&format!("sessions.{name}"), session)?;
    }
    check_slices(job)
}

/// The most values that a session may capture.
const MOST_CAPTURES: usize = 64;

fn check_session(at: &str, session: &Session) -> Checked {
    ensure(!session.steps.is_empty(), || format!("`{at}` has no steps"))?;
    let captures: BTreeSet<&String> = session.steps.iter().flat_map(|step| step.captures.keys()).collect();
    ensure(captures.len() <= MOST_CAPTURES, || {
        format!("`{at}` has {} captures; it may have {MOST_CAPTURES}", captures.len())
    })?;
    check_once(at, session)?;
    check_conditions(at, session)?;
    check_milliseconds(&format!("{at}.lead_out_ms"), session.lead_out_ms)?;
    for (place, step) in session.steps.iter().enumerate() {
        let at = format!("{at}.steps[{place}]");
        check_think(&format!("{at}.think"), &step.think)?;
        for (name, capture) in &step.captures {
            CompiledCapture::new(name, capture).map_err(|why| format!("`{at}.captures`: {why}"))?;
            ensure(!Stamp::fills(name), || {
                format!("`{at}.captures`: `{name}` is filled by the engine; give the capture another name")
            })?;
            if let Capture::Header(header) = capture {
                ensure(is_token(&header.name), || {
                    format!(
                        "`{at}.captures.{name}`: `{}` is not a header name",
                        header.name.escape_debug()
                    )
                })?;
            }
        }
    }
    Ok(())
}

/// A session has a first step whatever was captured, and waits for no value that it cannot have.
fn check_conditions(at: &str, session: &Session) -> Checked {
    let once = session.steps.iter().take_while(|step| step.once).count();
    let mut captured = BTreeSet::new();
    for (place, step) in session.steps.iter().enumerate() {
        if let Some(name) = &step.if_captured {
            ensure(place > once, || {
                format!("`{at}.steps[{place}].if_captured`: the first step and those with `once` are always made")
            })?;
            ensure(captured.contains(&name), || {
                format!(
                    "`{at}.steps[{place}].if_captured`: no step before it captures `{}`",
                    name.escape_debug()
                )
            })?;
        }
        captured.extend(step.captures.keys());
    }
    Ok(())
}

fn check_once(at: &str, session: &Session) -> Checked {
    let once = session.steps.iter().take_while(|step| step.once).count();
    let later = session.steps.iter().skip(once).any(|step| step.once);
    ensure(!later && once < session.steps.len(), || {
        format!("`{at}.steps`: steps with `once` come before all others, of which there must be some")
    })?;
    let again = !session.again_on.is_empty() || session.again_after_ms.is_some();
    ensure(once > 0 || !again, || {
        format!("`{at}` says when steps are made again, and has no step with `once`")
    })?;
    ensure(once == 0 || !session.new_visitor, || {
        format!("`{at}` has steps with `once`, which `new_visitor` excludes")
    })?;
    for status in &session.again_on {
        ensure((100..=599).contains(status), || {
            format!("`{at}.again_on` holds {status}; it must be 100 to 599")
        })?;
    }
    check_milliseconds(&format!("{at}.again_after_ms"), session.again_after_ms.unwrap_or(0.0))?;
    let names = session.rows.iter().flat_map(|rows| &rows.columns);
    names.clone().try_for_each(|name| {
        ensure(!Stamp::fills(name), || {
            format!("`{at}.rows`: `{name}` is filled by the engine; give the column another name")
        })
    })
}

fn check_rule(rule: &Rule) -> Checked {
    for status in &rule.status {
        ensure((100..=599).contains(status), || {
            format!("`status` holds {status}; it must be 100 to 599")
        })?;
    }
    if let Some(length) = &rule.length {
        ensure(length.least <= length.most, || {
            "`length.least` is above `length.most`".to_owned()
        })?;
    }
    CompiledRule::new(rule).map(|_| ())
}

fn check_targets(targets: &[Target]) -> Checked {
    let mut seen = BTreeSet::new();
    for (place, target) in targets.iter().enumerate() {
        check_name("subject", &target.subject)?;
        ensure(seen.insert(&target.subject), || {
            format!("`targets` names the subject `{}` twice", target.subject)
        })?;
        let at = format!("targets[{place}]");
        Url::of(target).map_err(|why| format!("`{at}`: {why}"))?;
        ensure(target.addresses.len() <= MOST_ADDRESSES, || {
            format!("`{at}.addresses` are more than {MOST_ADDRESSES}")
        })?;
        ensure(is_token(&target.method), || {
            format!("`{at}.method` is `{}`, not an HTTP method", target.method)
        })?;
        if let Some(http2) = &target.http2 {
            ensure((1..=MOST_STREAMS).contains(&http2.streams), || {
                format!(
                    "`{at}.http2.streams` is {}; it must be 1 to {MOST_STREAMS}",
                    http2.streams
                )
            })?;
        }
        if let Some(redirects) = &target.redirects {
            check_redirects(&format!("{at}.redirects"), redirects)?;
        }
        check_headers(&format!("{at}.headers"), &target.headers)?;
        for (operation, set) in &target.operation_headers {
            check_headers(&format!("{at}.operation_headers.{operation}"), set)?;
        }
    }
    Ok(())
}

/// The most hosts that redirects of a target may lead to.
const MOST_HOSTS: usize = 64;

fn check_redirects(at: &str, redirects: &Redirects) -> Checked {
    ensure(redirects.hosts.len() <= MOST_HOSTS, || {
        format!("`{at}.hosts` are more than {MOST_HOSTS}")
    })?;
    for (host, addresses) in &redirects.hosts {
        ensure((1..=MOST_ADDRESSES).contains(&addresses.len()), || {
            format!(
                "`{at}.hosts`: `{}` needs 1 to {MOST_ADDRESSES} addresses",
                host.escape_debug()
            )
        })?;
        let shown = if host.contains(':') {
            format!("[{host}]")
        } else {
            host.clone()
        };
        ensure(
            !host.contains(['/', '?', '@', '[']) && Url::parse(&format!("http://{shown}/")).is_ok(),
            || format!("`{at}.hosts`: `{}` is not a host", host.escape_debug()),
        )?;
    }
    Ok(())
}

fn check_slices(job: &Job) -> Checked {
    let subjects: Vec<&str> = job.targets.iter().map(|target| target.subject.as_str()).collect();
    let mut numbers = BTreeSet::new();
    for (place, slice) in job.slices.iter().enumerate() {
        let at = format!("slices[{place}]");
        ensure(numbers.insert(slice.number), || {
            format!("`{at}.number`: {} is used twice", slice.number)
        })?;
        check_known(&format!("{at}.subject"), &slice.subject, &subjects)?;
        check_name("phase", &slice.phase)?;
        ensure(slice.deck_seed < MOST_SEED, || {
            format!("`{at}.deck_seed` must be under 2^53")
        })?;
        check_milliseconds(&format!("{at}.lead_in_ms"), slice.lead_in_ms)?;
        check_think(&format!("{at}.think"), &slice.think)?;
        ensure(!slice.mix.0.is_empty(), || {
            format!("`{at}.mix` is empty; name at least one operation")
        })?;
        for (name, weight) in &slice.mix.0 {
            check_name("operation", name)?;
            ensure(weight.is_finite() && *weight > 0.0, || {
                format!("`{at}.mix.{name}` must be above 0")
            })?;
        }
        check_profile(&format!("{at}.profile"), &slice.profile)?;
        if let Profile::FixedWork(work) = &slice.profile {
            ensure(job.threads <= work.users && slice.lead_in_ms == 0.0, || {
                format!("`{at}`: fixed work needs a user for each thread and a `lead_in_ms` of 0")
            })?;
        }
    }
    Ok(())
}

fn check_profile(at: &str, profile: &Profile) -> Checked {
    match profile {
        Profile::BigBang(p) => {
            check_users(at, "users", p.users)?;
            check_seconds(at, "seconds", p.seconds)?;
        }
        Profile::Ramp(p) => {
            ensure(p.from_users <= MOST_USERS, || {
                format!("`{at}.from_users` is above {MOST_USERS}")
            })?;
            check_users(at, "to_users", p.to_users)?;
            check_seconds(at, "seconds", p.seconds)?;
        }
        Profile::Steps(p) => {
            ensure(!p.levels.is_empty(), || format!("`{at}.levels` is empty"))?;
            for level in &p.levels {
                check_users(at, "levels", *level)?;
            }
            check_seconds(at, "hold_seconds", p.hold_seconds)?;
            check_seconds_or_none(at, "ramp_seconds", p.ramp_seconds)?;
            check_seconds_or_none(at, "pause_seconds", p.pause_seconds)?;
            check_total_seconds(
                at,
                p.levels.len() as f64 * (p.hold_seconds + p.ramp_seconds + p.pause_seconds),
            )?;
        }
        Profile::Bursts(p) => {
            check_users(at, "users", p.users)?;
            check_seconds(at, "on_seconds", p.on_seconds)?;
            check_seconds(at, "off_seconds", p.off_seconds)?;
            check_seconds(at, "seconds", p.seconds)?;
            check_seconds_or_none(at, "idle_seconds", p.idle_seconds)?;
        }
        Profile::Stages(p) => {
            ensure(!p.stages.is_empty(), || format!("`{at}.stages` is empty"))?;
            for (place, stage) in p.stages.iter().enumerate() {
                ensure(stage.from_users.max(stage.to_users) <= MOST_USERS, || {
                    format!("`{at}.stages[{place}]` has more than {MOST_USERS} users")
                })?;
                check_seconds(at, "stages.seconds", stage.seconds)?;
            }
            ensure(
                p.stages.iter().any(|stage| stage.from_users.max(stage.to_users) > 0),
                || format!("`{at}.stages` has no users"),
            )?;
            check_total_seconds(at, p.stages.iter().map(|stage| stage.seconds).sum())?;
        }
        Profile::FixedWork(p) => {
            check_users(at, "users", p.users)?;
            check_seconds(at, "most_seconds", p.most_seconds)?;
            ensure((1..=MOST_WORK).contains(&p.each), || {
                format!("`{at}.each` is {}; it must be 1 to {MOST_WORK}", p.each)
            })?;
            ensure(p.extra < p.users, || {
                format!("`{at}.extra` is {}; it must be less than `users`, {}", p.extra, p.users)
            })?;
        }
        Profile::Rate(p) => {
            ensure(!p.stages.is_empty(), || format!("`{at}.stages` is empty"))?;
            check_users(at, "max_in_flight", p.max_in_flight)?;
            for (place, stage) in p.stages.iter().enumerate() {
                for (key, rate) in [("from_rate", stage.from_rate), ("to_rate", stage.to_rate)] {
                    ensure((0.0..=1e7).contains(&rate), || {
                        format!("`{at}.stages[{place}].{key}` is {rate}; it must be 0 to 10,000,000")
                    })?;
                }
                check_seconds(at, "stages.seconds", stage.seconds)?;
            }
            check_total_seconds(at, p.stages.iter().map(|stage| stage.seconds).sum())?;
            return Arrivals::check(p).map_err(|why| format!("`{at}`: {why}"));
        }
    }
    Levels::new(profile).map(|_| ()).map_err(|why| format!("`{at}`: {why}"))
}

fn check_total_seconds(at: &str, seconds: f64) -> Checked {
    ensure(seconds <= WEEK_SECONDS, || {
        format!("`{at}` lasts {seconds} s in all; it may last a week")
    })
}

pub(super) fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(otherwise()) }
}

pub(super) fn check_known(at: &str, name: &str, choices: &[&str]) -> Checked {
    ensure(choices.contains(&name), || match nearest(name, choices) {
        Some(near) => format!("`{at}` names `{name}`, which is not known; the nearest known name is `{near}`"),
        None => format!("`{at}` names `{name}`, which is not known"),
    })
}

fn check_users(at: &str, key: &str, value: u32) -> Checked {
    ensure((1..=MOST_USERS).contains(&value), || {
        format!("`{at}.{key}` is {value}; it must be 1 to {MOST_USERS}")
    })
}

fn check_seconds(at: &str, key: &str, value: f64) -> Checked {
    ensure((LEAST_SECONDS..=WEEK_SECONDS).contains(&value), || {
        format!("`{at}.{key}` is {value}; it must be {LEAST_SECONDS} to a week")
    })
}

fn check_seconds_or_none(at: &str, key: &str, value: f64) -> Checked {
    ensure((0.0..=WEEK_SECONDS).contains(&value), || {
        format!("`{at}.{key}` is {value}; it must be 0 to a week")
    })
}

fn check_milliseconds(at: &str, value: f64) -> Checked {
    ensure((0.0..=DAY_MS).contains(&value), || {
        format!("`{at}` is {value}; it must be 0 to a day")
    })
}

fn check_think(at: &str, think: &Think) -> Checked {
    check_milliseconds(&format!("{at}.ms"), think.ms)?;
    check_milliseconds(&format!("{at}.to_ms"), think.to_ms)?;
    ensure(think.kind != ThinkKind::Uniform || think.ms <= think.to_ms, || {
        format!("`{at}`: `to_ms` must be at least `ms`")
    })
}

/// Names become tags of the histogram log and cells of tables: a name that would break those is refused.
fn check_name(what: &str, name: &str) -> Checked {
    let breaks = |c: char| c.is_whitespace() || c.is_control() || matches!(c, ',' | '/' | '"' | '\'');
    ensure(!name.is_empty() && !name.chars().any(breaks), || {
        format!(
            "the {what} name `{}` may not be empty nor hold spaces, commas, slashes or quotes",
            name.escape_debug()
        )
    })
}
