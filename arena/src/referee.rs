//! The referee: its own board, on which each move is judged by the rules. What engines claim ends no
//! game.

use tengen_engine::text::quotable;
use tengen_engine::{Move, Outcome, Position, Side};

use crate::record::{EndKind, GameEnd, GameScore};

/// Where a game stands after a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RefereeVerdict {
    /// The game continues.
    Open,
    /// It is over.
    Over(GameScore, GameEnd),
}

/// The referee of one game.
pub struct Referee {
    board: Box<dyn Position>,
    /// All moves, as they are written.
    texts: Vec<String>,
}

impl Referee {
    /// A referee who begins at the position of `board`, whose moves were played since `begun` of it.
    pub fn new(board: Box<dyn Position>) -> Self {
        let texts = written(&*board);
        Self { board, texts }
    }

    /// The board.
    pub fn board(&self) -> &dyn Position {
        &*self.board
    }

    /// All moves since the game's start, as they are written.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// Whose turn it is.
    pub fn turn(&self) -> Side {
        self.board.turn()
    }

    /// Plays what an engine wrote. An illegal move, or one that cannot be read, loses.
    pub fn play(&mut self, text: &str) -> (Option<Move>, RefereeVerdict) {
        let mover = self.board.turn();
        let lost = |kind, text: String| {
            RefereeVerdict::Over(GameScore::won_by(mover.other().index()), GameEnd { kind, text })
        };
        let mv = match self.board.read_move(text) {
            Ok(mv) => mv,
            Err(why) => return (None, lost(EndKind::Illegal, format!("illegal {why}"))),
        };
        // Names are asked for before the move: afterwards the game may be over.
        let forbidden = self.forbidden_name(mv, mover);
        let plain = self.board.write_move(mv, tengen_engine::Style::Plain);
        if let Err(why) = self.board.play(mv) {
            let text = format!("illegal move \"{}\": {why}", quotable(text));
            return (None, lost(EndKind::Illegal, text));
        }
        self.texts.push(plain.clone());
        let verdict = match (self.board.outcome(), forbidden) {
            (Some(Outcome::Win(winner)), Some(name)) if winner != mover => {
                lost(EndKind::Forbidden, format!("forbidden {name} at {plain}"))
            }
            (Some(outcome), _) => over(outcome, mover),
            (None, _) => self.has_no_move().unwrap_or(RefereeVerdict::Open),
        };
        (Some(mv), verdict)
    }

    /// The name of the rule that forbids a move.
    fn forbidden_name(&self, mv: Move, mover: Side) -> Option<&'static str> {
        if !self.board.spec().forbids_points {
            return None;
        }
        let point = self.board.spec().grid?.point_of(mv)?;
        let forbidden = self.board.forbidden(mover);
        forbidden.into_iter().find(|(at, _)| *at == point).map(|(_, name)| name)
    }

    /// A draw where the player to move has forbidden points alone.
    fn has_no_move(&self) -> Option<RefereeVerdict> {
        if !self.board.spec().forbids_points || !self.board.legal().is_empty() {
            return None;
        }
        let text = "only forbidden points are left".to_owned();
        Some(RefereeVerdict::Over(GameScore::Draw, GameEnd { kind: EndKind::NoMove, text }))
    }
}

/// The moves of a position since its start, as they are written.
fn written(board: &dyn Position) -> Vec<String> {
    let mut begun = board.duplicate();
    begun.undo_to(0);
    begun.write_line(board.played(), tengen_engine::Style::Plain)
}

/// How the rules end a game whose last move was made by `mover`.
fn over(outcome: Outcome, mover: Side) -> RefereeVerdict {
    let (score, kind, text) = match outcome {
        Outcome::Win(winner) => {
            let text =
                if winner == mover { "completes a line" } else { "completes a line and loses" };
            (GameScore::won_by(winner.index()), EndKind::Line, text)
        }
        Outcome::Draw => (GameScore::Draw, EndKind::FullBoard, "the board is full"),
        Outcome::Value(value) => {
            let score = match value.raw() {
                0 => GameScore::Draw,
                value if value > 0 => GameScore::First,
                _ => GameScore::Second,
            };
            (score, EndKind::Line, "a leaf is reached")
        }
    };
    RefereeVerdict::Over(score, GameEnd { kind, text: text.to_owned() })
}

#[cfg(test)]
mod tests {
    use tengen_engine::Chosen;
    use tengen_engine::backend::Catalog;
    use tengen_games::CATALOG;

    use super::*;

    fn referee(variant: &str) -> Referee {
        Referee::new(CATALOG.position(&CATALOG.describe(variant, &Chosen::new()).unwrap()))
    }

    /// The verdict after all moves, and the end in words.
    fn judged(variant: &str, moves: &str) -> (Option<GameScore>, EndKind, String) {
        let mut referee = referee(variant);
        let moves: Vec<&str> = moves.split(' ').collect();
        for (place, mv) in moves.iter().enumerate() {
            let (_, verdict) = referee.play(mv);
            match verdict {
                RefereeVerdict::Over(score, end) => {
                    assert_eq!(place + 1, moves.len(), "{mv} ends the game");
                    return (Some(score), end.kind, end.text);
                }
                RefereeVerdict::Open => {}
            }
        }
        panic!("the game goes on");
    }

    #[test]
    fn lines_end_games() {
        let line = judged("cfour", "1 2 1 2 1 2 1");
        assert_eq!(line, (Some(GameScore::First), EndKind::Line, "completes a line".into()));
        let misere = judged("cfour-misere", "1 2 1 2 1 2 1");
        assert_eq!(
            misere,
            (Some(GameScore::Second), EndKind::Line, "completes a line and loses".into())
        );
        let second = judged("gomokufreestyle", "a1 h8 a2 h9 a3 h10 a4 h11 b1 h12");
        assert_eq!(second.0, Some(GameScore::Second));
        let full = judged("tictactoe", "b2 a1 a2 c2 b1 b3 a3 c1 c3");
        assert_eq!((full.0, full.1), (Some(GameScore::Draw), EndKind::FullBoard));
    }

    #[test]
    fn a_forbidden_point_loses_and_is_named() {
        // Two open threes meet at h8.
        let (score, kind, text) = judged("renju", "f8 a1 g8 a3 h6 a5 h7 a7 h8");
        assert_eq!((score, kind), (Some(GameScore::Second), EndKind::Forbidden));
        assert_eq!(text, "forbidden double-three at h8");
    }

    #[test]
    fn what_is_no_move_loses_and_is_quoted() {
        for (moves, text) in [
            ("h8 h8", "illegal move \"h8\": h8 is taken"),
            ("h8 z99", "illegal move \"z99\": outside the board (a1 to o15)"),
            ("h8 (none)", "illegal move \"(none)\": not a point (a letter and a number, as in h8)"),
            ("h8 15,0", "illegal move \"15,0\": outside the board (0,0 to 14,14)"),
        ] {
            let (score, kind, found) = judged("gomokufreestyle", moves);
            assert_eq!((score, kind), (Some(GameScore::First), EndKind::Illegal));
            assert_eq!(found, text);
        }
    }

    #[test]
    fn moves_are_written_as_the_rules_name_them() {
        let mut referee = referee("cfour");
        for mv in ["4", "P@d2", "e"] {
            assert_eq!(referee.play(mv).1, RefereeVerdict::Open);
        }
        assert_eq!(referee.texts(), ["d1", "d2", "e1"]);
    }
}
