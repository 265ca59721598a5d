//! [`Lookup`]: what a shelf knows, as replies of the JSON protocol.

use std::sync::Arc;

use tengen_engine::{GameSpec, Point, Position, Style};
use tengen_protocol::dialect::json::number::{Count, Int, Positive};
use tengen_protocol::dialect::json::reply::{MoveText, Outcome, Score};
use tengen_protocol::dialect::json::shelf::{
    self as reply, GameFilter, GameList, GameResults, GameSource, NotListed, YearResults,
};
use tengen_protocol::explorer::{LookupPosition, PageRange};
use tengen_protocol::queries::board_info;

use crate::{
    Error, Filter, FoundGame, Note, OtherOrder, Pattern, PositionAsked, Results, Ruleset, Shelf,
    Value, explore, find,
};

/// The largest number of games at a position that are sorted by date. With more games none is listed.
const MOST_SORTED: u64 = 20_000;

/// A lookup in a shelf.
pub struct Lookup<'a> {
    shelf: &'a mut Shelf,
    stop: &'a dyn Fn() -> bool,
    is_local: bool,
    has_years: bool,
}

impl<'a> Lookup<'a> {
    /// Creates a lookup for a remote client. `stop` ends it early.
    pub fn new(shelf: &'a mut Shelf, stop: &'a dyn Fn() -> bool) -> Self {
        Self { shelf, stop, is_local: false, has_years: false }
    }

    /// Makes it a lookup for the user of this machine: games name the files that they come from.
    #[must_use]
    pub fn for_user(self) -> Self {
        Self { is_local: true, ..self }
    }

    /// Adds the results by year, if `has_years`.
    #[must_use]
    pub fn with_years(self, has_years: bool) -> Self {
        Self { has_years, ..self }
    }

    /// Returns what is known about a position, of the games that `filter` takes; of these the page is listed.
    pub fn explore(
        &mut self,
        position: &LookupPosition,
        filter: &Filter,
        page: PageRange,
    ) -> Result<reply::Explored, Error> {
        let asked = asked(position)?;
        let known = explore(self.shelf, &asked, filter, self.stop)?;
        let on_board = self.shelf.games_on(&asked.ruleset().name)?;
        let not_indexed = self.shelf.not_indexed()?;
        let last_change = self.shelf.last_change()?;
        let games = match known.total.games {
            games if games > MOST_SORTED => Ok(GameList::not_listed(NotListed::TooMany)),
            games if page.limit == 0 => {
                Ok(GameList { found: Some(count(games)), ..GameList::default() })
            }
            _ => self.games(filter, Some(&asked), None, page),
        };
        let games = match games {
            // What is known about the moves is worth an answer.
            Err(Error::Stopped) => GameList::not_listed(NotListed::Time),
            games => games?,
        };
        let style = position.style;
        let position = shown(position);
        let moves = known.moves.iter().map(|known| reply::ExploredMove {
            mv: MoveText(written(asked.ruleset(), &*position, known.point, style)),
            results: self.results(&known.results),
            score: known.value.map(score),
            label: known.label.clone(),
            tree: known.is_in_tree,
        });
        let order = |order: OtherOrder| reply::OtherOrder {
            mv: MoveText(written(asked.ruleset(), &*position, order.point, style)),
            games: count(order.games),
            tree: order.is_in_tree,
        };
        Ok(reply::Explored {
            turn: position.turn().into(),
            results: self.results(&known.total),
            score: known.stored.value.map(score),
            depth: known.stored.depth.map(Count::nearest),
            nodes: known.stored.nodes.map(Count::nearest),
            engine: known.stored.engine.clone(),
            label: known.stored.label.clone(),
            comments: known.stored.comments.clone(),
            notes: known.notes.into_iter().map(note).collect(),
            other_orders: known.other_orders.into_iter().map(order).collect(),
            last_change: Count::nearest(last_change.unwrap_or_default()),
            moves: moves.collect(),
            on_board: count(on_board),
            not_indexed: count(not_indexed),
            games,
        })
    }

    /// Returns the page of the games that `filter` takes, that reached `asked`, and that show `pattern`.
    pub fn games(
        &mut self,
        filter: &Filter,
        asked: Option<&PositionAsked>,
        pattern: Option<&Pattern>,
        page: PageRange,
    ) -> Result<GameList, Error> {
        let PageRange { offset, limit } = page;
        let most = offset.saturating_add(limit);
        let found = find(self.shelf, filter, asked, pattern, Some(most), self.stop)?;
        let ids = found.ids.get(offset..).unwrap_or_default();
        let list: Result<_, Error> = ids.iter().map(|id| self.game(*id)).collect();
        Ok(GameList { found: Some(count(found.total)), not_listed: None, list: list? })
    }

