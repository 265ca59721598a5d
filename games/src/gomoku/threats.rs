//! All threats of both sides in a position: fives, fours, open threes, and every move that begins a
//! win by continuous fours (VCF).

use tengen_engine::threats::{ForcedWin, FoursResult, ThreatMove, Threats};
use tengen_engine::{Cell, Context, Game, Interrupt, Move, Side};

use crate::gomoku::pattern::threat::{Group, Threat};
use crate::gomoku::solver::PlayUndo;
use crate::gomoku::solver::vcf::{SolverResult, VcfLimits, search_vcf};
use crate::gomoku::solver_memory::scope::VcfScope;
use crate::gomoku::{Board, GomokuEvaluator};

/// The node limit of the search for a win after a four and its answer.
const NODES: u64 = 200_000;

/// The groups of points with threats, the strongest first.
const GROUPS: [Group; 4] = [Group::Fives, Group::OpenFours, Group::Fours, Group::Threes];

/// Returns the threats of the side to move, then those of the opponent as if it were to move. The
/// game must not be over.
pub(crate) fn threats(board: &Board) -> Vec<Threats> {
    [board.clone(), board.passed()].iter().map(threats_of_mover).collect()
}

fn threats_of_mover(board: &Board) -> Threats {
    let side = board.turn();
    let mut evaluator = GomokuEvaluator::new(board);
    let list = |group| evaluator.playable(board, side, group).collect::<Vec<Cell>>();
    let mut cells: Vec<Cell> = GROUPS.into_iter().flat_map(list).collect();
    cells.sort_by_key(|&cell| std::cmp::Reverse(evaluator.points.threat(side, cell)));
    let mut is_complete = true;
    let mut moves = Vec::new();
    for mv in cells {
        let threat = evaluator.points.threat(side, mv);
        let win = match threat {
            Threat::Five => SolverResult::Win(vec![mv]),
            Threat::Three | Threat::DoubleThree => SolverResult::NoWin,
            _ => win_after(&mut evaluator, board, mv),
        };
        is_complete &= win != SolverResult::Unknown;
        moves.push(threat_move(mv, threat, win));
    }
    Threats::new(side, moves, is_complete)
}

/// Searches a win of the side to move by fours.
pub(crate) fn win_by_fours(board: &Board, nodes: u64) -> FoursResult {
    match won(board, &mut GomokuEvaluator::new(board), nodes) {
        SolverResult::Win(line) => FoursResult::Win(line.into_iter().map(typed).collect()),
        SolverResult::NoWin => FoursResult::NoWin,
        SolverResult::Unknown => FoursResult::Unknown,
    }
}

fn typed(cell: Cell) -> Move {
    Move::from_code(cell.index() as u32)
}

fn threat_move(mv: Cell, threat: Threat, win: SolverResult<Vec<Cell>>) -> ThreatMove {
    let win = match win {
        SolverResult::Win(line) => Some(ForcedWin {
            plies: line.len() as u32,
            line: line.into_iter().map(typed).collect(),
        }),
        _ => None,
    };
    ThreatMove { mv: typed(mv), kind: name(threat), win }
}

const fn name(threat: Threat) -> &'static str {
    match threat {
        Threat::Five => "five",
        Threat::OpenFour => "open four or double-four",
        Threat::FourThree => "four and open three",
        Threat::Four | Threat::Forbidden | Threat::Taken => "four",
        Threat::DoubleThree => "two open threes",
        Threat::Three | Threat::Quiet => "open three",
    }
}

/// Searches a win by fours that begins with the four `mv`. The line is that of the longest defence.
fn win_after(evaluator: &mut GomokuEvaluator, board: &Board, mv: Cell) -> SolverResult<Vec<Cell>> {
    let mut line = (board.clone(), evaluator);
    line.with_move(mv, |line| {
        let (board, evaluator) = line.board_and_evaluator();
        let (side, attacker) = (board.turn(), board.turn().other());
        if board.outcome().is_some() || evaluator.fives(board, side).next().is_some() {
            return SolverResult::NoWin;
        }
        let mut answers = Vec::new();
        evaluator.push_answers(board, side, &mut answers);
        if answers.is_empty() {
            return SolverResult::Win(last_moves(evaluator, board, mv, attacker));
        }
        let mut longest: Vec<Cell> = Vec::new();
        for answer in answers {
            match line.with_move(answer, |(board, evaluator)| won(board, evaluator, NODES)) {
                SolverResult::Win(rest) if rest.len() + 2 > longest.len() => {
                    longest = [&[mv, answer][..], &rest].concat();
                }
                SolverResult::Win(_) => {}
                other => return other,
            }
        }
        SolverResult::Win(longest)
    })
}

