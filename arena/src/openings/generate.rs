//! Openings that are made: random stones close together, kept where a search finds them level.

use std::collections::HashSet;

use fastrand::Rng;
use tengen_engine::{
    Catalog, Client, GameSpec, Grid, GridNotation, Limits, Move, Point, Position, Settings,
};

use super::{Opening, OpeningList, symmetry};
use crate::config::OpeningsConfig;

/// The usual number of moves of an opening.
const USUAL_PLIES: u32 = 4;

/// The first stone of a board without gravity lies so near to the centre, in rows and columns.
const CENTRE: i64 = 2;

/// Every other stone lies so near to one that is there.
const NEAR: i64 = 2;

/// Tries for one opening before a list is given up.
const TRIES: u32 = 2000;

/// The table of the search, in MiB: it is cleared for each opening.
const HASH: usize = 16;

/// Makes a list of different openings. Equal generators make equal lists. The error says what could
/// not be found.
pub fn generate(
    config: &OpeningsConfig,
    catalog: &dyn Catalog,
    spec: &GameSpec,
    random: &mut Rng,
) -> Result<OpeningList, String> {
    let notation = spec.grid.ok_or("this game is not played on a grid")?;
    let settings = Settings::default().with_hash_mib(HASH);
    let mut client = Client::of(catalog, spec, &settings).map_err(|error| error.to_string())?;
    let mut board = catalog.position(spec);
    let plies = config.plies.unwrap_or(USUAL_PLIES);
    let mut seen = HashSet::new();
    let mut openings = Vec::new();
    while openings.len() < config.count as usize {
        let found = (0..TRIES).find_map(|_| {
            if !scatter(&mut *board, notation, plies, random)
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

/// Plays random moves from the starting position; returns whether the game is still open then.
fn scatter(board: &mut dyn Position, notation: GridNotation, plies: u32, random: &mut Rng) -> bool {
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

/// Returns whether a stone at `point` would lie close to another, or as the first one to the centre.
fn is_near(board: &dyn Position, grid: Grid, point: Point) -> bool {
    let [column, row] = place(point);
    let within = |other: [i64; 2], most: i64| {
        (column - other[0]).abs() <= most && (row - other[1]).abs() <= most
    };
    let mut stones =
        grid.all().map(|cell| grid.point(cell)).filter(|at| board.stone(*at).is_some());
    let mut is_empty = true;
    let is_close = stones.any(|stone| {
        is_empty = false;
        within(place(stone), NEAR)
    });
    let middle = [i64::from(grid.width()) / 2, i64::from(grid.height()) / 2];
    is_close || (is_empty && within(middle, CENTRE))
}

fn place(point: Point) -> [i64; 2] {
    [i64::from(point.column), i64::from(point.row)]
}

/// Returns whether a search finds a position level: no proven win, and a score near 0. `is_exact`: in
/// this game scores are proven, so that only a proven draw is level.
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
    use crate::config::{OpeningFormat, OpeningSequence, Policy, SettingSource};

    fn made(variant: &str, count: u32, plies: u32, seed: u64) -> Result<Vec<String>, String> {
        let config = OpeningsConfig {
            file: None,
            style: OpeningFormat::Generate,
            order: OpeningSequence::default(),
            start: 1,
            plies: Some(plies),
            policy: Policy::default(),
            transform: false,
            balance: 60,
            count,
            nodes: 3000,
            place: SettingSource::CommandLine,
        };
        let spec = CATALOG.describe(variant, &Chosen::new()).unwrap();
        let mut random = Rng::with_seed(seed);
        let list = generate(&config, &CATALOG, &spec, &mut random)?;
        let mut board = CATALOG.position(&spec);
        Ok(list.to_text(&mut *board)?.lines().map(str::to_owned).collect())
    }

    #[test]
    fn openings_are_different_level_and_repeatable() {
        let one = made("renju", 6, 3, 5).unwrap();
        assert_eq!(one, made("renju", 6, 3, 5).unwrap());
        assert_ne!(one, made("renju", 6, 3, 6).unwrap());
        assert_eq!(one.iter().collect::<HashSet<_>>().len(), 6);
        assert!(one.iter().all(|line| line.split(' ').count() == 5), "{one:?}");
        let drops = made("cfour", 5, 22, 1).unwrap();
        assert!(drops.iter().all(|line| line.starts_with("startpos moves ")));
    }

    #[test]
    fn where_scores_are_exact_only_proven_draws_are_level() {
        let spec = CATALOG.describe("cfour", &Chosen::new()).unwrap();
        let mut client = Client::of(&CATALOG, &spec, &Settings::default()).unwrap();
        let mut board = CATALOG.position(&spec);
        for line in made("cfour", 8, 22, 3).unwrap() {
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
        let error = made("tictactoe", 4, 1, 1).unwrap_err();
        assert!(
            error.starts_with("4 openings of 1 plies: only 3 level ones were found"),
            "{error}"
        );
    }
}
