//! Explains errors in a job's text: the place, the key, and the nearest valid key.

/// One sentence for an error of the JSON reader, with the path and, for an unknown key or value, the nearest valid one.
pub fn explain(error: &serde_path_to_error::Error<serde_json::Error>) -> String {
    let path = error.path().to_string();
    let message = error.inner().to_string();
    let place = if path == "." {
        String::new()
    } else {
        format!("at `{path}`: ")
    };
    for (mark, noun) in [("unknown field `", "key"), ("unknown variant `", "value")] {
        if let Some((given, valid)) = unknown(&message, mark) {
            let hint = match nearest(given, &valid) {
                Some(near) => format!("the nearest valid one is `{near}`"),
                None => "there are no valid ones here".to_owned(),
            };
            return format!("{place}unknown {noun} `{given}`; {hint}");
        }
    }
    format!("{place}{message}")
}

/// The unknown word and the valid words, from the reader's message.
fn unknown<'a>(message: &'a str, mark: &str) -> Option<(&'a str, Vec<&'a str>)> {
    let rest = &message[message.find(mark)? + mark.len()..];
    let (given, rest) = rest.split_once('`')?;
    // The valid words follow between back-ticks: every second piece.
    let valid = rest.split('`').skip(1).step_by(2).collect();
    Some((given, valid))
}

/// The candidate that is the fewest edits away from `given`.
pub fn nearest<'a>(given: &str, candidates: &[&'a str]) -> Option<&'a str> {
    candidates
        .iter()
        .copied()
        .min_by_key(|candidate| strsim::damerau_levenshtein(given, candidate))
}
