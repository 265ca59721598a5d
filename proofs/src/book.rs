//! A proof as an opening book: the engine plays from it, and says that the result is proven.

use std::collections::HashMap;
use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use flate2::read::MultiGzDecoder;
use tengen_engine::backend::{Catalog, Features, Go, Settings, Sink};
use tengen_engine::move_book::{MoveBook, WithBooks};
use tengen_engine::{Answer, GameSpec, Move, Position, ProofSource, ProvenResult, Score};

use crate::board::{Board, image};
use crate::check::{Checked, ProofLine, check};
use crate::head::FORMAT;
use crate::rule::{Followed, Item, by_default, choose, ended};

/// The games of a catalogue, with proofs as books.
pub type WithProofs = WithBooks<ProofBook>;

/// Returns whether a file begins as a proof does.
pub fn is_proof(file: &Path) -> std::io::Result<bool> {
    let mut input = BufReader::new(File::open(file)?);
    let is_compressed = input.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    let mut begin = Vec::new();
    let most = FORMAT.len() as u64;
    let read = match is_compressed {
        true => MultiGzDecoder::new(input).take(most).read_to_end(&mut begin),
        false => input.take(most).read_to_end(&mut begin),
    };
    Ok(read.is_ok() && begin == FORMAT.as_bytes())
}

/// A decision of a proof: the position as it was checked, what to do, and the plies to the end.
struct Known {
    stones: Vec<u8>,
    decision: ProofLine,
    plies: u32,
}

/// A proof that was checked, to play from. A copy is cheap.
#[derive(Clone)]
pub struct ProofBook {
    /// The name of its file.
    name: String,
    checked: Checked,
    /// The decisions, by the least image of the position.
    known: Arc<HashMap<Vec<u8>, Known>>,
}

impl MoveBook for ProofBook {
    const IS_PROVEN: bool = true;

    fn features(inner: Features) -> Features {
        Features { books: true, ..inner }
    }

    fn open(
        file: &Path,
        spec: &GameSpec,
        catalog: &'static dyn Catalog,
    ) -> Result<Option<Self>, Box<dyn Error>> {
        is_proof(file)?.then(|| Self::read(file, catalog)?.check_game(spec)).transpose()
    }

    fn describe(&self) -> Result<String, Box<dyn Error>> {
        Ok(self.describe())
    }

    fn answer(
        &mut self,
        position: &dyn Position,
        settings: &Settings,
        go: &Go,
        _: &Sink,
    ) -> Option<Answer<Move>> {
        let is_analysis = go.limits.is_open_ended() || settings.multi_pv > 1;
        if !is_analysis {
            return Self::answer(self, position);
        }
        // A draw may hide a win.
        let answer = Self::answer(self, position).filter(|answer| answer.settled.is_some());
        answer.or_else(|| self.defence(position))
    }
}

impl ProofBook {
    /// Opens and checks a proof.
    pub fn read(file: &Path, catalog: &dyn Catalog) -> Result<Self, Box<dyn Error>> {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut known = HashMap::new();
        let mut visit = |board: &Board, decision: &ProofLine, plies| {
            let (stones, decision) = (board.stones().to_vec(), decision.clone());
            known.insert(board.least(), Known { stones, decision, plies });
        };
        let checked = check(BufReader::new(File::open(file)?), catalog, &mut visit)?;
        if let Some(first) = checked.open.first() {
            let open = checked.open.len();
            return Err(
                format!("not proven: open positions: {open}, the first after {first}").into()
            );
        }
        Ok(Self { name, checked, known: Arc::new(known) })
    }

    /// Fails if the proof is not of the game that `spec` describes.
    pub fn check_game(self, spec: &GameSpec) -> Result<Self, Box<dyn Error>> {
        let own = &self.checked.head.spec.rules;
        if *own == spec.rules {
            return Ok(self);
        }
        Err(format!("a proof of {own}, not of {}", spec.rules).into())
    }

    /// Returns what the checker found.
    pub fn proof(&self) -> &Checked {
        &self.checked
    }

    /// Says what the proof shows.
    pub fn describe(&self) -> String {
        let head = &self.checked.head;
        let after = if head.moves.is_empty() { "" } else { " after " };
        format!("proof {}: {}{after}{}", self.name, head.claim.text(), head.moves)
    }

    /// Returns the move of the proof; `None` if the proof does not have the position.
    pub fn answer(&self, position: &dyn Position) -> Option<Answer<Move>> {
        let claim = self.checked.head.claim;
        if position.turn() != claim.side || position.outcome().is_some() {
            return None;
        }
        let mut board = Board::new(position.duplicate())?;
        let (mv, plies) = self.decide(&mut board)?;
        if !claim.wins {
            return Some(Answer::blank(Score::DRAW, Some(mv)));
        }
        let mut answer = Answer::blank(Score::win_in(plies), Some(mv));
        answer.settled = Some(ProvenResult::new(Some(claim.side), Some(plies), ProofSource::Proof));
        Some(answer)
    }

