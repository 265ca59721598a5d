//! Ends games by proof: a search finds a result, and [`crate::proof`] checks it by the rules.
//!
//! Its limits are nodes, never time, so that equal games get equal proofs.

use tengen_engine::backend::Catalog;
use tengen_engine::{Client, ClientError, GameSpec, Limits, Outcome, Position, Settings, Side};

use crate::config::ProofRule;
use crate::game::Adjudge;
use crate::proof::{ProofTree, check, count_out, winning_move};
use crate::record::{GameScore, ProofNote};

/// The table of the search, in MiB: it is cleared for each position.
const HASH: usize = 8;

/// The longest proof that ends a game where every position can be solved, in plies. Without it such
/// games would end before they begin.
const WITHIN: u32 = 6;

/// Searches for one tree.
const SEARCHES: u32 = 200;

/// Answers after one move that need a search of their own. More than that is no threat of four, and
/// the tree is given up.
const ANSWERS: usize = 4;

/// Finds and checks proofs.
pub struct ProofFinder {
    client: Client,
    rule: ProofRule,
    seed: u64,
}

impl ProofFinder {
    /// Opens a search for the game of a run. It starts a thread.
    pub fn open(
        catalog: &dyn Catalog,
        spec: &GameSpec,
        rule: ProofRule,
        seed: u64,
    ) -> Result<Self, ClientError> {
        let settings = Settings::default().with_hash_mib(HASH);
        Ok(Self { client: Client::of(catalog, spec, &settings)?, rule, seed })
    }

    /// Searches a position: the winner and the plies of a proven result, and who says so.
    fn search(&mut self, board: &dyn Position) -> Option<Found> {
        self.client.clear_hash();
        self.client.set_position(board.duplicate());
        let answer = self.client.search(Limits::default().with_nodes(self.rule.nodes)).ok()?;
        let settled = answer.settled?;
        let (winner, plies, by) = (settled.winner, settled.plies, settled.source.name());
        Some(Found { winner, plies, by, best: answer.best })
    }

    /// A result that is at most so many plies away, counted out by the rules.
    fn short(&mut self, board: &mut dyn Position) -> Option<ProofNote> {
        let within = self.rule.within.unwrap_or(WITHIN);
        let found = self.search(board)?;
        let plies = found.plies.unwrap_or_else(|| board.plies_left());
        if plies > within {
            return None;
        }
        let turn = board.turn();
        let winner = match count_out(board, plies)? {
            0 => None,
            1 => Some(turn),
            _ => Some(turn.other()),
        };
        if winner != found.winner {
            return None;
        }
        Some(note(board, winner, Some(plies), found.by, None))
    }

    /// A win of the side to move by threats of four, as a tree that was checked.
    fn threats(&mut self, board: &mut dyn Position) -> Option<ProofNote> {
        let attacker = board.turn();
        let found = self.search(board)?;
        if found.winner != Some(attacker) {
            return None;
        }
        let mut left = SEARCHES;
        let tree = self.tree(board, attacker, Some(&found), &mut left)?;
        let plies = check(board, &tree).ok()?;
        if self.rule.within.is_some_and(|within| plies > within) {
            return None;
        }
        Some(note(board, Some(attacker), Some(plies), found.by, Some(&tree)))
    }

    /// Builds a tree from searches of the position and of what follows each answer.
    fn tree(
        &mut self,
        board: &mut dyn Position,
        attacker: Side,
        found: Option<&Found>,
        left: &mut u32,
    ) -> Option<ProofTree> {
        if let Some(mv) = winning_move(board, None) {
            return Some(ProofTree { mv, replies: Vec::new() });
        }
        let own;
        let found = match found {
            Some(found) => found,
            None => {
                *left = left.checked_sub(1)?;
                own = self.search(board)?;
                &own
            }
        };
        let mv = found.best.filter(|_| found.winner == Some(attacker))?;
        board.play(mv).ok()?;
        let replies = self.replies(board, attacker, left);
        board.undo();
        Some(ProofTree { mv, replies: replies? })
    }

    /// What follows each answer after which no move wins at once.
    fn replies(
        &mut self,
        board: &mut dyn Position,
        attacker: Side,
        left: &mut u32,
    ) -> Option<Vec<(tengen_engine::Move, ProofTree)>> {
        let (mut open, mut last) = (Vec::new(), None);
        for reply in board.legal() {
            board.play(reply).ok()?;
            let is_open = match board.outcome() {
                Some(outcome) => {
                    let is_won = outcome == Outcome::Win(attacker);
                    board.undo();
                    if is_won {
                        continue;
                    }
                    return None;
                }
                None => {
                    let win = winning_move(board, last);
                    last = win.or(last);
                    win.is_none()
                }
            };
            board.undo();
            if is_open {
                open.push(reply);
                if open.len() > ANSWERS {
                    return None;
                }
            }
        }
        let mut replies = Vec::new();
        for reply in open {
            board.play(reply).ok()?;
            let next = self.tree(board, attacker, None, left);
            board.undo();
            replies.push((reply, next?));
        }
        Some(replies)
    }

    /// Whether a game is played on after its proof. It depends on the position and the seed alone.
    fn plays_on(&self, board: &dyn Position) -> bool {
        let mut random = fastrand::Rng::with_seed(self.seed ^ board.key());
        random.f64() < self.rule.check
    }
}

/// What a search found.
struct Found {
    winner: Option<Side>,
    plies: Option<u32>,
    by: &'static str,
    best: Option<tengen_engine::Move>,
}

impl Adjudge for ProofFinder {
    fn prove(&mut self, position: &dyn Position, moves: usize) -> Option<ProofNote> {
        if moves < self.rule.plies as usize || position.outcome().is_some() {
            return None;
        }
        let mut board = position.duplicate();
        let mut note = match position.spec().is_exact {
            true => self.short(&mut *board),
            false => self.threats(&mut *board),
        }?;
        let is_wanted = if note.score == GameScore::Draw { self.rule.draw } else { self.rule.win };
        if !is_wanted {
            return None;
        }
        note.played_on = self.plays_on(position);
        Some(note)
    }
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
        // An open three; and a closed four that is answered, with a second line behind it.
        for moves in ["h8 a1 i8 c1 j8 e1", "h8 g8 i8 a3 j8 a5 k5 c1 k6 c3 k7 c5"] {
            let note = proven("gomokufreestyle", moves, RULE).unwrap();
            assert_eq!((note.score, note.played_on), (GameScore::First, false), "{note:?}");
            assert!(note.tree.is_some() && note.plies.is_some());
        }
        assert_eq!(proven("gomokufreestyle", "h8 a1 i8 c1", RULE), None);
        // Too early, and not asked for.
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
    fn short_ends_of_solved_games_are_counted_out() {
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
