//! The example jobs that the lab tests as well: what one side accepts, so does the other.

// `allow-unwrap-in-tests` does not reach the helpers of integration tests.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;

use serde_json::{Value, json};
use steelyard_engine::validation;

fn examples() -> Vec<(String, Value)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../contracts/examples");
    let mut examples = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.starts_with("job") {
            examples.push((name, serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap()));
        }
    }
    assert!(!examples.is_empty());
    examples
}

#[test]
fn every_example_job_is_accepted() {
    for (name, job) in examples() {
        validation::parse(job.to_string().as_bytes()).unwrap_or_else(|why| panic!("{name}: {why}"));
    }
}

/// The paths of all objects in a value.
fn objects(value: &Value, at: String, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            map.iter()
                .for_each(|(key, value)| objects(value, format!("{at}/{}", key.replace('/', "~1")), found));
            found.push(at);
        }
        Value::Array(list) => {
            list.iter()
                .enumerate()
                .for_each(|(place, value)| objects(value, format!("{at}/{place}"), found));
        }
        _ => {}
    }
}

#[test]
fn an_unknown_key_in_any_object_of_a_job_is_refused_by_name() {
    // Objects whose keys are names that the user chooses.
    let open = [
        "/mix",
        "/headers",
        "/rules",
        "/sessions",
        "/operation_headers",
        "/captures",
    ];
    for (name, job) in examples() {
        let mut paths = Vec::new();
        objects(&job, String::new(), &mut paths);
        let closed = |path: &&String| {
            let chosen = path.contains("/operation_headers/") || open.iter().any(|end| path.ends_with(end));
            !chosen
        };
        for path in paths.iter().filter(closed) {
            let mut changed = job.clone();
            changed.pointer_mut(path).unwrap()["surprise"] = json!(1);
            let why = validation::parse(changed.to_string().as_bytes()).expect_err(path);
            assert!(
                why.contains("`surprise`") && why.contains("nearest"),
                "{name} {path}: {why}"
            );
        }
    }
}
