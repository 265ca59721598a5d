//! A study of a search: what it is shown is true, and the search finds what it finds without.

use tengen_engine::search::{Context, Search, Studied, Study, Task, Techniques};
use tengen_engine::table::Table;
use tengen_engine::{Game, Limits, Notation, Proof, Score};
use tengen_games::four_in_a_row::{Board, Classic, Threats};

type Position = Board<Classic>;

/// Nodes of some depths, with their moves.
struct Notes {
    depths: std::ops::RangeInclusive<u32>,
    nodes: Vec<(Position, Vec<Studied<Position>>)>,
}

impl Study<Position> for Notes {
    fn wants(&mut self, depth: u32) -> bool {
        self.depths.contains(&depth)
    }

    fn learn(&mut self, node: &Position, moves: Vec<Studied<Position>>) {
        self.nodes.push((*node, moves));
    }
}

fn after(moves: &str) -> Position {
    let mut board = Board::new(Classic);
    for text in moves.split(' ') {
        let mv = board.read_move(text).expect("a legal move");
        board.play(mv);
    }
    board
}

fn solve(board: Position, study: Option<&mut Notes>) -> Score {
    let mut table = Table::new(1).expect("a table");
    table.age();
    let view = table.views(1)[0];
    let search = Search::new(board, Threats::new(), view, Techniques::ALL, Context::unlimited());
    let mut search = match study {
        Some(study) => search.studied_by(study),
        None => search,
    };
    let limits = Limits { proof: Some(Proof::Score), ..Limits::default() };
    search.run(&Task::new(limits), &mut |_| ()).report.score
}

/// The value of a move of `node` after which, and after forced moves, the game stands at `after`.
fn value(node: &Position, after: Position) -> Score {
    let score = solve(after, None).from_table(node.plies_left() - after.plies_left());
    if after.turn() == node.turn() { score } else { -score }
}

#[test]
fn what_a_study_is_shown_is_true_and_the_value_is_the_same() {
    let board = after("d1 d2 d3 d4 d5 e1 d6 e2 e3 e4 e5 e6");
    let mut notes = Notes { depths: 16..=24, nodes: Vec::new() };
    let score = solve(board, Some(&mut notes));
    assert_eq!(score, solve(board, None));
    assert!(notes.nodes.iter().any(|(_, moves)| moves.iter().any(|mv| mv.cuts)));
    for (node, moves) in notes.nodes.iter().take(40) {
        let (cutting, others): (Vec<_>, Vec<_>) = moves.iter().partition(|mv| mv.cuts);
        let value = |mv: &&Studied<Position>| value(node, mv.game);
        let least = cutting.iter().map(value).min();
        let most = others.iter().map(value).max();
        assert!(least.zip(most).is_none_or(|(least, most)| most < least), "{node:?}");
        assert!(moves.len() >= 2 && moves.iter().all(|mv| mv.nodes >= 1), "{node:?}");
    }
}
