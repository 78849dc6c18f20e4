//! The `load` command: loads one URL and prints a summary for a person or a script.

mod arguments;
mod report;

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};

pub use arguments::Arguments;
use report::Report;

use crate::corpus::Corpus;
use crate::plan::PlanMaker;
use crate::record::SampleAllowance;
use crate::run::{Crew, Ended, SliceAudit, Start, drive_slice, raise_file_limit};

/// Loads the URL and prints a table or a JSON object. True if the result is valid and nothing failed.
pub fn load(arguments: &Arguments) -> Result<bool> {
    let job = arguments.job().map_err(anyhow::Error::msg)?;
    let body = match &arguments.body {
        None => Vec::new(),
        Some(path) => std::fs::read(path).with_context(|| format!("cannot read the body {}", path.display()))?,
    };
    // A request that a person sends over and over may be sent once more.
    let corpus = Arc::new(Corpus::of_one(arguments::OPERATION, body, true));
    let maker = PlanMaker::new(job, corpus, Path::new("."))?;
    raise_file_limit();
    let (crew, messages) = Crew::start(&maker)?;
    let plan = Arc::new(maker.slice(0)?);
    let nothing_kept = SampleAllowance {
        one_in: u64::MAX,
        right: 0,
        failed: 0,
        bytes: 0,
    };
    let (result, ended) = drive_slice(&crew, &messages, &plan, nothing_kept, Start::AtOnce, |_| Ok(()))?;
    debug_assert_eq!(ended, Ended::AsPlanned);
    let audit = SliceAudit::new(&maker.job().slices[0], &plan, &result);
    let report = Report::new(&result, &audit, plan.timeout);
    if arguments.json {
        println!("{}", serde_json::to_string(&report)?);
    } else {
        print!("{}", report.table(&arguments.url));
    }
    Ok(report.succeeded())
}
