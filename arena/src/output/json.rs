//! Games as JSON objects, one a line. An object is the record with the names and the variant.

use serde_json::Value;

use super::Caption;
use crate::record::GameRecord;

/// Writes a game as a line of JSON.
pub fn game(record: &GameRecord, caption: &Caption) -> String {
    // A record holds only texts, numbers and lists, so that it always has a JSON form.
    let mut object = serde_json::to_value(record).unwrap_or_default();
    if let Value::Object(fields) = &mut object {
        let names = record.players.map(|player| Value::from(caption.names[player].as_str()));
        fields.insert("names".to_owned(), Value::from(names.to_vec()));
        fields.insert("variant".to_owned(), Value::from(caption.variant.as_str()));
        if let Some(grid) = caption.grid.map(|notation| notation.grid()) {
            fields.insert("size".to_owned(), Value::from(vec![grid.width(), grid.height()]));
        }
    }
    format!("{object}\n")
}
