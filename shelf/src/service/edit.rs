//! Changes that clients make in a shelf.

use tengen_protocol::dialect::json::number::{Count, Positive, Text};
use tengen_protocol::dialect::json::shelf::{ChangeInfo, Changed, CommentFields, EditTreeFields};
use tengen_protocol::explorer::ShelfChange;

use super::lookup::asked;
use crate::{Change, Error, Shelf, TreeEdit, property_of};

/// Makes a change, unless the shelf was changed after `last_change`, the number of a change or 0.
pub(super) fn make(
    shelf: &mut Shelf,
    last_change: Option<i64>,
    change: &ShelfChange,
) -> Result<Changed, Error> {
    let last_one = last(shelf)?;
    let before = last_one.as_ref().map(|change| change.id);
    if last_change.is_some_and(|known| known != before.unwrap_or(0)) {
        return Err(changed_since(last_one.as_ref()));
    }
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
            shelf.delete(games)?;
            count = games.len() as u64;
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
    }
    let change = last(shelf)?.filter(|change| Some(change.id) != before).map(change_info);
    let count = Some(Count::nearest(count));
    Ok(Changed { change, count, number: number.map(Positive::nearest) })
}

/// Returns the refusal of a change by a client that has not seen the last one.
fn changed_since(last: Option<&Change>) -> Error {
    let last = last.map_or("its last change was taken back".to_owned(), |change| {
        format!("the last change is {}: {}", change.id, change.what)
    });
    Error::Refused(format!("the shelf was changed since: {last}. Nothing was changed now"))
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
