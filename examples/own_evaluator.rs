//! An evaluator of your own for a game of Tengen: stones near the centre of an m,n,k board score
//! more. Winning moves and blocks are tried first, late moves are searched less deep. The program
//! checks the evaluator, counts what its hooks save, and plays against the built-in one.
//!
//! `cargo run --release --example own_evaluator`

#![allow(clippy::print_stdout, reason = "the terminal is what this program is for")]

use std::error::Error;

use tengen_engine::{
    Cell, Client, Evaluator, Game, Grid, LateMove, Limits, MoveOrdering, Outcome, Prover, Score,
    Selectivity, Settings, Side, laws,
};
use tengen_games::mnk::{Mnk, MnkEvaluator, Rules};

/// An evaluator that sums up the scores of the stones of each side, updated with every move.
#[derive(Clone)]
struct Central {
    sums: [i32; 2],
    /// Whether it ranks moves and reduces late ones.
    has_hooks: bool,
}

/// Returns the score of a cell: 0 at the farthest corner, and more near the centre.
fn cell_score(grid: Grid, cell: Cell) -> i32 {
    let point = grid.point(cell);
    let off = |at: u32, side: u32| (2 * at as i32 + 1 - side as i32).abs();
    let far = grid.width() + grid.height() - 2;
    far as i32 - off(point.column, grid.width()) - off(point.row, grid.height())
}

impl Evaluator<Mnk> for Central {
    type Undo = ();

    fn reset(&mut self, game: &Mnk) {
        self.sums = [0; 2];
        let grid = game.ruleset().grid();
        for cell in grid.all() {
            if let Some(side) = game.stone(cell) {
                self.sums[side.index()] += cell_score(grid, cell);
            }
        }
    }

    fn played(&mut self, game: &Mnk, mv: Cell) {
        self.sums[game.turn().other().index()] += cell_score(game.ruleset().grid(), mv);
    }

    fn undone(&mut self, game: &Mnk, mv: Cell, (): ()) {
        self.sums[game.turn().index()] -= cell_score(game.ruleset().grid(), mv);
    }

    fn evaluate(&mut self, game: &Mnk) -> Score {
        let [own, other] = [game.turn().index(), game.turn().other().index()];
        Score::heuristic(self.sums[own] - self.sums[other])
    }
}

impl MoveOrdering<Mnk> for Central {
    fn rank(&self, game: &Mnk, mv: Cell) -> i32 {
        let (side, score) = (game.turn(), cell_score(game.ruleset().grid(), mv));
        match () {
            () if !self.has_hooks => 0,
            () if game.completes(mv, side) => 2_000,
            () if game.completes(mv, side.other()) => 1_000,
            () => score,
        }
    }
}

// `exact` is false by default: the search orders moves by `rank`, and reduces late ones.
impl Selectivity<Mnk> for Central {
    fn reduction(&self, _game: &Mnk, _mv: Cell, late: &LateMove) -> u32 {
        let is_reduced = self.has_hooks && late.depth >= 2 && late.index >= 6;
        u32::from(is_reduced)
    }
}

impl Prover<Mnk> for Central {}

fn main() -> Result<(), Box<dyn Error>> {
    let own = |has_hooks| Central { sums: [0; 2], has_hooks };
    let settings = Settings::default().with_hash_mib(16);

    let tictactoe = Mnk::new(Rules::new(3, 3, 3, false, true)?);
    laws::check(&tictactoe, &own(true))?;
    println!("the evaluator keeps the laws");
    let mut client = Client::over(tictactoe, own(true), &settings)?;
    let answer = client.search(Limits::default())?;
    println!("tic-tac-toe: {}", if answer.report.score == Score::DRAW { "a draw" } else { "?" });

    let rules = Rules::new(7, 7, 5, false, true)?;
    for (has_hooks, which) in [(false, "without"), (true, "with")] {
        let mut client = Client::over(Mnk::new(rules), own(has_hooks), &settings)?;
        let answer = client.search(Limits::default().with_depth(5))?;
        println!("{} nodes to depth 5 {which} rank and reductions", answer.report.nodes);
    }

    // Five in a row on 7x7: the own evaluator moves first. Both search the same number of nodes.
    let mut players = [
        Client::over(Mnk::new(rules), own(true), &settings)?,
        Client::over(Mnk::new(rules), MnkEvaluator::new(&rules), &settings)?,
    ];
    let limits = Limits::default().with_nodes(20_000);
    while players[0].position().outcome().is_none() {
        let turn = players[0].position().turn().index();
        let answer = players[turn].search(limits.clone())?;
        let best = answer.best.ok_or("a game that is not over has a move")?;
        for player in &mut players {
            player.play(best)?;
        }
    }
    println!("{}", players[0].position().draw());
    println!("seven by seven, five in a row: {}", result(players[0].position().outcome()));
    Ok(())
}

fn result(outcome: Option<Outcome>) -> &'static str {
    match outcome {
        Some(Outcome::Win(Side::First)) => "the own evaluator wins",
        Some(Outcome::Win(Side::Second)) => "the built-in evaluator wins",
        _ => "a draw",
    }
}
