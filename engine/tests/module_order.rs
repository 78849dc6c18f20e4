//! The modules of the engine form layers: a module imports only modules that stand before it in one order.

// `allow-unwrap-in-tests` does not reach the helpers of integration tests.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use regex::Regex;

/// The job model is the first: it is data alone, and imports nothing.
const ORDER: [&str; 23] = [
    "job",
    "error",
    "clock",
    "heap",
    "keeper",
    "awake",
    "spin",
    "schedule",
    "session",
    "corpus",
    "verify",
    "http",
    "http2",
    "validation",
    "record",
    "wire",
    "probe",
    "plan",
    "worker",
    "run",
    "load",
    "lib",
    "main",
];

/// All source files with the name of their module.
fn sources(folder: &Path) -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("bin") {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let first = path.strip_prefix(&root).unwrap().components().next().unwrap();
            let name = Path::new(first.as_os_str()).file_stem().unwrap();
            files.push((name.to_str().unwrap().to_owned(), path.clone()));
        }
    }
    files
}

fn all_sources() -> Vec<(String, PathBuf)> {
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))
}

fn place(module: &str) -> usize {
    ORDER.iter().position(|known| *known == module).unwrap_or(usize::MAX)
}

#[test]
fn every_module_has_a_place_in_the_order() {
    let modules: BTreeSet<String> = all_sources().into_iter().map(|(module, _)| module).collect();
    assert_eq!(modules, ORDER.map(str::to_owned).into());
}

#[test]
fn a_module_imports_only_modules_that_stand_before_it() {
    let import = Regex::new(r"\bcrate::(\w+|\{)").unwrap();
    let mut imports = 0;
    for (module, path) in all_sources() {
        let text = std::fs::read_to_string(&path).unwrap();
        for target in import.captures_iter(&text).map(|found| found[1].to_owned()) {
            imports += 1;
            let (shown, before) = (path.display(), place(&target) < place(&module));
            assert!(before || target == module, "{shown} imports `{target}`");
        }
    }
    assert!(
        imports > 100,
        "{imports} imports are too few: the test no longer reads them"
    );
}

#[test]
fn the_code_map_lists_the_modules_in_their_order() {
    let map = include_str!("../README.md")
        .split("| module | contents |")
        .nth(1)
        .unwrap();
    let names = Regex::new(r"`(\w+)`").unwrap();
    let rows = map.lines().filter(|line| line.starts_with("| `"));
    let firsts = rows.map(|row| row.split('|').nth(1).unwrap().to_owned());
    let listed: Vec<String> = firsts
        .flat_map(|cell| {
            names
                .captures_iter(&cell)
                .map(|name| name[1].to_owned())
                .collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(listed, ORDER[..ORDER.len() - 2]);
}
