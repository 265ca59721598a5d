//! The result of a game in PGN: the board decides, then the tag `Termination`, then the tag `Result`.
//!
//! PGN names the winner by the colour: `1-0` is a win of White. c-gomoku-cli, which has Black move first
//! and names Black first, writes so, too. PlayOK means the player who moves first.

use tengen_engine::{Grid, Outcome, Point, Side};

use super::{Game, TAG};
use crate::fault::{Fault, FaultKind};
use crate::place::Place;
use crate::result::{outcome_of, winner_of};

/// The server whose results are those of the player who moves first.
const BY_MOVE: &str = "playok";

impl Game {
    /// Adds a result.
    pub(super) fn add_result(&mut self, text: &str, place: Place) {
        self.results.push(text.to_owned());
        self.result_place = Some(place);
    }

    /// Sets the result, and the players if Black moved first. Returns warnings about what was guessed,
    /// and about a contradiction.
    pub(super) fn settle_result(&mut self) -> Vec<Fault> {
        let mut warnings = Vec::new();
        let named = self.named_in_termination();
        let mut texts = self.results.clone();
        texts.extend(named.map(|_| format!("\"{}\"", self.termination)));
        let mut claims = self.results.iter().filter_map(|text| outcome_of(text)).chain(named);
        let claim = claims.next();
        let contradicts = claims.any(|other| Some(other) != claim);
        let is_doubtful = self.black_first.is_some() || named.is_some();
        let on_board = if is_doubtful { self.winner_on_board() } else { None };
        let is_exchanged = |side: Side| claim == Some(Outcome::Win(side.other()));
        // Black moved first, though White is named first.
        let is_by_colour = named.is_some() && on_board.is_some_and(is_exchanged);
        if self.black_first.is_none() && is_by_colour && !contradicts {
            self.black_first = self.result_place.or(Some(Place::START));
        }
        let black_first = self.black_first;
        let has_names = black_first.is_some() && self.exchange_players();
        let by_move = self.choice.is_some() || self.is_of_playok();
        let is_by_move = match on_board {
            Some(side) if named.is_none() => !is_exchanged(side),
            _ => by_move && named.is_none(),
        };
        if let Some(place) = black_first.filter(|_| has_names || claim.is_some()) {
            let given = "[Black] before [White]".to_owned();
            let taken = if is_by_move { "whose win is 1-0" } else { "whose win is 0-1" };
            let taken = format!("the first player, {taken}");
            warnings.push(Fault::new(place, FaultKind::Reading { given, taken }));
        }
        if contradicts {
            let place = self.result_place;
            warnings.push(Fault::new(place, FaultKind::Contradiction(texts)));
            self.record.root_mut().set("RE", "?");
            return warnings;
        }
        let Some(claim) = claim else {
            if let Some(text) = self.results.first() {
                self.record.set_result(text, "");
            }
            return warnings;
        };
        self.record.set_outcome(claim, &self.termination);
        if black_first.is_some() && !is_by_move {
            self.exchange_winner();
        }
        warnings
    }

    /// Exchanges the winner.
    pub(super) fn exchange_winner(&mut self) {
        let result = self.record.node(self.record.root()).text("RE").unwrap_or_default();
        for (one, other) in [("B+", "W+"), ("W+", "B+")] {
            if let Some(how) = result.strip_prefix(one) {
                self.record.root_mut().set("RE", &format!("{other}{how}"));
            }
        }
    }

    /// Returns the winner by colour that the tag `Termination` names: "Black win by five connection".
    /// The first player of the result is White.
    fn named_in_termination(&self) -> Option<Outcome> {
        let text = self.termination.to_ascii_lowercase();
        let begins = |words: &[&str]| words.iter().any(|word| text.starts_with(word));
        match () {
            () if begins(&["white win", "white won"]) => Some(Outcome::Win(Side::First)),
            () if begins(&["black win", "black won"]) => Some(Outcome::Win(Side::Second)),
            () if begins(&["draw"]) => Some(Outcome::Draw),
            () => None,
        }
    }

    fn is_of_playok(&self) -> bool {
        let root = self.record.node(self.record.root());
        let texts = root.values(TAG).iter().chain(root.values("PC")).chain(root.values("EV"));
        let mut texts = texts.map(|value| value.text().to_ascii_lowercase());
        texts.any(|text| text.contains(BY_MOVE))
    }

    /// Returns the side whose last move completes five or more in a row.
    fn winner_on_board(&self) -> Option<Side> {
        let grid = Grid::new(Grid::MAX_SIDE, Grid::MAX_SIDE)?;
        let moves = self.record.main_line().filter_map(|id| self.record.node(id).mover());
        let point = |text: String| text.trim_start_matches("P@").parse::<Point>().ok();
        let moves: Option<Vec<(Side, Point)>> =
            moves.map(|(side, value)| Some((side, point(value.text())?))).collect();
        winner_of(&moves?, grid)
    }
}
