//! What a solution is made of: its threats, its themes, and the level that finds it.

use tengen_engine::backend::{Catalog, Settings};
use tengen_engine::{
    Client, GridNotation, Limits, Move, Outcome, Point, Position, Query, Side, Signal, Strength,
};
use tengen_games::CATALOG;

use super::puzzle::{Theme, Traits};

/// The nodes of a search at a level. Each level has a lower limit of its own.
const LEVEL_NODES: u64 = 100_000;

/// What a move threatens.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Force {
    Quiet,
    /// An open three, or in games without names of threats a threat to win at once.
    Three,
    /// A four, or the end of the game.
    Four,
}

/// Returns what `line`, a win of the side to move, is made of. `others_lose` tells whether every other first
/// move is proven to lose.
pub(super) fn traits(position: &dyn Position, line: &[Move], others_lose: bool) -> Traits {
    let (mut position, winner) = (position.duplicate(), position.turn());
    let knows_threats = CATALOG.threats(&*position).is_some();
    let (mut forces, mut themes) = (Vec::new(), Vec::new());
    for (ply, mv) in line.iter().enumerate() {
        let is_own = ply % 2 == 0;
        if is_own {
            forces.push(force(&mut *position, *mv));
        }
        if position.play(*mv).is_err() {
            break;
        }
        if is_own && let Some(notation) = position.spec().grid {
            themes.extend(themes_of(&*position, *mv, winner, notation));
        }
    }
    themes.dedup();
    themes.sort_by_key(|theme| *theme as u8);
    themes.dedup();
    let weakest = forces.iter().copied().min().filter(|_| knows_threats);
    match weakest {
        Some(Force::Four) => themes.insert(0, Theme::Vcf),
        Some(Force::Three) => themes.insert(0, Theme::Vct),
        _ => {}
    }
    themes.extend(others_lose.then_some(Theme::Defence));
    let quiet = forces.iter().filter(|force| **force == Force::Quiet).count();
    Traits { themes, quiet, level: None }
}

/// Returns what `mv` threatens in `position`, before it is played.
fn force(position: &mut dyn Position, mv: Move) -> Force {
    if after(position, mv, &mut |position| position.outcome().is_some()) {
        return Force::Four;
    }
    let Some(threats) = CATALOG.threats(position) else {
        let threatens = after(position, mv, &mut leaves_one_defence);
        return if threatens { Force::Three } else { Force::Quiet };
    };
    let own = threats.into_iter().find(|threats| threats.side == position.turn());
    let made = own.and_then(|own| own.moves.into_iter().find(|threat| threat.mv == mv));
    match made {
        Some(threat) if threat.kind.contains("three") && !threat.kind.contains("four") => {
            Force::Three
        }
        Some(_) => Force::Four,
        None => Force::Quiet,
    }
}

/// Returns the themes of the position after the move `mv` of `winner`.
fn themes_of(
    position: &dyn Position,
    mv: Move,
    winner: Side,
    notation: GridNotation,
) -> Vec<Theme> {
    let fives = fives(position, winner, notation);
    let Some(from) = notation.point_of(mv) else { return Vec::new() };
    let forbidden = position.forbidden(position.turn());
    let is_forbidden = fives.iter().any(|five| forbidden.iter().any(|(at, _)| at == five));
    let lines = fives.iter().map(|five| direction(from, *five)).collect::<Vec<_>>();
    let is_double = lines.iter().any(|line| *line != lines[0]);
    let themes = [(is_forbidden, Theme::Forbidden), (is_double, Theme::DoubleFour)];
    themes.into_iter().filter_map(|(is, theme)| is.then_some(theme)).collect()
}

/// Returns the points on which `side` would make a five; none in games without names of threats.
fn fives(position: &dyn Position, side: Side, notation: GridNotation) -> Vec<Point> {
    let own = CATALOG.threats(position).into_iter().flatten().find(|threats| threats.side == side);
    let moves = own.into_iter().flat_map(|own| own.moves);
    moves
        .filter(|threat| threat.kind == "five")
        .filter_map(|threat| notation.point_of(threat.mv))
        .collect()
}

/// Returns the direction of the line through two points, the same from both ends.
fn direction(from: Point, to: Point) -> (i32, i32) {
    let step = |from: u32, to: u32| (to as i32 - from as i32).signum();
    let (columns, rows) = (step(from.column, to.column), step(from.row, to.row));
    if (columns, rows) < (0, 0) { (-columns, -rows) } else { (columns, rows) }
}

/// Returns the lowest level that plays `best` in the client's position, as every higher level does; `None`
/// if the highest one below full strength does not.
pub(super) fn level_of(
    client: &mut Client,
    settings: Settings,
    best: &str,
    signal: &Signal,
) -> Result<Option<u8>, String> {
    let best = client.position().read_move(best).map_err(|why| why.to_string())?;
    let mut lowest = None;
    for skill in (0..Strength::FULL).rev() {
        let weaker = settings.with_strength(Strength::default().with_skill(skill));
        client.configure(&weaker).map_err(|why| why.to_string())?;
        client.clear_hash();
        let query = Query::from(Limits::default().with_nodes(LEVEL_NODES)).with_signal(signal);
        if client.search(query).map_err(|why| why.to_string())?.best != Some(best) {
            break;
        }
        lowest = Some(skill);
    }
    client.configure(&settings).map_err(|why| why.to_string())?;
    Ok(lowest)
}

/// Asks a question about the position after a move.
pub(super) fn after(
    position: &mut dyn Position,
    mv: Move,
    question: &mut dyn FnMut(&mut dyn Position) -> bool,
) -> bool {
    if position.play(mv).is_err() {
        return false;
    }
    let answer = question(position);
    position.undo();
    answer
}

/// Returns whether the side to move has a move that wins at once.
pub(super) fn wins_at_once(position: &mut dyn Position) -> bool {
    let won = Some(Outcome::Win(position.turn()));
    let moves = position.legal();
    moves.into_iter().any(|mv| after(position, mv, &mut |position| position.outcome() == won))
}

/// Returns whether the side to move loses at once unless it plays the only defence, if there is one.
pub(super) fn leaves_one_defence(position: &mut dyn Position) -> bool {
    let replies = position.legal();
    let defends = |mv: &Move| !after(position, *mv, &mut wins_at_once);
    let defences = replies.iter().copied().filter(defends).take(2).count();
    defences < 2 && defences < replies.len()
}
