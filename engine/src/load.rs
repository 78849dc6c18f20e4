//! The `load` command: one URL, loaded and summed up for a person or a script.

use anyhow::Result;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    pub url: String,
}

pub fn load(_: &Arguments) -> Result<bool> {
    anyhow::bail!("not yet")
}
