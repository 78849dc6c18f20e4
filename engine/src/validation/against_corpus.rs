//! Checks a job against its corpus: names that the job uses, and marked places that something must fill.

use std::collections::BTreeSet;

use super::Checked;
use super::bounds::{check_known, ensure};
use crate::corpus::Corpus;
use crate::job::{Job, Session};
use crate::session::Stamp;

/// Checks that every operation and session that the job names is known, and that every marked place gets a value.
pub fn check_against_corpus(job: &Job, corpus: &Corpus) -> Checked {
    let operations: Vec<&str> = corpus.operations.iter().map(String::as_str).collect();
    let mut choices = operations.clone();
    choices.extend(job.sessions.keys().map(String::as_str));
    for (place, slice) in job.slices.iter().enumerate() {
        for (name, _) in &slice.mix.0 {
            let at = format!("slices[{place}].mix");
            check_known(&at, name, &choices)?;
            if let Some(operation) = corpus.operation(name) {
                check_filled(&at, name, &corpus.places(operation), &BTreeSet::new())?;
            }
        }
    }
    for (name, session) in &job.sessions {
        ensure(!operations.contains(&name.as_str()), || {
            format!("`sessions.{name}` has the name of an operation of the corpus; give it another")
        })?;
        check_session(&format!("sessions.{name}"), session, corpus, &operations)?;
    }
    for (place, target) in job.targets.iter().enumerate() {
        for name in target.operation_headers.keys() {
            check_known(&format!("targets[{place}].operation_headers"), name, &operations)?;
        }
    }
    Ok(())
}

fn check_session(at: &str, session: &Session, corpus: &Corpus, operations: &[&str]) -> Checked {
    let columns = session.rows.iter().flat_map(|rows| &rows.columns);
    let mut values: BTreeSet<&str> = columns.map(String::as_str).collect();
    let mut operations_asked = Vec::new();
    for (place, step) in session.steps.iter().enumerate() {
        let at = format!("{at}.steps[{place}].operation");
        check_known(&at, &step.operation, operations)?;
        if let Some(operation) = corpus.operation(&step.operation) {
            check_filled(&at, &step.operation, &corpus.places(operation), &values)?;
            operations_asked.push(operation);
        }
        values.extend(step.captures.keys().map(String::as_str));
    }
    corpus
        .chains(&operations_asked)
        .map(|_| ())
        .map_err(|why| format!("`{at}`: {why}"))
}

/// Checks that each marked place of an operation's requests has a value: one of the engine's, or one captured before.
fn check_filled(at: &str, operation: &str, places: &BTreeSet<&str>, values: &BTreeSet<&str>) -> Checked {
    let lacking = places
        .iter()
        .find(|name| !values.contains(*name) && !Stamp::fills(name));
    match lacking {
        None => Ok(()),
        Some(name) => Err(format!(
            "`{at}`: requests of `{operation}` have a place `{{{{{name}}}}}`, which no step before it captures"
        )),
    }
}
