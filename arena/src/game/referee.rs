//! [`Referee`]: judges every move by the rules on its own board. Claims of engines end no game.

use tengen_engine::text::quotable;
use tengen_engine::{Move, Outcome, Position, Side, Style};

use crate::record::{EndKind, GameEnd, GameScore};

/// The end of a game: its result, and how it ended.
pub type Ending = (GameScore, GameEnd);

/// Returns the end of a game that `side` lost.
pub(super) fn loss(side: usize, kind: EndKind, text: String) -> Ending {
    (GameScore::won_by(1 - side), GameEnd { kind, text })
}

/// The referee of one game.
pub struct Referee {
    board: Box<dyn Position>,
    /// All moves as text.
    texts: Vec<String>,
}

impl Referee {
    /// Takes over `board` with the moves already played on it.
    pub fn new(board: Box<dyn Position>) -> Self {
        let texts = board.start().write_line(board.played(), Style::Plain);
        Self { board, texts }
    }

    /// Returns the board.
    pub fn board(&self) -> &dyn Position {
        &*self.board
    }

    /// Returns all moves since the start of the game, as text.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// Returns the side to move.
    pub fn turn(&self) -> Side {
        self.board.turn()
    }

    /// Plays the move that an engine wrote. Returns the move, and the end of the game if it is over.
    /// An illegal or unreadable move loses, and no move is returned.
    pub fn play(&mut self, text: &str) -> (Option<Move>, Option<Ending>) {
        let mover = self.board.turn();
        let lost = |kind, text: String| Some(loss(mover.index(), kind, text));
        let mv = match self.board.read_move(text) {
            Ok(mv) => mv,
            Err(why) => return (None, lost(EndKind::Illegal, format!("illegal {why}"))),
        };
        let plain = self.board.write_move(mv, Style::Plain);
        if let Err(why) = self.board.play(mv) {
            let text = format!("illegal move \"{}\": {why}", quotable(text));
            return (None, lost(EndKind::Illegal, text));
        }
        self.texts.push(plain.clone());
        let verdict = match (self.board.outcome(), self.board.forbidden_loss()) {
            (_, Some((_, name))) => {
                lost(EndKind::Forbidden, format!("forbidden {name} at {plain}"))
            }
            (Some(outcome), None) => Some(end_of(outcome, mover)),
            (None, None) => self.draw_without_moves(),
        };
        (Some(mv), verdict)
    }

    /// Returns a draw if the player to move has only forbidden points left.
    fn draw_without_moves(&self) -> Option<Ending> {
        if !self.board.spec().forbids_points || !self.board.legal().is_empty() {
            return None;
        }
        let text = "only forbidden points are left".to_owned();
        Some((GameScore::Draw, GameEnd { kind: EndKind::NoMove, text }))
    }
}

/// Returns the end of a game by the rules. `mover` made the last move.
fn end_of(outcome: Outcome, mover: Side) -> Ending {
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
    (score, GameEnd { kind, text: text.to_owned() })
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

    /// Returns the result, the kind and the text of the end of a game.
    fn judged(variant: &str, moves: &str) -> (Option<GameScore>, EndKind, String) {
        let mut referee = referee(variant);
        let moves: Vec<&str> = moves.split(' ').collect();
        for (place, mv) in moves.iter().enumerate() {
            if let (_, Some((score, end))) = referee.play(mv) {
                assert_eq!(place + 1, moves.len(), "{mv} ends the game");
                return (Some(score), end.kind, end.text);
            }
        }
        panic!("the game is not over");
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
    fn an_illegal_move_loses_and_is_quoted() {
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
    fn moves_are_written_in_plain_notation() {
        let mut referee = referee("cfour");
        for mv in ["4", "P@d2", "e"] {
            assert_eq!(referee.play(mv).1, None);
        }
        assert_eq!(referee.texts(), ["d1", "d2", "e1"]);
    }
}
