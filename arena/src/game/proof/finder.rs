//! [`ProofFinder`]: a search finds a proven result, and [`crate::game::proof`] checks it by the rules.
//!
//! Searches are limited by nodes, never by time, so that equal games have equal proofs.

use tengen_engine::backend::Catalog;
use tengen_engine::{Client, ClientError, GameSpec, Limits, Outcome, Position, Settings, Side};

use super::{ProofTree, check, minimax, winning_move};
use crate::config::ProofRule;
use crate::record::{GameScore, ProofNote};

/// The size of the transposition table, in MiB. It is cleared for each position, so it is small.
const HASH_MIB: usize = 8;

/// The default greatest length of a proof in an exact game, in plies. Without this limit such games
/// could end before the first move.
const DEFAULT_WITHIN: u32 = 6;

/// The maximum number of searches for one tree.
const MAX_SEARCHES: u32 = 200;

/// The maximum number of answers to one move that need their own search. A move with more of them
/// is not a threat of four.
const MAX_ANSWERS: usize = 4;

/// The random stream of a run that chooses the proven games that are played on.
const RANDOM_STREAM: u64 = 4;

/// Finds proven results and checks them.
pub struct ProofFinder {
    client: Client,
    rule: ProofRule,
    seed: u64,
}

impl ProofFinder {
    /// Opens a search for the game of a run. This starts a thread. `seed` is that of the run.
    pub fn open(
        catalog: &dyn Catalog,
        spec: &GameSpec,
        rule: ProofRule,
        seed: u64,
    ) -> Result<Self, ClientError> {
        let settings = Settings::default().with_hash_mib(HASH_MIB);
        Ok(Self { client: Client::of(catalog, spec, &settings)?, rule, seed: seed ^ RANDOM_STREAM })
    }

    /// Returns the proven result of a position; `None` if none is found or the rules of the run do
    /// not use it. `moves` is the number of moves by engines so far.
    pub fn prove(&mut self, position: &dyn Position, moves: usize) -> Option<ProofNote> {
        if moves < self.rule.plies as usize || position.outcome().is_some() {
            return None;
        }
        let mut board = position.duplicate();
        let mut note = match position.spec().is_exact {
            true => self.short_result(&mut *board),
            false => self.win_by_threats(&mut *board),
        }?;
        let is_wanted = if note.score == GameScore::Draw { self.rule.draw } else { self.rule.win };
        if !is_wanted {
            return None;
        }
        note.played_on = self.plays_on(position);
        Some(note)
    }

    /// Searches a position for a proven result.
    fn search(&mut self, board: &dyn Position) -> Option<SearchResult> {
        self.client.clear_hash();
        self.client.set_position(board.duplicate());
        let answer = self.client.search(Limits::default().with_nodes(self.rule.nodes)).ok()?;
        let settled = answer.settled?;
        let (winner, plies, by) = (settled.winner, settled.plies, settled.source.name());
        Some(SearchResult { winner, plies, by, best: answer.best })
    }

    /// Returns the result of a position near the end of an exact game, checked by minimax.
    fn short_result(&mut self, board: &mut dyn Position) -> Option<ProofNote> {
        let within = self.rule.within.unwrap_or(DEFAULT_WITHIN);
        let found = self.search(board)?;
        let plies = found.plies.unwrap_or_else(|| board.plies_left());
        if plies > within {
            return None;
        }
        let turn = board.turn();
        let winner = match minimax(board, plies)? {
            0 => None,
            1 => Some(turn),
            _ => Some(turn.other()),
        };
        if winner != found.winner {
            return None;
        }
        Some(note(board, winner, Some(plies), found.by, None))
    }

    /// Returns a win of the side to move by threats of four, with its checked tree.
    fn win_by_threats(&mut self, board: &mut dyn Position) -> Option<ProofNote> {
        let attacker = board.turn();
        let found = self.search(board)?;
        if found.winner != Some(attacker) {
            return None;
        }
        let mut searches_left = MAX_SEARCHES;
        let tree = self.tree(board, attacker, Some(&found), &mut searches_left)?;
        let plies = check(board, &tree).ok()?;
        if self.rule.within.is_some_and(|within| plies > within) {
            return None;
        }
        Some(note(board, Some(attacker), Some(plies), found.by, Some(&tree)))
    }

    /// Builds a winning tree by searches. `found` is the result of the position, if it was
    /// searched.
    fn tree(
        &mut self,
        board: &mut dyn Position,
        attacker: Side,
        found: Option<&SearchResult>,
        searches_left: &mut u32,
    ) -> Option<ProofTree> {
        if let Some(mv) = winning_move(board, None) {
            return Some(ProofTree { mv, replies: Vec::new() });
        }
        let own;
        let found = match found {
            Some(found) => found,
            None => {
                *searches_left = searches_left.checked_sub(1)?;
                own = self.search(board)?;
                &own
            }
        };
        let mv = found.best.filter(|_| found.winner == Some(attacker))?;
        board.play(mv).ok()?;
        let replies = self.replies(board, attacker, searches_left);
        board.undo();
        Some(ProofTree { mv, replies: replies? })
    }