/// Searches a win by fours of the side to move.
fn won(board: &Board, evaluator: &mut GomokuEvaluator, nodes: u64) -> SolverResult<Vec<Cell>> {
    if board.outcome().is_some() {
        return SolverResult::NoWin;
    }
    let limits = VcfLimits::new(VcfScope::Full, nodes);
    let found: Result<_, Interrupt> =
        search_vcf(evaluator, board, limits, &mut Context::unlimited());
    found.map_or(SolverResult::Unknown, |(result, _)| result)
}

/// Returns the four `mv`, a stone on one of the points that win, and a stone on another. A player who
/// may not stop the only one puts a stone elsewhere.
fn last_moves(evaluator: &GomokuEvaluator, board: &Board, mv: Cell, attacker: Side) -> Vec<Cell> {
    let fives: Vec<Cell> = evaluator.fives(board, attacker).collect();
    let is_allowed = |cell: &Cell| evaluator.may_play(board, attacker.other(), *cell);
    let reply = fives.iter().copied().find(|cell| fives.len() > 1 && is_allowed(cell));
    let mut allowed = Vec::new();
    board.moves(&mut allowed);
    let reply = reply.or_else(|| allowed.into_iter().find(|cell| !fives.contains(cell)));
    let five = fives.into_iter().find(|cell| Some(*cell) != reply);
    [Some(mv), reply, five].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use tengen_engine::Notation;

    use super::*;
    use crate::gomoku::Rule;

    /// Returns the threats after `moves` as text: side, point, kind and plies of the win.
    fn listed(rule: Rule, moves: &str) -> Vec<String> {
        let mut board = Board::new(rule, 15, 15).unwrap();
        for mv in moves.split_whitespace() {
            let mv = board.read_move(mv).unwrap();
            board.play(mv);
        }
        let grid = board.grid();
        let text = |threats: Threats| {
            assert!(threats.is_complete);
            let side = threats.side;
            let text = move |found: ThreatMove| {
                let point = grid.point(grid.at(found.mv.code() as usize).unwrap());
                let win = found.win.map_or(0, |win| win.plies);
                format!("{side:?} {point} {} {win}", found.kind)
            };
            threats.moves.into_iter().map(text).collect::<Vec<_>>()
        };
        threats(&board).into_iter().flat_map(text).collect()
    }

    #[test]
    fn threats_of_both_sides_are_listed_with_their_wins() {
        let three = listed(Rule::Freestyle, "h8 a1 i8 c1 j8 e1");
        assert_eq!(
            three,
            [
                "First g8 open four or double-four 3",
                "First k8 open four or double-four 3",
                "First f8 four 0",
                "First l8 four 0",
                "Second b1 four 0",
                "Second d1 four 0",
                "Second f1 open three 0",
            ]
            .map(str::to_owned)
        );
        // The opponent threatens the open four, and the side to move has nothing.
        let after = listed(Rule::Freestyle, "h8 a1 i8 c1 j8");
        assert_eq!(after.len(), 4);
        assert!(after.iter().all(|text| text.starts_with("First ")), "{after:?}");
        // A five comes first; the other side must stop it, and cannot win by fours.
        let five = listed(Rule::Freestyle, "h8 g8 i8 a1 j8 c1 k8 e1");
        assert_eq!(five[0], "First l8 five 1");
        let second = listed(Rule::Freestyle, "h8 g8 i8 a1 j8 b1 k8 c1 o15");
        assert!(second[0].starts_with("Second d1 four"), "{second:?}");
        assert!(second.iter().any(|text| text == "First l8 five 1"), "{second:?}");
        assert!(second.iter().all(|text| !text.starts_with("Second") || text.ends_with(" 0")));
    }

    #[test]
    fn forbidden_points_are_no_threats_of_renju() {
        // h8 would be a double-four.
        let moves = "h7 a1 h6 a3 h5 a5 g8 a7 f8 a9 e8 a11";
        let all = listed(Rule::Freestyle, moves);
        assert!(all.iter().any(|text| text == "First h8 open four or double-four 3"), "{all:?}");
        let renju = listed(Rule::Renju, moves);
        assert!(renju.iter().all(|text| !text.contains(" h8 ")), "{renju:?}");
    }
}
