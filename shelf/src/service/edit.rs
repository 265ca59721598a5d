//! Changes that clients make in a shelf.

use tengen_protocol::dialect::json::number::{Count, Positive, Text};
use tengen_protocol::dialect::json::shelf::{ChangeInfo, Changed, CommentFields, EditTreeFields};
use tengen_protocol::explorer::ShelfChange;

use super::lookup::asked;
use crate::{Change, Error, Shelf, TreeEdit, property_of};

/// Makes a change.
pub(super) fn make(shelf: &mut Shelf, change: &ShelfChange) -> Result<Changed, Error> {
    let before = last(shelf)?.map(|change| change.id);
    let (mut count, mut number) = (1, None);
    match change {
        ShelfChange::EditGames { games, headers } => {
            let headers = headers.given().into_iter();
            let headers: Vec<(String, String)> = headers
                .map(|(name, text)| (property_of(name).to_owned(), text.to_owned()))
                .collect();
            count = shelf.edit(games, &headers)?;
        }
        ShelfChange::DeleteGames(games) => {
            count = shelf.delete(games)?;
        }
        ShelfChange::Comment(position, CommentFields { text, label, author, .. }) => {
            let [text, author] =
                [text.as_ref().map(Text::as_str), author.as_ref().map(Text::as_str)];
            let label = label.as_ref().map(Text::as_str);
            number = Some(shelf.add_comment(&asked(position)?, label, text, author)?);
        }
        ShelfChange::ChangeComment(id, CommentFields { text, label, .. }) => {
            let (text, label) = (text.as_ref().map(Text::as_str), label.as_ref().map(Text::as_str));
            shelf.change_comment(*id, label, text)?;
        }
        ShelfChange::EditTree(position, fields) => {
            let tree = fields.tree.map(Positive::get);
            count = shelf.edit_tree(&asked(position)?, tree, &tree_edit(fields))?;
        }
        ShelfChange::Undo(only) => {
            let undone = shelf
                .undo(*only)?
                .ok_or_else(|| Error::Refused("there is no change to take back".to_owned()))?;
            let change = Some(change_info(undone));
            return Ok(Changed { change, count: None, number: None });
        }
        ShelfChange::Redo => {
            let none = || Error::Refused("there is no change to make again".to_owned());
            let change = Some(change_info(shelf.redo()?.ok_or_else(none)?));
            return Ok(Changed { change, count: None, number: None });
        }
    }
    let change = last(shelf)?.filter(|change| Some(change.id) != before).map(change_info);
    let count = Some(Count::nearest(count));
    Ok(Changed { change, count, number: number.map(Positive::nearest) })
}

/// Returns the field of a query that has the part `what` of a change.
pub(super) fn field_of(change: &ShelfChange, what: &str) -> String {
    match (change, what) {
        (ShelfChange::EditGames { .. } | ShelfChange::DeleteGames(_), "game") => "games".to_owned(),
        (ShelfChange::EditGames { .. }, header) => format!("headers.{header}"),
        (ShelfChange::Comment(..) | ShelfChange::ChangeComment(..), "comment") => "text".to_owned(),
        (_, what) => what.to_owned(),
    }
}

/// Returns why a client changes nothing that has last seen the change `known`, or none if it is 0; `None` if that is the last one.
pub(super) fn changed_since(shelf: &Shelf, known: i64) -> Result<Option<String>, Error> {
    let last = last(shelf)?;
    if last.as_ref().map_or(0, |change| change.id) == known {
        return Ok(None);
    }
    let last = last.map_or("its last change was taken back".to_owned(), |change| {
        format!("the last change is {}: {}", change.id, change.what)
    });
    Ok(Some(format!("the shelf was changed since: {last}. Nothing was changed now")))
}

/// Returns the last change.
fn last(shelf: &Shelf) -> Result<Option<Change>, Error> {
    Ok(shelf.changes()?.into_iter().next())
}

/// Returns what a query does to a tree.
fn tree_edit(fields: &EditTreeFields) -> TreeEdit {
    match (&fields.label, &fields.comment) {
        _ if fields.remove == Some(true) => TreeEdit::Remove,
        (Some(label), _) => TreeEdit::Label(label.to_string()),
        (None, Some(comment)) => TreeEdit::Comment(comment.to_string()),
        (None, None) => TreeEdit::Add,
    }
}

/// Returns a change as a reply has it.
pub(super) fn change_info(change: Change) -> ChangeInfo {
    let Change { id, at, what } = change;
    ChangeInfo { number: Positive::nearest(id), at, what }
}
