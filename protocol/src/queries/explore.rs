//! Looks up positions and games in a shelf: `explore`, `find` and `read_game`.

use tengen_records::{Format, ReadOptions, TextEncoding, read};

use super::QuerySession;
use super::accept::Check;
use super::actions::Action;
use super::write::record_parts;
use crate::dialect::json::number::{Id, Int, Text};
use crate::dialect::json::query::{ExploreQuery, FindQuery, ReadGame, Subject, TurnNumber};
use crate::dialect::json::reply::Reply;
use crate::dialect::json::shelf::{
    ChangedReply, ChangesReply, ExploreReply, FindReply, GameFilter, GamePage,
};
use crate::dialect::json::{Code, Problem, clipped, problem};
use crate::explorer::{LookupPosition, LookupQuery, LookupResult, PageRange};
use crate::pool::lookup::Lookup;
use crate::pool::{Effect, TurnKey};

/// How many games are listed by default.
const LISTED: usize = 20;

/// A query that waits for a lookup.
pub(super) struct OpenLookup {
    pub(super) id: Id,
    pub(super) turn_number: TurnNumber,
    /// How many bytes of a record it keeps.
    pub(super) bytes: usize,
    /// Whether it changes the shelf. Such a query is not terminated.
    pub(super) is_change: bool,
}

impl Check<'_> {
    /// Checks `explore`.
    pub(super) fn explore(&mut self, query: ExploreQuery) -> Result<Action, Problem> {
        let ExploreQuery { head, subject, filter, page } = query;
        let position = self.lookup_position(&subject)?;
        let turn_number = TurnNumber::nearest(position.moves.len());
        check_filter(&filter)?;
        let lookup = LookupQuery::Explore { position, filter, page: range(&page) };
        self.look_up(head.id, turn_number, lookup)
    }

    /// Checks `find`.
    pub(super) fn find(&mut self, query: FindQuery) -> Result<Action, Problem> {
        let FindQuery { head, mut subject, filter, page, own } = query;
        check_filter(&filter)?;
        if let Some(drawing) = &own.drawing {
            if subject.fen.is_some() || subject.moves.is_some() || subject.sgf.is_some() {
                let why = "cannot be combined with fen, moves or sgf";
                return Err(problem!(BadField, "drawing", "drawing: {why}"));
            }
            subject.fen = Some(drawn(drawing.as_str())?);
        }
        let Subject { variant, board, fen, moves, sgf, .. } = &subject;
        let has_position = fen.is_some() || moves.is_some() || sgf.is_some();
        let has_board = has_position || variant.is_some() || board.is_some();
        let position = has_board.then(|| self.lookup_position(&subject)).transpose()?;
        let board = position.as_ref().map(|position| position.start.spec().clone());
        let position = position.filter(|_| has_position);
        let pattern = own.pattern.map(|pattern| pattern.as_str().to_owned());
        let page = range(&page);
        let lookup = LookupQuery::Find { position, board, filter, pattern, page };
        self.look_up(head.id, Int::nearest(0), lookup)
    }

    /// Checks `read_game`.
    pub(super) fn read_game(&mut self, query: ReadGame) -> Result<Action, Problem> {
        let lookup = LookupQuery::ReadGame(query.own.game.get());
        self.look_up(query.head.id, Int::nearest(0), lookup)
    }

    /// Reads the position of a query.
    pub(super) fn lookup_position(&mut self, subject: &Subject) -> Result<LookupPosition, Problem> {
        let game = self.game(subject)?;
        if game.spec().grid.is_none() {
            return Err(problem!(Unsupported, "variant", "{} has no board", game.spec().variant));
        }
        let (start, moves) = game.into_parts();
        let style = subject.notation.unwrap_or_default().style();
        Ok(LookupPosition { start, moves, style })
    }

    pub(super) fn look_up(
        &mut self,
        id: Id,
        turn_number: TurnNumber,
        lookup: LookupQuery,
    ) -> Result<Action, Problem> {
        let refused = |why| Problem::with(Code::Unsupported, "action", why);
        let explorer = self.service.explorer.map_err(refused)?;
        self.check_room(1)?;
        let is_change = matches!(lookup, LookupQuery::Change { .. });
        let lookup = Lookup::Shelf(explorer, Box::new(lookup));
        let open = OpenLookup { id, turn_number, bytes: 0, is_change };
        Ok(Box::new(move |session| session.start_lookup(open, lookup)))
    }
}

impl QuerySession {
    pub(super) fn start_lookup(&mut self, open: OpenLookup, lookup: Lookup) {
        self.last_turn += 1;
        let key = TurnKey(self.last_turn);
        self.lookups.insert(key, open);
        self.effects.push(Effect::LookUp(key, lookup));
    }

