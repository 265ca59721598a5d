//! Queries that people saved: options of `find` under a name.

use rusqlite::params;

use crate::Error;
use crate::edit::check_text;
use crate::store::Shelf;

impl Shelf {
    /// Saves the options of a query under a name, in place of an older query with it.
    pub fn save_query(&mut self, name: &str, options: &[String]) -> Result<(), Error> {
        let name = name.trim();
        if name.is_empty() {
            return Err(Error::refused("name", name, "a name is needed"));
        }
        check_text("name", name, "")?;
        let options = serde_json::Value::from(options).to_string();
        self.write_change(&format!("save query {name}"), |shelf| {
            let insert = "INSERT INTO queries (name, options) VALUES (?1, ?2) \
                          ON CONFLICT DO UPDATE SET options = excluded.options";
            shelf.change(insert, [name, options.as_str()]).map(drop)
        })
    }

    /// Returns the saved queries with their options, in the order of their names.
    pub fn queries(&self) -> Result<Vec<(String, Vec<String>)>, Error> {
        let queries: Vec<(String, String)> =
            self.rows("SELECT name, options FROM queries ORDER BY name", [])?;
        let read = |(name, options): (String, String)| {
            let options = serde_json::from_str(&options)
                .map_err(|_| self.damaged(format!("the query {name} cannot be read")))?;
            Ok((name, options))
        };
        queries.into_iter().map(read).collect()
    }

    /// Returns the options of a saved query.
    pub fn query(&self, name: &str) -> Result<Vec<String>, Error> {
        let mut queries = self.queries()?.into_iter();
        let found = queries.find(|(known, _)| known == name.trim());
        found.map(|(_, options)| options).ok_or_else(|| unknown(name))
    }

    /// Removes a saved query.
    pub fn remove_query(&mut self, name: &str) -> Result<(), Error> {
        self.write_change(&format!("remove query {}", name.trim()), |shelf| {
            match shelf.change("DELETE FROM queries WHERE name = ?1", params![name.trim()])? {
                0 => Err(unknown(name)),
                _ => Ok(()),
            }
        })
    }
}

fn unknown(name: &str) -> Error {
    Error::refused("query", name, "the shelf has no query with this name")
}
