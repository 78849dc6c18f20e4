//! Rows of values that sessions start with: a CSV file, dealt so that no two users or sessions have the same row at once.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Values, is_value};
use crate::job::{EngineShare, RowEach, RowEnd, SessionRows};

/// The most rows of one file.
const MOST_ROWS: usize = 1_000_000;

/// The rows of one session's file, and how many were dealt.
#[derive(Debug)]
pub struct RowTable {
    columns: Vec<String>,
    rows: Vec<csv::StringRecord>,
    each: RowEach,
    at_end: RowEnd,
    first: u64,
    dealt: AtomicU64,
}

impl RowTable {
    /// Reads the file in the corpus `folder`; an error explains what is wrong with it.
    pub fn open(rows: &SessionRows, folder: &Path) -> Result<Self, String> {
        let path = folder.join(&rows.file);
        let wrong = |why: String| format!("the rows in {}: {why}", path.display());
        let mut reader = csv::Reader::from_path(&path).map_err(|error| wrong(error.to_string()))?;
        let columns: Vec<String> = reader
            .headers()
            .map_err(|error| wrong(error.to_string()))?
            .iter()
            .map(str::to_owned)
            .collect();
        if columns != rows.columns {
            return Err(wrong(format!("its columns are not {}", rows.columns.join(", "))));
        }
        let read: Result<Vec<_>, _> = reader.into_records().take(MOST_ROWS + 1).collect();
        let read = read.map_err(|error| wrong(error.to_string()))?;
        if read.is_empty() || read.len() > MOST_ROWS {
            return Err(wrong(format!("there must be 1 to {MOST_ROWS} of them")));
        }
        let bad = read
            .iter()
            .position(|row| !row.iter().all(|value| is_value(value.as_bytes())));
        if let Some(place) = bad {
            return Err(wrong(format!(
                "row {} has a value that is empty, too long, or no single line of text",
                place + 1
            )));
        }
        Ok(Self {
            columns,
            rows: read,
            each: rows.each,
            at_end: rows.at_end,
            first: rows.first,
            dealt: AtomicU64::new(0),
        })
    }

    /// Sets the values of a session's row: that of the user, or the next one where `user` is None or each session has its own. Returns
    /// whether there was a row left.
    pub fn deal(&self, user: Option<u64>, share: EngineShare, values: &mut Values) -> bool {
        let number = match (self.each, user) {
            (RowEach::User, Some(user)) => user,
            _ => share.number(self.dealt.fetch_add(1, Ordering::Relaxed)),
        };
        let (place, count) = (self.first + number, self.rows.len() as u64);
        if place >= count && self.at_end == RowEnd::Stop {
            return false;
        }
        let row = &self.rows[(place % count) as usize];
        for (name, value) in self.columns.iter().zip(row) {
            values.set(name, value.as_bytes());
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn table(text: &str, more: serde_json::Value) -> Result<RowTable, String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("rows.csv"), text).unwrap();
        let mut rows = json!({"file": "rows.csv", "columns": ["user", "word"]});
        rows.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        RowTable::open(&serde_json::from_value(rows).unwrap(), folder.path())
    }

    const TWO: &str = "user,word\nann,\"a,b\"\nbob,c\n";

    fn dealt(table: &RowTable, users: &[Option<u64>]) -> Vec<String> {
        let deal = |user: &Option<u64>| {
            let mut values = Values::default();
            let left = table.deal(*user, EngineShare::default(), &mut values);
            let text = String::from_utf8(values.get("user").unwrap_or_default().to_vec()).unwrap();
            if left { text } else { "none".to_owned() }
        };
        users.iter().map(deal).collect()
    }

    #[test]
    fn each_session_has_the_next_row_and_each_user_its_own_until_they_end_or_begin_anew() {
        let sessions = table(TWO, json!({})).unwrap();
        assert_eq!(dealt(&sessions, &[Some(0), Some(0), None]), ["ann", "bob", "ann"]);
        let users = table(TWO, json!({"each": "user", "at_end": "stop"})).unwrap();
        assert_eq!(
            dealt(&users, &[Some(1), Some(0), Some(1), Some(2)]),
            ["bob", "ann", "bob", "none"]
        );
        let later = table(TWO, json!({"first": 1, "at_end": "stop"})).unwrap();
        assert_eq!(dealt(&later, &[None, None]), ["bob", "none"]);
    }

    #[test]
    fn engines_that_share_a_load_deal_different_rows() {
        let share = EngineShare { place: 1, of: 2 };
        let mut values = Values::default();
        assert!(table(TWO, json!({})).unwrap().deal(None, share, &mut values));
        assert_eq!(values.get("user"), Some(&b"bob"[..]));
        assert_eq!(values.get("word"), Some(&b"c"[..]));
    }

    #[test]
    fn files_without_rows_with_other_columns_or_with_values_that_cannot_be_sent_are_refused() {
        for wrong in [
            "",
            "user,word\n",
            "user\nann\n",
            "user,word\nann\n",
            "user,word\nann,\n",
            "user,word\n\"a\nb\",c\n",
        ] {
            assert!(table(wrong, json!({})).is_err(), "{wrong}");
        }
    }
}
