//! Who plays from a proof reaches its claim, whatever the opponent does.

use std::fs;
use std::path::Path;

use tengen_engine::backend::Catalog;
use tengen_engine::{Outcome, Position};
use tengen_games::CATALOG;
use tengen_proofs::ProofBook;

/// Games against each proof.
const GAMES: u64 = 40;
/// The proof whose check takes longest.
const LARGEST: &str = "7x6-d1.proof.gz";

/// A sequence of numbers that look random.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % limit
    }
}

/// Plays a game and returns the position at its end.
fn play(book: &ProofBook, numbers: &mut Numbers) -> Box<dyn Position> {
    let proof = book.proof();
    let mut position = CATALOG.position(&proof.head.spec);
    let moves: Vec<&str> = proof.head.moves.split_whitespace().collect();
    position.play_all(&moves).expect("the moves of the head");
    let mut longest = u32::MAX;
    while position.outcome().is_none() {
        let mv = if position.turn() == proof.head.claim.side {
            let answer = book.answer(&*position).expect("the strategy has the position");
            if let Some(plies) = answer.report.score.plies().filter(|_| proof.head.claim.wins) {
                assert!(plies < longest, "{}", position.fen(false));
                longest = plies;
            }
            answer.best.expect("a move")
        } else {
            assert!(book.answer(&*position).is_none(), "the proof is not for the opponent");
            let legal = position.legal();
            legal[numbers.below(legal.len())]
        };
        position.play(mv).expect("a legal move");
    }
    position
}

#[test]
fn nobody_beats_a_strategy_of_the_tree() {
    let mut played = 0;
    for entry in fs::read_dir(env!("CARGO_MANIFEST_DIR")).expect("the folder") {
        let path = entry.expect("an entry").path();
        // Reading the largest one takes a minute: the next test.
        if path.to_string_lossy().contains(".proof") && !path.ends_with(LARGEST) {
            play_games(&path);
            played += 1;
        }
    }
    assert!(played >= 5, "{played}");
}

#[test]
#[ignore = "takes a minute"]
fn nobody_beats_the_largest_strategy_of_the_tree() {
    play_games(&Path::new(env!("CARGO_MANIFEST_DIR")).join(LARGEST));
}

/// Plays games against a proof, all of which reach its claim.
fn play_games(path: &Path) {
    let book = ProofBook::read(path, &CATALOG).expect("a valid proof");
    let claim = book.proof().head.claim;
    for seed in 0..GAMES {
        let outcome = play(&book, &mut Numbers(seed)).outcome();
        let won = outcome == Some(Outcome::Win(claim.side));
        let name = path.display();
        assert!(won || (!claim.wins && outcome == Some(Outcome::Draw)), "{name}: {outcome:?}");
    }
}

#[test]
fn a_proof_of_another_game_is_no_book() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("4x3x3.proof");
    let spec = CATALOG.describe("cfour", &Default::default()).expect("a game");
    let book = ProofBook::read(&file, &CATALOG).expect("a valid proof");
    let why = book.check_game(&spec).err().expect("a refusal").to_string();
    assert_eq!(why, "a proof of 4x3 board, 3 in a row, not of 7x6 board, 4 in a row, stones fall");
}
