//! `--shelf FILE`: a shelf that answers the actions `explore`, `find` and `read_game` of JSON. It is only
//! read, and a pool of connections serves the threads of lookups.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tengen_engine::{GameSpec, Point, Position, Style};
use tengen_games::CATALOG;
use tengen_protocol::dialect::json::number::{Count, Int, Positive};
use tengen_protocol::dialect::json::reply::{MoveText, Outcome, Score};
use tengen_protocol::dialect::json::shelf::{
    self as reply, GameFilter, GameList, GameResults, NotListed,
};
use tengen_protocol::dialect::json::{Code, Problem, clipped};
use tengen_protocol::explorer::{
    Explorer, LOOKUP_TIME, LookupLimit, LookupPosition, LookupQuery, LookupResult, PageRange,
};
use tengen_protocol::queries::board_info;
use tengen_records::{Collection, Format};
use tengen_shelf::{
    Board, Error, Filter, FoundGame, Pattern, PositionAsked, Results, Shelf, Value, explore, find,
};

use super::ask::opening_code;
use super::failure;

/// With more games at a position, none of them is listed: sorting them by date takes too long.
const MOST_SORTED: u64 = 20_000;

/// Opens a shelf for the clients of this process.
pub(crate) fn open_explorer(path: &Path) -> anyhow::Result<&'static dyn Explorer> {
    let first = Shelf::open_to_read(path, &CATALOG).map_err(failure)?;
    let explorer = ShelfExplorer { path: path.to_owned(), idle: Mutex::new(vec![first]) };
    // It serves until the process ends.
    Ok(Box::leak(Box::new(explorer)))
}

/// A shelf with its idle connections.
struct ShelfExplorer {
    path: PathBuf,
    idle: Mutex<Vec<Shelf>>,
}

impl ShelfExplorer {
    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Shelf>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Explorer for ShelfExplorer {
    fn look_up(&self, query: &LookupQuery, limit: &LookupLimit) -> Result<LookupResult, Problem> {
        let known = self.idle().pop();
        let opened = known.map_or_else(|| Shelf::open_to_read(&self.path, &CATALOG), Ok);
        let mut shelf = opened.map_err(problem)?;
        shelf.refresh().map_err(problem)?;
        let is_over = limit.clone();
        shelf.stop_when(move || is_over.is_over()).map_err(problem)?;
        let result = Lookup { shelf: &mut shelf, limit }.run(query);
        self.idle().push(shelf);
        result
    }
}

/// A lookup on a connection.
struct Lookup<'a> {
    shelf: &'a mut Shelf,
    limit: &'a LookupLimit,
}

impl Lookup<'_> {
    fn run(&mut self, query: &LookupQuery) -> Result<LookupResult, Problem> {
        match query {
            LookupQuery::Explore { position, filter, page } => {
                let known = self.explore(position, &filter_of(filter), *page)?;
                Ok(LookupResult::Position(Box::new(known)))
            }
            LookupQuery::Find { position, board, filter, pattern, page } => {
                let asked = position.as_ref().map(asked).transpose()?;
                let mut filter = filter_of(filter);
                let board = board.as_ref().map(board_of).transpose()?;
                filter.board = board.map(|board| board.name);
                let pattern = pattern.as_deref().map(read_pattern).transpose()?;
                let games = self.games(&filter, asked.as_ref(), pattern.as_ref(), *page);
                Ok(LookupResult::Games(games.map_err(problem)?))
            }
            LookupQuery::ReadGame(id) => self.record(*id).map(LookupResult::Record),
        }
    }

    fn explore(
        &mut self,
        position: &LookupPosition,
        filter: &Filter,
        page: PageRange,
    ) -> Result<reply::Explored, Problem> {
        let asked = asked(position)?;
        let stop = || self.limit.is_over();
        let known = explore(self.shelf, &asked, filter, &stop).map_err(problem)?;
        let on_board = self.shelf.games_on(&asked.board().name).map_err(problem)?;
        let not_indexed = self.shelf.not_indexed().map_err(problem)?;
        let games = match known.total.games {
            games if games > MOST_SORTED => Ok(GameList::not_listed(NotListed::TooMany)),
            games if page.limit == 0 => {
                Ok(GameList { found: Some(Count::nearest(games as i64)), ..GameList::default() })
            }
            _ => self.games(filter, Some(&asked), None, page),
        };
        let games = match games {
            // What is known about the moves is worth an answer.
            Err(Error::Stopped) => GameList::not_listed(NotListed::Time),
            games => games.map_err(problem)?,
        };
        let style = position.style;
        let position = shown(position);
        let moves = known.moves.iter().map(|known| reply::ExploredMove {
            mv: MoveText(written(asked.board(), &*position, known.point, style)),
            results: results(&known.results),
            score: known.value.map(score),
            label: known.label.clone(),
            tree: known.is_in_tree,
        });
        Ok(reply::Explored {
            turn: position.turn().into(),
            results: results(&known.total),
            score: known.stored.value.map(score),
            depth: known.stored.depth.map(Count::nearest),
            nodes: known.stored.nodes.map(Count::nearest),
            engine: known.stored.engine.clone(),
            label: known.stored.label.clone(),
            comments: known.stored.comments.clone(),
            moves: moves.collect(),
            on_board: Count::nearest(on_board as i64),
            not_indexed: Count::nearest(not_indexed as i64),
            games,
        })
    }

    fn games(
        &mut self,
        filter: &Filter,
        asked: Option<&PositionAsked>,
        pattern: Option<&Pattern>,
        page: PageRange,
    ) -> Result<GameList, Error> {
        let PageRange { offset, limit } = page;
        let stop = || self.limit.is_over();
        let most = offset.saturating_add(limit);
        let found = find(self.shelf, filter, asked, pattern, Some(most), &stop)?;
        let ids = found.ids.get(offset..).unwrap_or_default();
        let list: Result<_, Error> = ids.iter().map(|id| self.game(*id)).collect();
        let found = Some(Count::nearest(found.total as i64));
        Ok(GameList { found, not_listed: None, list: list? })
    }

    fn game(&mut self, id: i64) -> Result<reply::ShelfGame, Error> {
        let game = self.shelf.game(id)?;
        let board = self.shelf.board_named(&game.board)?;
        let no_board = || Error::Refused(format!("{}: no board of points", game.board));
        let FoundGame { players: [first, second], event, round, date, ending, opening, .. } =
            game.clone();
        Ok(reply::ShelfGame {
            game: Positive::nearest(id),
            variant: board.spec.variant.to_owned(),
            board: board_info(&board.spec).ok_or_else(no_board)?,
            first,
            second,
            event,
            round,
            date,
            result: game.result.map(outcome),
            ending,
            opening,
            plies: Count::nearest(game.moves.len()),
            marks: game.marks.names().map(str::to_owned).collect(),
        })
    }

    /// Returns a game as SGF, with its comments and variations.
    fn record(&mut self, id: i64) -> Result<Vec<u8>, Problem> {
        let (record, spec) = self.shelf.record(id).map_err(|error| match error {
            Error::Refused(why) => Problem::with(Code::BadField, "game", why),
            error => problem(error),
        })?;
        let games = Collection::new(Format::SGF, vec![record]);
        let written = games.write(Format::SGF, &[Some(spec)], None);
        written.map_err(|why| Problem::new(Code::Internal, format!("game {id}: {why}")))
    }
}

