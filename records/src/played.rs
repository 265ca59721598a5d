//! [`PlayedLine`]: the main line of a record, played by the rules of its game.
//!
//! Every command plays records here, so that all find the same moves and the same facts, and say
//! them in the same words.

use tengen_engine::backend::Catalog;
use tengen_engine::{GameSpec, NotationError, Outcome, Point, Position};

use crate::fault::{Fault, FaultKind};
use crate::line::{MainLine, RecordedMove};
use crate::place::Place;
use crate::tree::Record;

/// The main line of a record, played by the rules of its game.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PlayedLine {
    /// The start, and the moves up to the end of the game or up to the first illegal move.
    pub line: MainLine,
    /// How the game ended on the board; `None` if it did not.
    pub outcome: Option<Outcome>,
    /// The point of the last move and the name of the rule, if this move was forbidden and lost.
    pub forbidden: Option<(Point, &'static str)>,
    /// The moves after the end of the game that are on free points of the board.
    pub after_end: Vec<RecordedMove>,
    /// The texts of the moves after all these: from an illegal move on, without passes at the end.
    pub unreadable: Vec<String>,
    /// The number of passes at the end of the record.
    pub passes: usize,
    /// The result that the record names.
    pub said: Option<Outcome>,
    /// The error of the first illegal move.
    fault: Option<Fault>,
    /// The places of the first move after the end of the game, and of the result.
    places: [Option<Place>; 2],
}

impl Record {
    /// Plays the main line by the rules of `spec`, in which all its moves must be legal. Returns the
    /// line, and the position after it.
    pub fn played(
        &self,
        catalog: &dyn Catalog,
        spec: &GameSpec,
    ) -> Result<(PlayedLine, Box<dyn Position>), Fault> {
        let mut position = catalog.position(spec);
        Ok((self.play(&mut *position)?.legal()?, position))
    }

    /// Plays the main line on `position`, the game of the record. An illegal move ends the line. The
    /// position is that after the line.
    ///
    /// # Errors
    ///
    /// The record has another board than the position, or stones that cannot be set up.
    ///
    /// ```
    /// use tengen_engine::backend::Catalog;
    /// use tengen_games::CATALOG;
    /// use tengen_records::{ReadOptions, read};
    ///
    /// let games = read(b"a1 b1 a2 b2 a3 b3 a4 b4 a5 b5 h8", &ReadOptions::new())?;
    /// let mut position = CATALOG.position(&CATALOG.describe("gomoku", &Default::default())?);
    /// let played = games.records()[0].play(&mut *position)?;
    /// assert_eq!((played.line.moves.len(), played.after_end.len()), (9, 2));
    /// let warnings: Vec<String> = played.warnings(false).map(|fault| fault.to_string()).collect();
    /// let place = "line 1, character 28";
    /// assert_eq!(warnings, [format!("{place}: the game is over after move 9; moves left out: 2")]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn play(&self, position: &mut dyn Position) -> Result<PlayedLine, Fault> {
        let board = |why: String| Fault::new(None, FaultKind::Board(why));
        let no_board = || board("this game has no board to put stones on".to_owned());
        let notation = position.spec().grid.ok_or_else(no_board)?;
        let (mut line, mut fault) = self.line_until_fault(notation);
        if let Some(fault) = fault.take_if(|fault| !is_of_moves(fault, &line)) {
            return Err(fault);
        }
        position.reset();
        if !line.is_from_start() {
            position.place(&line.start).map_err(|why| board(why.to_string()))?;
        }
        let mut end = 0;
        while let Some(next) = line.moves.get(end).filter(|_| position.outcome().is_none()) {
            if position.play(notation.move_to(next.point)).is_err() {
                let text = next.point.to_string();
                let why =
                    position.read_move(&text).err().map(NotationError::reason).unwrap_or_default();
                let kind = FaultKind::Move { number: end + 1, text, why };
                fault = Some(Fault::new(next.place, kind));
                line.moves.truncate(end);
                break;
            }
            end += 1;
        }
        let values = self.main_line().flat_map(|id| self.node(id).moves());
        let mut rest: Vec<_> = values.skip(line.moves.len()).map(|(_, value)| value).collect();
        let moves = rest.iter().rposition(|value| !value.is_pass(notation.grid()));
        let passes = rest.len() - moves.map_or(0, |last| last + 1);
        rest.truncate(rest.len() - passes);
        let outcome = position.outcome();
        let after_end = line.moves.split_off(end);
        let mover = line.moves.last().map(|played| played.side);
        let lost = matches!(outcome, Some(Outcome::Win(winner)) if Some(winner) != mover);
        // This copies the position.
        let forbidden = if lost && mover.is_some() { position.forbidden_loss() } else { None };
        let next = after_end.first().map(|next| next.place);
        let result = self.node(self.root()).value("RE");
        Ok(PlayedLine {
            forbidden,
            places: [
                next.unwrap_or_else(|| rest.first()?.place()),
                result.and_then(|value| value.place()),
            ],
            unreadable: rest.iter().map(|value| value.text().trim().to_owned()).collect(),
            said: self.outcome(),
            line,
            outcome,
            after_end,
            passes,
            fault,
        })
    }
}

