//! Changes the shelf: `edit_games`, `delete_games`, `comment`, `edit_tree`, `undo`, `redo`, and lists its changes.

use super::accept::Check;
use super::actions::Action;
use crate::dialect::json::number::{Count, Id, Int, List, Positive};
use crate::dialect::json::query::{
    ChangesQuery, CommentQuery, DeleteGames, EditGames, EditTree, Redo, Undo,
};
use crate::dialect::json::shelf::{GameHeaders, KnownState};
use crate::dialect::json::{Code, Problem, problem};
use crate::explorer::{LookupQuery, ShelfChange};

/// How many changes are listed by default.
const LISTED: usize = 20;

impl Check<'_> {
    /// Checks `edit_games`.
    pub(super) fn edit_games(&mut self, query: EditGames) -> Result<Action, Problem> {
        let headers = query.own.headers.unwrap_or_default();
        if headers.given().is_empty() {
            let unknown = self.warnings.iter().find_map(|(_, field, _)| {
                let name = field.strip_prefix("headers.")?;
                Some(format!("\"{name}\" is unknown: "))
            });
            let (unknown, known) = (unknown.unwrap_or_default(), GameHeaders::NAMES.join(", "));
            return Err(problem!(
                BadField,
                "headers",
                "headers: {unknown}one of {known} is needed"
            ));
        }
        let games = numbers(&query.own.games)?;
        self.change(
            "edit_games",
            query.head.id,
            &query.known,
            ShelfChange::EditGames { games, headers },
        )
    }

    /// Checks `delete_games`.
    pub(super) fn delete_games(&mut self, query: DeleteGames) -> Result<Action, Problem> {
        let games = numbers(&query.own.games)?;
        self.change("delete_games", query.head.id, &query.known, ShelfChange::DeleteGames(games))
    }

    /// Checks `comment`.
    pub(super) fn comment(&mut self, query: CommentQuery) -> Result<Action, Problem> {
        let CommentQuery { head, subject, own, known } = query;
        if own.text.is_none() && own.label.is_none() {
            return Err(problem!(BadField, "text", "text or label is needed"));
        }
        let change = match own.number {
            Some(_) if own.author.is_some() => {
                let why = "author: a comment keeps its author; leave author or number out";
                return Err(problem!(BadField, "author", "{why}"));
            }
            Some(number) => ShelfChange::ChangeComment(number.get(), own),
            None => ShelfChange::Comment(self.lookup_position(&subject)?, own),
        };
        self.change("comment", head.id, &known, change)
    }

    /// Checks `edit_tree`.
    pub(super) fn edit_tree(&mut self, query: EditTree) -> Result<Action, Problem> {
        let EditTree { head, subject, own, known } = query;
        let removes = own.remove == Some(true);
        let given = [removes, own.label.is_some(), own.comment.is_some()];
        if given.into_iter().filter(|is_given| *is_given).count() > 1 {
            let why = "remove, label and comment: one of them is changed at a time";
            return Err(problem!(BadField, "remove", "{why}"));
        }
        let position = self.lookup_position(&subject)?;
        self.change("edit_tree", head.id, &known, ShelfChange::EditTree(position, own))
    }

    /// Checks `undo`.
    pub(super) fn undo(&mut self, query: Undo) -> Result<Action, Problem> {
        let change = query.own.change.map(Positive::get);
        self.change("undo", query.head.id, &KnownState::default(), ShelfChange::Undo(change))
    }

    /// Checks `redo`.
    pub(super) fn redo(&mut self, query: Redo) -> Result<Action, Problem> {
        self.change("redo", query.head.id, &KnownState::default(), ShelfChange::Redo)
    }

    /// Checks `changes`.
    pub(super) fn changes(&mut self, query: ChangesQuery) -> Result<Action, Problem> {
        let limit = query.own.limit.map_or(LISTED, Int::to);
        self.check_editable("changes")?;
        self.look_up(query.head.id, Int::nearest(0), LookupQuery::Changes(limit))
    }

    fn change(
        &mut self,
        action: &str,
        id: Id,
        known: &KnownState,
        change: ShelfChange,
    ) -> Result<Action, Problem> {
        self.check_editable(action)?;
        let last_change = known.last_change.map(Count::get);
        self.look_up(id, Int::nearest(0), LookupQuery::Change { last_change, change })
    }

    /// Refuses an action that needs a shelf which clients may change.
    fn check_editable(&self, action: &str) -> Result<(), Problem> {
        let explorer = self.service.explorer;
        let explorer = explorer.map_err(|why| Problem::with(Code::Unsupported, "action", why))?;
        if explorer.is_editable() {
            return Ok(());
        }
        let why = "the shelf is only read: start the program with --shelf FILE --edit";
        Err(problem!(Forbidden, "action", "{action}: {why}"))
    }
}

/// Returns the numbers of a list that has one at least.
fn numbers(games: &List<Positive, 1000>) -> Result<Vec<i64>, Problem> {
    match games.items() {
        [] => Err(problem!(BadField, "games", "games: the number of a game is needed")),
        games => Ok(games.iter().map(|number| number.get()).collect()),
    }
}