    fn results(&self, results: &Results) -> GameResults {
        let years = self.has_years.then(|| results.years.iter().map(year_results).collect());
        let Results { games, wins, draws, losses, last, .. } = results;
        let [games, wins, draws, losses] =
            [games, wins, draws, losses].map(|number| count(*number));
        GameResults { games, wins, draws, losses, last: last.clone(), years }
    }

    fn game(&mut self, id: i64) -> Result<reply::ShelfGame, Error> {
        let FoundGame {
            ruleset,
            players: [first, second],
            event,
            round,
            date,
            result,
            ending,
            opening,
            marks,
            moves,
            source: (file, number),
            ..
        } = self.shelf.game(id)?;
        let ruleset = self.shelf.ruleset_named(&ruleset)?;
        let no_grid = || Error::Refused(format!("{}: no board of points", ruleset.name));
        let number = Count::nearest(number);
        Ok(reply::ShelfGame {
            game: Positive::nearest(id),
            variant: ruleset.spec.variant.to_owned(),
            board: board_info(&ruleset.spec).ok_or_else(no_grid)?,
            first,
            second,
            event,
            round,
            date,
            result: result.map(outcome),
            ending,
            opening,
            plies: Count::nearest(moves.len()),
            marks: marks.names().map(str::to_owned).collect(),
            source: self.is_local.then_some(GameSource { file, number }),
        })
    }
}

/// Returns what a person wrote as the reply has it.
fn note(note: Note) -> reply::ShelfNote {
    let Note { text, label, author, at, comment, tree } = note;
    let [number, tree] = [comment, tree].map(|id| id.map(Positive::nearest));
    reply::ShelfNote { text, label, author, at, number, tree }
}

/// Returns the filter of a query.
pub(super) fn filter_of(fields: &GameFilter) -> Filter {
    let year = fields.year.map(Int::get);
    let text = |text: &Option<_>| text.as_ref().map(ToString::to_string);
    let plies = [&fields.min_plies, &fields.max_plies].map(|plies| plies.map(Count::get));
    Filter {
        player: text(&fields.player),
        against: text(&fields.against),
        sides: [text(&fields.first), text(&fields.second)],
        event: text(&fields.event),
        opening: text(&fields.opening),
        comment: text(&fields.comment),
        file: text(&fields.source),
        plies: (plies != [None; 2]).then(|| (plies[0].unwrap_or(0), plies[1].unwrap_or(i64::MAX))),
        result: fields.result.map(|result| match result {
            Outcome::First => 1,
            Outcome::Draw => 0,
            Outcome::Second => -1,
        }),
        years: year.map(|year| (year, fields.to_year.map_or(year, Int::get))),
        ..Filter::default()
    }
}

/// Returns the ruleset of a game.
pub(super) fn ruleset_of(spec: &GameSpec) -> Result<Ruleset, Error> {
    let no_grid = || Error::wrong("variant", format!("{} has no board", spec.variant));
    Ruleset::new(spec).ok_or_else(no_grid)
}

/// Returns the position of a lookup, with the moves that led to it.
pub(super) fn asked(position: &LookupPosition) -> Result<PositionAsked, Error> {
    let LookupPosition { start, moves, .. } = position;
    let ruleset = Arc::new(ruleset_of(start.spec())?);
    Ok(PositionAsked::of_game(ruleset, start.as_ref(), moves))
}

/// Returns the position after the moves of a lookup.
fn shown(asked: &LookupPosition) -> Box<dyn Position> {
    let mut position = asked.start.duplicate();
    for mv in &asked.moves {
        // All moves are legal.
        if position.play(*mv).is_err() {
            break;
        }
    }
    position
}

/// Writes a move. A tree may have one that cannot be played: that is written as its point.
fn written(ruleset: &Ruleset, position: &dyn Position, point: Point, style: Style) -> String {
    let text = position.write_move(ruleset.notation.move_to(point), style);
    if text.is_empty() { point.to_string() } else { text }
}

/// Returns the results of a year.
fn year_results((year, numbers): (&i64, &[u64; 4])) -> YearResults {
    let [games, wins, draws, losses] = numbers.map(count);
    YearResults { year: Int::new(*year), games, wins, draws, losses }
}

fn score(value: Value) -> Score {
    match value {
        Value::Cp(cp) => Score::Cp(Int::nearest(cp)),
        Value::Mate(plies) if plies > 0 => Score::WinIn(Count::nearest(plies)),
        Value::Mate(plies) => Score::LossIn(Count::nearest(-plies)),
    }
}

fn outcome(result: i64) -> Outcome {
    match result {
        1 => Outcome::First,
        0 => Outcome::Draw,
        _ => Outcome::Second,
    }
}

fn count(number: u64) -> Count {
    Count::nearest(number as i64)
}