    /// Builds a tree for each answer after which no move wins immediately.
    fn replies(
        &mut self,
        board: &mut dyn Position,
        attacker: Side,
        searches_left: &mut u32,
    ) -> Option<Vec<(tengen_engine::Move, ProofTree)>> {
        let (mut open, mut last) = (Vec::new(), None);
        for reply in board.legal() {
            board.play(reply).ok()?;
            let outcome = board.outcome();
            let win = if outcome.is_none() { winning_move(board, last) } else { None };
            board.undo();
            match outcome {
                Some(Outcome::Win(winner)) if winner == attacker => continue,
                Some(_) => return None,
                None => last = win.or(last),
            }
            if win.is_none() {
                open.push(reply);
            }
            if open.len() > MAX_ANSWERS {
                return None;
            }
        }
        let mut replies = Vec::new();
        for reply in open {
            board.play(reply).ok()?;
            let next = self.tree(board, attacker, None, searches_left);
            board.undo();
            replies.push((reply, next?));
        }
        Some(replies)
    }

    /// Returns whether a game is played on after its proof. This depends only on the position and
    /// the seed.
    fn plays_on(&self, board: &dyn Position) -> bool {
        let mut random = fastrand::Rng::with_seed(self.seed ^ board.key());
        random.f64() < self.rule.check
    }
}

/// The proven result that a search found.
struct SearchResult {
    winner: Option<Side>,
    plies: Option<u32>,
    by: &'static str,
    best: Option<tengen_engine::Move>,
}

fn note(
    board: &mut dyn Position,
    winner: Option<Side>,
    plies: Option<u32>,
    by: &str,
    tree: Option<&ProofTree>,
) -> ProofNote {
    ProofNote {
        ply: board.played().len(),
        score: winner.map_or(GameScore::Draw, |winner| GameScore::won_by(winner.index())),
        plies,
        by: by.to_owned(),
        tree: tree.map(|tree| tree.to_text(board)),
        played_on: false,
    }
}

#[cfg(test)]
mod tests {
    use tengen_engine::Chosen;
    use tengen_games::CATALOG;

    use super::*;

    fn proven(variant: &str, moves: &str, rule: ProofRule) -> Option<ProofNote> {
        let spec = CATALOG.describe(variant, &Chosen::new()).unwrap();
        let mut board = CATALOG.position(&spec);
        for mv in moves.split_ascii_whitespace() {
            board.play_text(mv).unwrap();
        }
        let mut prover = ProofFinder::open(&CATALOG, &spec, rule, 1).unwrap();
        prover.prove(&*board, board.played().len())
    }

    const RULE: ProofRule =
        ProofRule { win: true, draw: true, nodes: 5000, plies: 4, within: None, check: 0.0 };

    #[test]
    fn a_win_by_fours_is_proven_and_checked() {
        // An open three, and a closed four that wins by a second line after the block.
        for moves in ["h8 a1 i8 c1 j8 e1", "h8 g8 i8 a3 j8 a5 k5 c1 k6 c3 k7 c5"] {
            let note = proven("gomokufreestyle", moves, RULE).unwrap();
            assert_eq!((note.score, note.played_on), (GameScore::First, false), "{note:?}");
            assert!(note.tree.is_some() && note.plies.is_some());
        }
        assert_eq!(proven("gomokufreestyle", "h8 a1 i8 c1", RULE), None);
        // Too early, and switched off.
        assert_eq!(
            proven("gomokufreestyle", "h8 a1 i8 c1 j8 e1", ProofRule { plies: 8, ..RULE }),
            None
        );
        assert_eq!(
            proven("gomokufreestyle", "h8 a1 i8 c1 j8 e1", ProofRule { win: false, ..RULE }),
            None
        );
    }

    #[test]
    fn short_ends_of_exact_games_are_proven() {
        let won = proven("cfour", "d a e a f", RULE).unwrap();
        assert_eq!((won.score, won.plies), (GameScore::First, Some(2)));
        // The first player wins the empty board, but not within six plies.
        assert_eq!(proven("cfour", "d d d d", RULE), None);
        let drawn = proven("tictactoe", "b2 a1 a2 c2", RULE).unwrap();
        assert_eq!(drawn.score, GameScore::Draw);
        assert_eq!(proven("tictactoe", "b2 a1 a2 c2", ProofRule { draw: false, ..RULE }), None);
    }

    #[test]
    fn a_share_of_games_is_played_on() {
        let always = ProofRule { check: 1.0, ..RULE };
        assert!(proven("cfour", "d a e a f", always).unwrap().played_on);
    }
}