/// Returns the problem of a client. It names no file of the server.
fn problem(error: Error) -> Problem {
    match error {
        Error::Stopped => {
            let message = format!(
                "the lookup took longer than {} ms: ask for fewer games, such as those of a player, \
                 an event or a later position",
                LOOKUP_TIME.as_millis()
            );
            Problem::new(Code::Interrupted, message)
        }
        Error::Refused(why) => Problem::new(Code::BadField, why),
        Error::Busy(_) => {
            let busy = Problem::new(Code::TooMany, "another program uses the shelf: try again");
            Problem { retry_after_ms: Some(1000), ..busy }
        }
        Error::Io { why, .. } | Error::Damaged { why, .. } => {
            Problem::new(Code::Internal, format!("the shelf cannot be read: {why}"))
        }
        _ => Problem::new(Code::Internal, "the shelf cannot be read any more"),
    }
}

fn read_pattern(text: &str) -> Result<Pattern, Problem> {
    text.parse().map_err(|why| {
        let message = format!("pattern \"{}\": {why}", clipped(text));
        Problem::with(Code::BadField, "pattern", message)
    })
}

fn filter_of(fields: &GameFilter) -> Filter {
    let year = fields.year.map(Int::get);
    Filter {
        player: fields.player.as_ref().map(ToString::to_string),
        event: fields.event.as_ref().map(ToString::to_string),
        opening: fields.opening.as_ref().map(|name| {
            let name = name.to_string();
            opening_code(&name).map_or(name, str::to_owned)
        }),
        result: fields.result.map(|result| match result {
            Outcome::First => 1,
            Outcome::Draw => 0,
            Outcome::Second => -1,
        }),
        years: year.map(|year| (year, fields.to_year.map_or(year, Int::get))),
        ..Filter::default()
    }
}

fn board_of(spec: &GameSpec) -> Result<Board, Problem> {
    let none = || Problem::new(Code::Unsupported, format!("{} has no board", spec.variant));
    Board::new(spec).ok_or_else(none)
}

/// Returns the position of a lookup, with the moves that led to it.
fn asked(position: &LookupPosition) -> Result<PositionAsked, Problem> {
    let LookupPosition { start: before, moves, .. } = position;
    let board = board_of(before.spec())?;
    let moves: Vec<Point> = moves.iter().filter_map(|mv| board.notation.point_of(*mv)).collect();
    Ok(PositionAsked::new(Arc::new(board), before.placement(), &moves))
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
fn written(board: &Board, position: &dyn Position, point: Point, style: Style) -> String {
    let text = position.write_move(board.notation.move_to(point), style);
    if text.is_empty() { point.to_string() } else { text }
}

fn results(results: &Results) -> GameResults {
    let count = |number: u64| Count::nearest(number as i64);
    GameResults {
        games: count(results.games),
        wins: count(results.wins),
        draws: count(results.draws),
        losses: count(results.losses),
        last: results.last.clone(),
    }
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