    /// Sends lines of a lookup.
    pub(super) fn looked_up_lines(&mut self, key: TurnKey, lines: Vec<String>) {
        if self.lookups.contains_key(&key) {
            self.effects.extend(lines.into_iter().map(Effect::Line));
        }
    }

    /// Returns whether the query `id` waits for a lookup.
    pub(super) fn looks_up(&self, id: &Id) -> bool {
        self.lookups.values().any(|lookup| lookup.id == *id)
    }

    /// Handles the end of a lookup.
    pub(super) fn looked_up(&mut self, key: TurnKey, result: Result<LookupResult, Problem>) {
        let Some(OpenLookup { id, turn_number, .. }) = self.lookups.remove(&key) else { return };
        match result {
            Ok(LookupResult::Position(known)) => {
                let reply = ExploreReply { id, turn_number, known: *known };
                self.reply(&Reply::Explore(Box::new(reply)));
            }
            Ok(LookupResult::Games(games)) => self.reply(&Reply::Find(FindReply { id, games })),
            Ok(LookupResult::Record(sgf)) => {
                let parts = record_parts(&id, &sgf);
                parts.for_each(|part| self.reply(&Reply::RecordPart(part)));
            }
            Ok(LookupResult::Changed(changed)) => {
                self.reply(&Reply::Changed(Box::new(ChangedReply { id, changed })));
            }
            Ok(LookupResult::Changes(list)) => {
                self.reply(&Reply::Changes(ChangesReply { id, list }));
            }
            Ok(LookupResult::Sent) => {}
            Err(problem) => self.refuse(Some(id), problem),
        }
        self.leave_if_done();
    }

    /// Returns the lookups of the query `only`, or all of them, without changes of the shelf.
    pub(super) fn open_lookups(&self, only: Option<&Id>) -> Vec<TurnKey> {
        let is_meant =
            |lookup: &OpenLookup| !lookup.is_change && only.is_none_or(|id| lookup.id == *id);
        self.lookups.iter().filter(|(_, lookup)| is_meant(lookup)).map(|(key, _)| *key).collect()
    }

    /// Ends lookups at once, and tells why.
    pub(super) fn end_lookups(&mut self, keys: Vec<TurnKey>, why: &str) {
        for key in keys {
            self.effects.push(Effect::Cancel(key));
            let problem = Problem::new(Code::Interrupted, why);
            self.looked_up(key, Err(problem));
        }
    }
}

fn check_filter(filter: &GameFilter) -> Result<(), Problem> {
    let GameFilter { player, against, first, second, event, opening, comment, source, .. } = filter;
    let names = [
        ("player", player),
        ("against", against),
        ("first", first),
        ("second", second),
        ("event", event),
        ("opening", opening),
        ("comment", comment),
        ("source", source),
    ];
    for (field, name) in names {
        if let Some(name) = name
            && name.as_str().contains(char::is_control)
        {
            let message = format!("{field} \"{}\" has a control character", clipped(name.as_str()));
            return Err(Problem::with(Code::BadField, field, message));
        }
    }
    if let (Some(least), Some(most)) = (filter.min_plies, filter.max_plies)
        && least > most
    {
        let message = format!("max_plies {most}: min_plies is {least}, which is more");
        return Err(Problem::with(Code::BadField, "max_plies", message));
    }
    let Some(to) = filter.to_year else { return Ok(()) };
    let message = match filter.year {
        None => format!("to_year {to}: year, the first one, is missing"),
        Some(year) if year > to => format!("to_year {to}: year is {year}, which is later"),
        Some(_) => return Ok(()),
    };
    Err(Problem::with(Code::BadField, "to_year", message))
}

/// Returns the position of a drawing as a FEN.
fn drawn(text: &str) -> Result<Text<0, 4096>, Problem> {
    let bad = |why: String| problem!(BadField, "drawing", "drawing: {why}");
    let options = ReadOptions::new().format(Format::DRAWING).encoding(TextEncoding::UTF_8);
    let games = read(text.as_bytes(), &options).map_err(|fault| bad(fault.to_string()))?;
    let game = games.records().first().ok_or_else(|| bad("it is empty".to_owned()))?;
    let fen = game.last_fen().map_err(|fault| bad(fault.to_string()))?;
    Text::new(fen).ok_or_else(|| bad("its board is too large".to_owned()))
}

fn range(page: &GamePage) -> PageRange {
    let GamePage { offset, limit } = page;
    PageRange {
        offset: offset.map_or(0, |offset| offset.to()),
        limit: limit.map_or(LISTED, |limit| limit.to()),
    }
}