    /// Returns the reply of the loser after which the proof takes longest.
    fn defence(&self, position: &dyn Position) -> Option<Answer<Move>> {
        let claim = self.checked.head.claim;
        if position.turn() == claim.side || !claim.wins || position.outcome().is_some() {
            return None;
        }
        let mut board = Board::new(position.duplicate())?;
        let mut longest = None;
        for reply in board.legal() {
            let plies = self.after(&mut board, reply)?;
            longest = longest.filter(|(known, _)| *known >= plies).or(Some((plies, reply)));
        }
        let (plies, reply) = longest?;
        let mut answer = Answer::blank(Score::loss_in(plies), Some(reply));
        answer.settled = Some(ProvenResult::new(Some(claim.side), Some(plies), ProofSource::Proof));
        Some(answer)
    }

    /// Returns the move of the side to move and the largest number of plies to the end.
    fn decide(&self, board: &mut Board) -> Option<(Move, u32)> {
        if let Some(mv) = board.winning_move() {
            return Some((mv, 1));
        }
        if let Some(known) = self.known.get(&board.least())
            && let Some(plan) = &known.decision.plan
        {
            return Some((image(board.symmetry_from(&known.stones)?, plan.mv), known.plies));
        }
        if let Some(found) = self.ruled(board).or_else(|| self.in_plan(board)) {
            return Some(found);
        }
        let [only] = board.safe_moves()[..] else { return None };
        board.play(only);
        let plies = self.replies(board);
        board.undo();
        Some((only, plies? + 1))
    }

    /// Returns the largest number of plies to the end in a position with the opponent to move.
    fn replies(&self, board: &mut Board) -> Option<u32> {
        let claim = self.checked.head.claim;
        if let Some(end) = ended(board, claim) {
            return end.ok();
        }
        let mut most = 0;
        for reply in board.legal() {
            most = most.max(self.after(board, reply)?);
        }
        Some(most)
    }

    /// Returns the largest number of plies to the end after a reply, which counts too.
    fn after(&self, board: &mut Board, reply: Move) -> Option<u32> {
        board.play(reply);
        let plies = match ended(board, self.checked.head.claim) {
            Some(end) => end.ok(),
            None => self.decide(board).map(|(_, plies)| plies),
        };
        board.undo();
        Some(plies? + 1)
    }

    /// Returns the move of the rule of this position or of one before it, if the rule reaches the claim
    /// from here.
    fn ruled(&self, board: &mut Board) -> Option<(Move, u32)> {
        let claim = self.checked.head.claim;
        let mut before = Board::new(board.position().duplicate())?;
        loop {
            if let Some(rule) = self.rule_of(&before)
                && let Ok(plies) = Followed::new(&rule, claim).side(board)
            {
                let safe = board.safe_moves();
                return Some((choose(&rule, board, claim.side, &safe), plies));
            }
            before.undo()?;
        }
    }

    /// Returns the move of the plan of a position before this one, if the plan reaches the claim from here.
    fn in_plan(&self, board: &mut Board) -> Option<(Move, u32)> {
        let played = board.position().played().to_vec();
        let mut before = Board::new(board.position().duplicate())?;
        for length in (0..played.len()).rev() {
            before.undo()?;
            if let Some(known) = self.known.get(&before.least())
                && let Some(plan) = &known.decision.plan
                && let Some(symmetry) = before.symmetry_from(&known.stones)
                && let Some(rest) = plan.turned(symmetry).after(&played[length..])
                && let Some(plies) = rest.wins(board, self.checked.head.claim)
            {
                return Some((rest.mv, plies));
            }
        }
        None
    }

    /// Returns the rule that the proof has for a position.
    fn rule_of(&self, board: &Board) -> Option<Vec<Item>> {
        let known = self.known.get(&board.least())?;
        let symmetry = board.symmetry_from(&known.stones)?;
        let turned = |item: &Item| Item {
            point: image(symmetry, item.point),
            condition: item.condition.map(|(owner, at)| (owner, image(symmetry, at))),
        };
        let rule = known.decision.rule.as_ref()?;
        // Without an item that counts, a rule prefers the columns from the left: in the mirror image it
        // would not, so that all points are named.
        let rest = if board.stones() == known.stones { Vec::new() } else { by_default(board) };
        let rest = rest.into_iter().map(|point| Item { point, condition: None });
        Some(rule.iter().copied().chain(rest).map(|item| turned(&item)).collect())
    }
}
