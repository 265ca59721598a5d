//! Comments and labels that people write about positions in the shelf itself.

use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::params;

use crate::Error;
use crate::edit::{check_comment, check_text};
use crate::game::folded;
use crate::position::PositionAsked;
use crate::store::Shelf;

/// A comment of a person about a position.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Comment {
    /// The number.
    pub id: i64,
    /// The label: a short text.
    pub label: Option<String>,
    /// The comment.
    pub comment: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// When it was written, such as `2026-11-30 12:00:00`, in universal time.
    pub at: String,
}

/// Returns an empty text for one of white space.
fn blank_as_empty(text: &str) -> &str {
    if text.trim().is_empty() { "" } else { text }
}

impl Shelf {
    /// Adds a comment, a label or both to a position. Returns the number of the comment.
    pub fn add_comment(
        &mut self,
        asked: &PositionAsked,
        label: Option<&str>,
        comment: Option<&str>,
        author: Option<&str>,
    ) -> Result<i64, Error> {
        let [label, comment, author] =
            [label, comment, author].map(|text| text.filter(|text| !text.trim().is_empty()));
        if label.or(comment).is_none() {
            let why = "a new comment needs a text or a label; to remove a text, name the number of the comment";
            return Err(Error::wrong("comment", why.to_owned()));
        }
        check_text("label", label.unwrap_or_default(), "")?;
        check_text("author", author.unwrap_or_default(), "")?;
        check_comment(comment.unwrap_or_default())?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() as i64;
        self.write_change("comment", |shelf| {
            let (ruleset, key) = (asked.ruleset(), asked.walker().key());
            let board = shelf.keep_ruleset(ruleset)?;
            let position = ruleset.fen(&ruleset.canonical(&asked.placement()));
            let insert = "INSERT INTO comments (key, board, position, label, comment, author, at) \
                          VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
            shelf.insert(insert, params![key, board, position, label, comment, author, now])
        })
    }

    /// Changes the label or the text of a comment: `None` leaves it, an empty text removes it. A comment without both is
    /// removed. Returns whether it was.
    pub fn change_comment(
        &mut self,
        id: i64,
        label: Option<&str>,
        comment: Option<&str>,
    ) -> Result<bool, Error> {
        let [label, comment] = [label, comment].map(|text| text.map(blank_as_empty));
        check_text("label", label.unwrap_or_default(), "")?;
        check_comment(comment.unwrap_or_default())?;
        self.write_change(&format!("change comment {id}"), |shelf| {
            let update = "UPDATE comments SET label = nullif(coalesce(?2, label), ''), \
                          comment = nullif(coalesce(?3, comment), '') WHERE id = ?1";
            if shelf.change(update, params![id, label, comment])? == 0 {
                let why = format!("comment {id}: the shelf has no such comment");
                return Err(Error::wrong("number", why));
            }
            let empty = "DELETE FROM comments WHERE id = ?1 AND label IS NULL AND comment IS NULL";
            Ok(shelf.change(empty, [id])? > 0)
        })
    }

    /// Returns the comments that people wrote about a position in the shelf, the oldest first.
    pub fn comments_at(&self, asked: &PositionAsked) -> Result<Vec<Comment>, Error> {
        Ok(self
            .comments("key = ?1", asked.walker().key())?
            .into_iter()
            .map(|(comment, _)| comment)
            .collect())
    }

    /// Returns the comments of people whose text, label or author contains a text, with the position that each is about: comments of the
    /// shelf itself, without regard to case and signs on letters. The position is a FEN.
    pub fn search_comments(&self, words: &str) -> Result<Vec<(Comment, String)>, Error> {
        let words = folded(words);
        let mut found = self.comments("id > ?1", 0)?;
        found.retain(|(comment, _)| {
            let texts = [&comment.label, &comment.comment, &comment.author];
            texts.into_iter().flatten().any(|text| folded(text).contains(&words))
        });
        Ok(found)
    }

    fn comments(
        &self,
        condition: &'static str,
        given: i64,
    ) -> Result<Vec<(Comment, String)>, Error> {
        let select = format!(
            "SELECT id, label, comment, author, datetime(at, 'unixepoch'), position FROM comments WHERE {condition} ORDER BY id"
        );
        let comment = |(id, label, comment, author, at, position)| {
            (Comment { id, label, comment, author, at }, position)
        };
        Ok(self.rows(&select, [given])?.into_iter().map(comment).collect())
    }

    /// Adds the comments of another shelf that this one does not have.
    pub(crate) fn merge_comments(&mut self, other: &mut Self) -> Result<(), Error> {
        let select =
            "SELECT key, board, position, label, comment, author, at FROM comments ORDER BY id";
        let insert = "INSERT INTO comments (key, board, position, label, comment, author, at) \
            SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE NOT EXISTS (SELECT 1 FROM comments \
            WHERE key = ?1 AND label IS ?4 AND comment IS ?5 AND author IS ?6)";
        type Text = Option<String>;
        let rows: Vec<(i64, i64, String, Text, Text, Text, i64)> = other.rows(select, [])?;
        for (key, board, position, label, comment, author, at) in rows {
            let board = self.keep_ruleset(&*other.ruleset(board)?)?;
            self.change(insert, params![key, board, position, label, comment, author, at])?;
        }
        Ok(())
    }
}
