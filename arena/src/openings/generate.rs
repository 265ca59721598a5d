//! Generates openings: random stones close together, accepted if a search finds the position level.

use std::collections::HashSet;

use fastrand::Rng;
use tengen_engine::{
    Catalog, Client, GameSpec, Grid, GridNotation, Limits, Move, Point, Position, Settings,
};

use super::{Opening, OpeningList, symmetry};
use crate::config::OpeningsConfig;

/// The default number of moves of an opening.
const DEFAULT_PLIES: u32 = 4;

/// The maximum distance of the first stone from the centre, in rows and columns, without gravity.
const MAX_FROM_CENTRE: i64 = 2;

/// The maximum distance of every other stone from the nearest stone, in rows and columns.
const MAX_FROM_STONE: i64 = 2;

/// The maximum number of attempts for one opening.
const MAX_ATTEMPTS: u32 = 2000;

/// The size of the transposition table, in MiB. It is cleared for each opening, so it is small.
const HASH: usize = 16;

/// Generates a list of different openings. Equal random generators give equal lists. Calls
/// `progress` before each attempt with the number of openings found so far. The error says how many
/// openings were found.
pub fn generate(
    config: &OpeningsConfig,
    catalog: &dyn Catalog,
    spec: &GameSpec,
    random: &mut Rng,
    progress: &mut dyn FnMut(usize),
) -> Result<OpeningList, String> {
    let notation = spec.grid.ok_or("this game is not played on a grid")?;
    let settings = Settings::default().with_hash_mib(HASH);
    let mut client = Client::of(catalog, spec, &settings).map_err(|error| error.to_string())?;
    let mut board = catalog.position(spec);
    let plies = config.plies.unwrap_or(DEFAULT_PLIES);
    let mut seen = HashSet::new();
    let mut openings = Vec::new();
    while openings.len() < config.count as usize {
        let count = openings.len();
        let found = (0..MAX_ATTEMPTS).find_map(|_| {
            progress(count);
            if !play_random(&mut *board, notation, plies, random)
                || !seen.insert(symmetry::canonical(&*board))
            {
                return None;
            }
            is_level(&mut client, &*board, config, spec.is_exact).then(|| board.played().to_vec())
        });
        let Some(moves) = found else {
            let (count, found) = (config.count, openings.len());
            return Err(format!(
                "{count} openings of {plies} plies: only {found} level ones were found; more plies=, more nodes= or a smaller -count are needed"
            ));
        };
        openings.push(Opening { start: None, moves });
    }
    Ok(OpeningList { openings, repeated: 0 })
}

/// Plays random moves from the starting position. Returns whether the game is not over then.
fn play_random(
    board: &mut dyn Position,
    notation: GridNotation,
    plies: u32,
    random: &mut Rng,
) -> bool {
    board.reset();
    let grid = notation.grid();
    for _ in 0..plies {
        let near: Vec<Move> = board
            .legal()
            .into_iter()
            .filter(|mv| {
                let point = notation.point_of(*mv);
                notation.falls() || point.is_some_and(|point| is_near(board, grid, point))
            })
            .collect();
        let Some(mv) = random.choice(near) else { return false };
        if board.play(mv).is_err() || board.outcome().is_some() {
            return false;
        }
    }
    true
}

/// Returns whether `point` is close to a stone, or to the centre of an empty board.
fn is_near(board: &dyn Position, grid: Grid, point: Point) -> bool {
    let [column, row] = coordinates(point);
    let within = |other: [i64; 2], most: i64| {
        (column - other[0]).abs() <= most && (row - other[1]).abs() <= most
    };
    let mut stones =
        grid.all().map(|cell| grid.point(cell)).filter(|at| board.stone(*at).is_some());
    let mut is_empty = true;
    let is_close = stones.any(|stone| {
        is_empty = false;
        within(coordinates(stone), MAX_FROM_STONE)
    });
    let middle = [i64::from(grid.width()) / 2, i64::from(grid.height()) / 2];
    is_close || (is_empty && within(middle, MAX_FROM_CENTRE))
}

/// Returns column and row of a point.
fn coordinates(point: Point) -> [i64; 2] {
    [i64::from(point.column), i64::from(point.row)]
}

/// Returns whether a search finds the position level: no proven win, and a score near 0. In an
/// exact game (`is_exact`), only a proven draw is level.
fn is_level(
    client: &mut Client,
    board: &dyn Position,
    config: &OpeningsConfig,
    is_exact: bool,
) -> bool {
    client.clear_hash();
    client.set_position(board.duplicate());
    let limits = Limits::default().with_nodes(config.nodes);
    let Ok(answer) = client.search(limits) else { return false };
    let winner = answer.settled.as_ref().map(|settled| settled.winner);
    if is_exact {
        return winner.is_some_and(|winner| winner.is_none());
    }
    let is_won = winner.flatten().is_some();
    let score = answer.report.score;
    !is_won && !score.is_decisive() && score.raw().unsigned_abs() <= config.balance
}

#[cfg(test)]
mod tests {
    use tengen_engine::Chosen;
    use tengen_games::CATALOG;

    use super::*;
    use crate::config::OpeningFormat;

    fn generated(variant: &str, count: u32, plies: u32, seed: u64) -> Result<Vec<String>, String> {
        let config = OpeningsConfig {
            style: OpeningFormat::Generate,
            plies: Some(plies),
            count,
            nodes: 3000,
            ..OpeningsConfig::default()
        };
        let spec = CATALOG.describe(variant, &Chosen::new()).unwrap();
        let mut random = Rng::with_seed(seed);
        let mut shown = Vec::new();
        let list = generate(&config, &CATALOG, &spec, &mut random, &mut |done| shown.push(done))?;
        assert!(shown.is_sorted() && shown.first() == Some(&0), "{shown:?}");
        let mut board = CATALOG.position(&spec);
        Ok(list.to_text(&mut *board)?.lines().map(str::to_owned).collect())
    }

    #[test]
    fn openings_are_different_level_and_repeatable() {
        let one = generated("renju", 6, 3, 5).unwrap();
        assert_eq!(one, generated("renju", 6, 3, 5).unwrap());
        assert_ne!(one, generated("renju", 6, 3, 6).unwrap());
        assert_eq!(one.iter().collect::<HashSet<_>>().len(), 6);
        assert!(one.iter().all(|line| line.split(' ').count() == 5), "{one:?}");
        let drops = generated("cfour", 5, 22, 1).unwrap();
        assert!(drops.iter().all(|line| line.starts_with("startpos moves ")));
    }

    #[test]
    fn in_exact_games_only_proven_draws_are_level() {
        let spec = CATALOG.describe("cfour", &Chosen::new()).unwrap();
        let mut client = Client::of(&CATALOG, &spec, &Settings::default()).unwrap();
        let mut board = CATALOG.position(&spec);
        for line in generated("cfour", 8, 22, 3).unwrap() {
            let opening = Opening::from_line(&line, &mut *board).unwrap();
            opening.set_up(&mut *board).unwrap();
            client.set_position(board.duplicate());
            let answer = client.search(Limits::default()).unwrap();
            assert_eq!(answer.settled.map(|settled| settled.winner), Some(None), "{line}");
        }
    }

    #[test]
    fn too_many_are_refused() {
        // Turned and mirrored, tic-tac-toe has three first moves.
        let error = generated("tictactoe", 4, 1, 1).unwrap_err();
        assert!(
            error.starts_with("4 openings of 1 plies: only 3 level ones were found"),
            "{error}"
        );
    }
}
