//! Compares a simple implementation of a game with the built-in board of the same game: nodes per
//! second of both, and their ratio. Then it measures what each hook of an evaluator saves, and
//! searches the own game with the crate `minimax`, too.
//!
//! `cargo bench --bench own_game`. It first checks the laws of the own game, and fails if the own
//! game is slower than half of the built-in one.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::error::Error;
use std::time::{Duration, Instant};

use minimax::{IterativeOptions, IterativeSearch, Negamax, Strategy};
use tengen_engine::hash::mix64;
use tengen_engine::{
    Chosen, Client, Coverage, Evaluator, Game, LateMove, Limits, MoveOrdering, Notation, Outcome,
    Prover, Score, Selectivity, Settings, Side, StaticEvaluator, Style, laws,
};
use tengen_games::CATALOG;

/// A game with stones on any empty cell, in which `connect` or more in a row win. Plain arrays and
/// loops.
#[derive(Clone)]
struct Row {
    side: usize,
    connect: usize,
    cells: Vec<Option<Side>>,
    empty: u32,
    turn: Side,
    outcome: Option<Outcome>,
    key: u64,
}

const STEPS: [(isize, isize); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

impl Row {
    fn new(side: usize, connect: usize) -> Self {
        let cells = vec![None; side * side];
        let empty = cells.len() as u32;
        Self { side, connect, cells, empty, turn: Side::First, outcome: None, key: 0 }
    }

    fn stone(&self, column: isize, row: isize) -> Option<Side> {
        let inside = 0..self.side as isize;
        if !inside.contains(&column) || !inside.contains(&row) {
            return None;
        }
        self.cells[row as usize * self.side + column as usize]
    }

    /// Returns the lengths of the four rows of `side` through `cell`, the cell included.
    fn rows(&self, cell: usize, side: Side) -> [usize; 4] {
        let at = ((cell % self.side) as isize, (cell / self.side) as isize);
        let run = |(across, up): (isize, isize)| {
            let own = |n: &isize| self.stone(at.0 + n * across, at.1 + n * up) == Some(side);
            (1..).take_while(own).count()
        };
        STEPS.map(|(across, up)| 1 + run((across, up)) + run((-across, -up)))
    }

    /// Returns whether a stone of `side` on `cell` completes a row.
    fn completes(&self, cell: usize, side: Side) -> bool {
        self.rows(cell, side).into_iter().any(|length| length >= self.connect)
    }

    /// Returns an empty cell that completes a row of `side`.
    fn winning_cell(&self, side: Side) -> Option<usize> {
        let mut empty = (0..self.cells.len()).filter(|&cell| self.cells[cell].is_none());
        empty.find(|&cell| self.completes(cell, side))
    }

    /// Returns whether a stone is at most two cells away.
    fn is_near(&self, cell: usize) -> bool {
        let at = ((cell % self.side) as isize, (cell / self.side) as isize);
        let has_stone = |across, up| self.stone(at.0 + across, at.1 + up).is_some();
        (-2..=2).any(|across| (-2..=2).any(|up| has_stone(across, up)))
    }

    /// Returns a different number for each stone on each cell.
    fn hash(cell: usize, side: Side) -> u64 {
        mix64(2 * cell as u64 + side.index() as u64)
    }
}

impl Game for Row {
    type Move = usize;
    type Undo = ();
    type Symmetry = ();

    fn turn(&self) -> Side {
        self.turn
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn moves(&self, out: &mut Vec<usize>) {
        if self.outcome.is_none() {
            out.extend((0..self.cells.len()).filter(|&cell| self.cells[cell].is_none()));
        }
    }

    fn play(&mut self, cell: usize) {
        self.cells[cell] = Some(self.turn);
        self.key ^= Self::hash(cell, self.turn);
        self.empty -= 1;
        if self.completes(cell, self.turn) {
            self.outcome = Some(Outcome::Win(self.turn));
        } else if self.empty == 0 {
            self.outcome = Some(Outcome::Draw);
        }
        self.turn = self.turn.other();
    }

    fn undo(&mut self, cell: usize, (): ()) {
        self.turn = self.turn.other();
        self.outcome = None;
        self.empty += 1;
        self.key ^= Self::hash(cell, self.turn);
        self.cells[cell] = None;
    }

    fn plies_left(&self) -> u32 {
        if self.outcome.is_some() { 0 } else { self.empty }
    }

    fn key(&self) -> (u64, ()) {
        (self.key, ())
    }
}

impl Notation for Row {
    fn write_move(&self, cell: usize, _style: Style) -> String {
        cell.to_string()
    }

    fn write_position(&self, _pocket: bool) -> String {
        let stone = |cell: &Option<Side>| cell.map_or('.', |side| ['x', 'o'][side.index()]);
        self.cells.iter().map(stone).collect()
    }
}

/// Evaluates a position: stones near the centre score more.
fn central(game: &Row) -> Score {
    let far = game.side as i32 - 1;
    let off = |at: usize| (2 * at as i32 - far).abs();
    let cell_score = |cell: usize| 2 * far - off(cell % game.side) - off(cell / game.side);
    let mut sum = 0;
    for (cell, stone) in game.cells.iter().enumerate() {
        match stone {
            Some(side) if *side == game.turn => sum += cell_score(cell),
            Some(_) => sum -= cell_score(cell),
            None => {}
        }
    }
    Score::heuristic(sum)
}

/// The hooks that an evaluator of [`Row`] uses.
#[derive(Clone, Copy, Default)]
struct Hooks {
    /// [`Selectivity::exact`].
    exact: bool,
    /// [`MoveOrdering::rank`] by the rows of both sides through the cell.
    rank: bool,
    /// [`MoveOrdering::candidates`]: a winning move alone, else a move that stops the opponent's.
    forced: bool,
    /// [`MoveOrdering::candidates`]: only cells near a stone.
    near: bool,
    /// [`Selectivity::reduction`] of late moves.
    reduction: bool,
}

impl Evaluator<Row> for Hooks {
    type Undo = ();
    fn reset(&mut self, _game: &Row) {}
    fn played(&mut self, _game: &Row, _cell: usize) {}
    fn undone(&mut self, _game: &Row, _cell: usize, (): ()) {}
    fn evaluate(&mut self, game: &Row) -> Score {
        central(game)
    }
}

impl MoveOrdering<Row> for Hooks {
    fn candidates(&self, game: &Row, out: &mut Vec<usize>) -> Coverage {
        let forced =
            || game.winning_cell(game.turn).or_else(|| game.winning_cell(game.turn.other()));
        if let Some(cell) = self.forced.then(forced).flatten() {
            out.push(cell);
            return Coverage::Complete;
        }
        game.moves(out);
        let all = out.len();
        if self.near && out.iter().any(|&cell| game.is_near(cell)) {
            out.retain(|&cell| game.is_near(cell));
        }
        if out.len() == all { Coverage::Complete } else { Coverage::Partial }
    }

    fn rank(&self, game: &Row, cell: usize) -> i32 {
        let worth =
            |side| game.rows(cell, side).map(|length| length * length).iter().sum::<usize>();
        let worth = || 2 * worth(game.turn) + worth(game.turn.other());
        if self.rank { worth() as i32 } else { 0 }
    }
}

impl Selectivity<Row> for Hooks {
    fn exact(&self) -> bool {
        self.exact
    }

    fn reduction(&self, _game: &Row, _cell: usize, late: &LateMove) -> u32 {
        if !self.reduction || late.depth < 2 || late.index < 4 {
            return 0;
        }
        1 + u32::from(late.index >= 12)
    }
}

impl Prover<Row> for Hooks {}

/// Searches a position of five in a row on 9x9 to a fixed depth, with one hook after the other.
fn measure_hooks(settings: &Settings) -> Result<(), Box<dyn Error>> {
    const DEPTH: u32 = 6;
    let limits = Limits::default().with_depth(DEPTH);
    let print = |name: &str, cost: &Cost| {
        println!("{name:<48} {:>10} {:>10.1}", cost.nodes, cost.time.as_secs_f64() * 1e3);
    };
    println!(
        "{:<48} {:>10} {:>10}",
        format!("five in a row on 9x9 to depth {DEPTH}"),
        "nodes",
        "ms"
    );
    let plain = Hooks::default();
    let rank = Hooks { rank: true, ..plain };
    let forced = Hooks { forced: true, ..rank };
    let near = Hooks { near: true, ..forced };
    for (name, hooks) in [
        ("exact", Hooks { exact: true, ..plain }),
        ("the defaults", plain),
        ("and a rank", rank),
        ("and forced moves alone", forced),
        ("and only moves near a stone", near),
        ("and reductions of late moves", Hooks { reduction: true, ..near }),
    ] {
        laws::check(&Row::new(4, 3), &hooks)?;
        let mut client = Client::over(Row::new(9, 5), hooks, settings)?;
        client.set(None, &["40", "41", "31", "50", "32"])?;
        print(name, &measure(&mut client.untyped(), &limits, 3)?);
    }
    let sizes = [("BoardWidth", 9), ("BoardHeight", 9), ("ConnectK", 5), ("Gravity", 0)];
    let mut built_in = Client::open(&CATALOG, "custom", &Chosen::from(sizes), settings)?;
    built_in.set(None, &["e5", "f5", "e4", "f6", "f4"])?;
    print("the built-in board", &measure(&mut built_in, &limits, 3)?);
    Ok(())
}

/// The own game for the crate `minimax`.
struct Peer;

impl minimax::Game for Peer {
    type S = Row;
    type M = usize;

    fn generate_moves(game: &Row, moves: &mut Vec<usize>) -> Option<minimax::Winner> {
        game.moves(moves);
        Self::get_winner(game)
    }

    fn get_winner(game: &Row) -> Option<minimax::Winner> {
        // Only the player of the last move can have won.
        game.outcome.map(|outcome| match outcome {
            Outcome::Win(_) => minimax::Winner::PlayerJustMoved,
            Outcome::Draw | Outcome::Value(_) => minimax::Winner::Draw,
        })
    }

    fn apply(game: &mut Row, cell: usize) -> Option<Row> {
        game.play(cell);
        None
    }

    fn undo(game: &mut Row, cell: usize) {
        Game::undo(game, cell, ());
    }

    fn zobrist_hash(game: &Row) -> u64 {
        game.key
    }
}

#[derive(Clone)]
struct PeerEvaluator;

impl minimax::Evaluator for PeerEvaluator {
    type G = Peer;

    fn evaluate(&self, game: &Row) -> minimax::Evaluation {
        // Evaluations of `minimax` have 16 bits; these are far smaller.
        central(game).raw() as minimax::Evaluation
    }
}

/// Searches the own game to fixed depths with the crate `minimax` and with Tengen, three times in turn,
/// and prints the medians. The search of the own game is exact, so that all find the same value.
fn compare_peer(settings: &Settings) -> Result<(), Box<dyn Error>> {
    const MOVES: [usize; 4] = [40, 41, 31, 50];
    println!("five in a row on 9x9: ms of Tengen, IterativeSearch, Negamax, and ratios to Tengen");
    for depth in 3..=5_u8 {
        let mut start = Row::new(9, 5);
        MOVES.iter().for_each(|cell| start.play(*cell));
        let evaluator = StaticEvaluator::new(central).with_exact(true);
        let mut own = Client::over(start.clone(), evaluator, settings)?.untyped();
        let options = IterativeOptions::new()
            .with_table_byte_size(16 << 20)
            .with_null_window_search(true)
            .with_aspiration_window(5);
        let mut times: [Vec<Duration>; 3] = Default::default();
        for _ in 0..3 {
            let limits = Limits::default().with_depth(depth.into());
            own.clear_hash();
            let value = own.search(limits)?;
            times[0].push(value.counts.time);
            let begin = Instant::now();
            let mut iterative = IterativeSearch::new(PeerEvaluator, options);
            iterative.set_max_depth(depth);
            iterative.choose_move(&start);
            times[1].push(begin.elapsed());
            let begin = Instant::now();
            let mut negamax = Negamax::new(PeerEvaluator, depth);
            negamax.choose_move(&start);
            times[2].push(begin.elapsed());
            let value = value.report.score.raw();
            let peers = [iterative.root_value(), negamax.root_value()].map(i32::from);
            if peers != [value; 2] {
                return Err(format!("depth {depth}: {value} here, {peers:?} there").into());
            }
        }
        let [own, iterative, negamax] = times.map(|mut times| {
            times.sort();
            times[1].as_secs_f64() * 1e3
        });
        let ratios = format!("{:>7.2} {:>7.2}", iterative / own, negamax / own);
        println!("depth {depth:<3} {own:>10.1} {iterative:>10.1} {negamax:>10.1} {ratios}");
    }
    Ok(())
}

/// The nodes and the time of searches.
struct Cost {
    nodes: u64,
    time: Duration,
}

impl Cost {
    fn nps(&self) -> f64 {
        self.nodes as f64 / self.time.as_secs_f64()
    }
}

/// Searches `rounds` times, each time with an empty table.
fn measure(client: &mut Client, limits: &Limits, rounds: u32) -> Result<Cost, Box<dyn Error>> {
    let mut cost = Cost { nodes: 0, time: Duration::ZERO };
    for _ in 0..rounds {
        client.clear_hash();
        let answer = client.search(limits.clone())?;
        cost.nodes += answer.report.nodes;
        cost.time += answer.counts.time;
    }
    Ok(cost)
}

fn main() -> Result<(), Box<dyn Error>> {
    /// The number of parts of the measurement. Parts of both games alternate, so that changes of
    /// the machine's speed affect both.
    const PARTS: u32 = 10;
    /// The minimum speed of the own game, as a share of the built-in one.
    const MIN_RATIO: f64 = 0.5;
    let settings = Settings::default().with_hash_mib(16).with_own_book(false);
    let seven = [("BoardWidth", 7), ("BoardHeight", 7), ("ConnectK", 5), ("Gravity", 0)];
    let [a, b, c, d, e] = ["built-in nodes", "nps", "own nodes", "nps", "ratio"];
    println!("{:<20} {a:>14} {b:>10} {c:>10} {d:>10} {e:>6}", "game");
    for (name, variant, chosen, own, limits, rounds) in [
        ("tic-tac-toe, solved", "tictactoe", Chosen::new(), Row::new(3, 3), Limits::default(), 200),
        (
            "7x7, five in a row",
            "custom",
            seven.into_iter().collect(),
            Row::new(7, 5),
            Limits::default().with_nodes(500_000),
            1,
        ),
    ] {
        let evaluator = StaticEvaluator::new(central).with_exact(limits.nodes.is_none());
        laws::check(&own, &evaluator)?;
        let mut built_in = Client::open(&CATALOG, variant, &chosen, &settings)?;
        let mut own = Client::over(own, evaluator, &settings)?.untyped();
        let mut both =
            [Cost { nodes: 0, time: Duration::ZERO }, Cost { nodes: 0, time: Duration::ZERO }];
        for _ in 0..PARTS {
            for (client, cost) in [&mut built_in, &mut own].into_iter().zip(&mut both) {
                let part = measure(client, &limits, rounds)?;
                cost.nodes += part.nodes;
                cost.time += part.time;
            }
        }
        let [a, b] = both.each_ref().map(|cost| cost.nodes / u64::from(rounds * PARTS));
        let [built_in, own] = both.map(|cost| cost.nps());
        let ratio = own / built_in;
        println!("{name:<20} {a:>14} {built_in:>10.0} {b:>10} {own:>10.0} {ratio:>6.2}");
        if ratio < MIN_RATIO {
            return Err(
                format!("{name}: the own game is slower than {MIN_RATIO} of the built-in").into()
            );
        }
    }
    measure_hooks(&settings)?;
    compare_peer(&settings)
}