impl Record {
    /// Checks a record that is written in another format, which keeps moves after the end of the game
    /// and variations that cannot be played. Returns warnings about them. `position` is the game of
    /// the record.
    ///
    /// # Errors
    ///
    /// A stone of the main line is on a taken point or outside the board.
    pub fn check(&self, position: &mut dyn Position) -> Result<Vec<Fault>, Fault> {
        let Some(notation) = position.spec().grid else { return Ok(Vec::new()) };
        let faults = self.check_stones(notation)?;
        let variations = faults.first().map(|first| {
            let kind = FaultKind::Variations {
                first: Box::new(first.kind().clone()),
                count: faults.len(),
            };
            Fault::new(first.place(), kind)
        });
        // The writers of formats refuse stones that cannot be set up.
        let played = self.play(position).ok();
        let warnings = played.iter().flat_map(|played| played.warnings(true));
        Ok(variations.into_iter().chain(warnings).collect())
    }
}

impl PlayedLine {
    /// Returns this line if it has no illegal move before the end of the game.
    ///
    /// # Errors
    ///
    /// The record has an illegal move before the end of its game.
    pub fn legal(self) -> Result<Self, Fault> {
        match self.fault {
            Some(fault) if self.outcome.is_none() => Err(fault),
            _ => Ok(self),
        }
    }

    /// Returns the number of moves after the end of the game.
    pub fn moves_after_end(&self) -> usize {
        if self.outcome.is_some() { self.after_end.len() + self.unreadable.len() } else { 0 }
    }

    /// Returns whether the record names another result than the board shows.
    pub fn has_wrong_result(&self) -> bool {
        let shown = self.outcome.filter(|outcome| !matches!(outcome, Outcome::Value(_)));
        self.said.zip(shown).is_some_and(|(said, shown)| said != shown)
    }

    /// Returns the result: that of the board, else the one that the record names. `None` if they
    /// contradict each other, or nothing is known.
    pub fn result(&self) -> Option<Outcome> {
        self.outcome.or(self.said).filter(|_| !self.has_wrong_result())
    }

    /// Returns warnings: about moves after the end of the game, and about a wrong result.
    /// `keeps_moves` is whether the caller keeps such moves, as a converter does.
    pub fn warnings(&self, keeps_moves: bool) -> impl Iterator<Item = Fault> {
        let (after, count) = (self.line.moves.len(), self.moves_after_end());
        let rule = self.forbidden.map(|(_, rule)| rule);
        let goes_on = FaultKind::GoesOn { after, rule, count, is_kept: keeps_moves };
        let wrong = self.said.zip(self.outcome).filter(|_| self.has_wrong_result());
        let wrong = wrong.map(|(said, shown)| FaultKind::WrongResult { said, shown });
        let [first, result] = self.places;
        let goes_on = (count > 0).then(|| Fault::new(first, goes_on));
        goes_on.into_iter().chain(wrong.map(|kind| Fault::new(result, kind)))
    }
}

/// Returns whether `fault` is about a move after `line`: then the moves of `line` can still be played.
fn is_of_moves(fault: &Fault, line: &MainLine) -> bool {
    match fault.kind() {
        FaultKind::Move { .. } => true,
        FaultKind::ChangedByHand { .. } => !line.moves.is_empty(),
        _ => false,
    }
}
