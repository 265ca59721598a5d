//! [`Condition`]: which rows of the table `games` are taken, as SQL with values for its question marks. The text of the
//! SQL is part of the program, and what users give is a value.

use rusqlite::types::Value;
use rusqlite::{Row, params_from_iter};

use crate::Error;
use crate::store::Shelf;

/// A condition on rows of `games`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Condition {
    sql: String,
    values: Vec<Value>,
}

impl Condition {
    /// Creates a condition with values for its question marks.
    pub(crate) fn new<V: Into<Value>>(
        sql: &'static str,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        Self { sql: sql.to_owned(), values: values.into_iter().map(Into::into).collect() }
    }

    /// Creates the condition that all games fulfil.
    pub(crate) fn all() -> Self {
        Self::new::<Value>("true", [])
    }

    /// Adds a condition that must be fulfilled, too.
    pub(crate) fn and<V: Into<Value>>(
        mut self,
        sql: &'static str,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        self.sql += " AND ";
        self.sql += sql;
        self.values.extend(values.into_iter().map(Into::into));
        self
    }

    /// Returns what `read` makes of the rows. `select` is the statement before `WHERE`, and `end` its end.
    pub(crate) fn rows<T>(
        &self,
        shelf: &Shelf,
        select: &'static str,
        end: &'static str,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, Error> {
        let select = format!("{select} WHERE {} {end}", self.sql);
        shelf.rows_by(&select, params_from_iter(&self.values), read)
    }
}
