//! A synthetic game for tests of the search: small enough for plain minimax, irregular enough to
//! find errors.

use proptest::prelude::*;
use tengen_engine::hash::mix64;
use tengen_engine::{
    Context, Coverage, Evaluator, ExtensionTuning, Game, HistoryTuning, Interrupt, LateMove,
    MoveOrdering, Notation, NotationError, Outcome, Probe, Prover, ReSearchMargin, Score,
    Selectivity, Side, SingularTuning, Style, Window,
};

/// A game of `length` plies with `width` places. The seed determines the place that each move leads
/// to. So there are many transpositions. Some places end the game early.
#[derive(Clone, Debug)]
pub(crate) struct Maze {
    pub(crate) seed: u64,
    pub(crate) width: u64,
    pub(crate) length: u32,
    pub(crate) ply: u32,
    pub(crate) place: u64,
    /// Whether some places end the game before its last ply.
    pub(crate) ends_early: bool,
}

impl Maze {
    pub(crate) fn hash(&self, salt: u64) -> u64 {
        mix64(mix64(mix64(self.seed ^ salt) ^ u64::from(self.ply)) ^ self.place)
    }

    pub(crate) fn degree(&self) -> u64 {
        1 + self.hash(1) % 4
    }
}

impl Game for Maze {
    type Move = u8;
    type Undo = u64;
    type Symmetry = ();

    const MIN_PLIES_TO_LOSE_AND_WIN: (u32, u32) = (2, 1);

    fn turn(&self) -> Side {
        if self.ply.is_multiple_of(2) { Side::First } else { Side::Second }
    }

    fn outcome(&self) -> Option<Outcome> {
        if self.ply == 0 {
            return None;
        }
        let kind = if self.ends_early { self.hash(2) % 16 } else { 15 };
        match kind {
            0 => Some(Outcome::Win(self.turn().other())),
            1 => Some(Outcome::Draw),
            2 => Some(Outcome::Value(Score::heuristic((self.hash(3) % 41) as i32 - 20))),
            _ if self.ply == self.length => Some(Outcome::Draw),
            _ => None,
        }
    }

    fn moves(&self, out: &mut Vec<u8>) {
        if self.outcome().is_none() {
            out.extend(0..self.degree() as u8);
        }
    }

    fn play(&mut self, mv: u8) -> u64 {
        let from = self.place;
        self.place = self.hash(100 + u64::from(mv)) % self.width;
        self.ply += 1;
        from
    }

    fn undo(&mut self, _mv: u8, undo: u64) {
        self.place = undo;
        self.ply -= 1;
    }

    fn plies_left(&self) -> u32 {
        if self.outcome().is_some() { 0 } else { self.length - self.ply }
    }

    fn key(&self) -> (u64, ()) {
        (self.hash(4), ())
    }

    fn pack(&self, mv: u8, (): ()) -> u32 {
        u32::from(mv)
    }

    fn unpack(&self, code: u32, (): ()) -> Option<u8> {
        let mv = u8::try_from(code).ok()?;
        (u64::from(mv) < self.degree()).then_some(mv)
    }

    fn history_slots(&self) -> usize {
        4
    }

    fn history_slot(&self, mv: u8) -> usize {
        usize::from(mv)
    }
}

/// An evaluator with pseudorandom scores. `exact` tells whether the game is exact, `noisy` whether
/// it has noisy moves, `hooks` whether it has static bounds, probes and a shorter list of
/// candidates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Oracle {
    pub(crate) exact: bool,
    pub(crate) noisy: bool,
    pub(crate) hooks: bool,
}

pub(crate) const PLAIN: Oracle = Oracle { exact: true, noisy: false, hooks: false };

/// Returns the static evaluation of every evaluator of mazes.
pub(crate) fn static_eval(game: &Maze) -> Score {
    Score::heuristic((game.hash(5) % 101) as i32 - 50)
}

impl Evaluator<Maze> for Oracle {
    type Undo = ();

    fn reset(&mut self, _game: &Maze) {}

    fn played(&mut self, _game: &Maze, _mv: u8) {}

    fn undone(&mut self, _game: &Maze, _mv: u8, (): ()) {}

    fn evaluate(&mut self, game: &Maze) -> Score {
        static_eval(game)
    }

    /// Returns the lowest allowed score.
    fn lazy_evaluate(&self, game: &Maze, bound: i32) -> Option<Score> {
        (static_eval(game).raw() >= bound).then(|| Score::heuristic(bound))
    }
}

impl MoveOrdering<Maze> for Oracle {
    fn candidates(&self, game: &Maze, out: &mut Vec<u8>) -> Coverage {
        game.moves(out);
        // Two moves to the same place have the same value.
        if self.hooks {
            let mut seen = Vec::new();
            out.retain(|&mv| {
                let mut child = game.clone();
                child.play(mv);
                let is_new = !seen.contains(&child.place);
                seen.push(child.place);
                is_new
            });
        }
        Coverage::Complete
    }

    fn rank(&self, game: &Maze, mv: u8) -> i32 {
        (game.hash(60 + u64::from(mv)) % 3) as i32
    }

    fn history_tuning(&self) -> HistoryTuning {
        HistoryTuning::new(2, 3, 1)
    }

    fn is_threat(&self, game: &Maze, mv: u8) -> bool {
        game.hash(90 + u64::from(mv)).is_multiple_of(2)
    }

    fn noisy(&self, game: &Maze, out: &mut Vec<u8>) {
        if self.noisy && game.hash(6).is_multiple_of(3) {
            game.moves(out);
            out.truncate(2);
        }
    }
}

impl Selectivity<Maze> for Oracle {
    fn exact(&self) -> bool {
        self.exact
    }

    fn reduction(&self, _game: &Maze, _mv: u8, late: &LateMove) -> u32 {
        u32::from(late.depth > 1 && late.index > 0)
    }

    fn extension_tuning(&self) -> ExtensionTuning {
        ExtensionTuning::new(
            SingularTuning::NONE,
            [ReSearchMargin::new(0, 2), ReSearchMargin::new(5, 1)],
        )
    }

    fn extension(&self, game: &Maze, mv: u8) -> u32 {
        u32::from(game.hash(7) % 5 == u64::from(mv))
    }
}

impl Prover<Maze> for Oracle {
    fn static_bounds(&self, game: &Maze, _wanted: Window) -> (Score, Score) {
        let wins = self.hooks && child_outcomes(game).any(|o| o == Outcome::Win(game.turn()));
        if wins { (Score::win_in(1), Score::win_in(1)) } else { (Score::LOWEST, Score::HIGHEST) }
    }

    fn probe(
        &mut self,
        game: &Maze,
        _window: Window,
        _ctx: &mut Context,
    ) -> Result<Option<Probe<u8>>, Interrupt> {
        let winning = |&mv: &u8| {
            let mut child = game.clone();
            child.play(mv);
            child.outcome() == Some(Outcome::Win(game.turn()))
        };
        let best = (0..game.degree() as u8).find(winning);
        let wins = best.filter(|_| self.hooks);
        Ok(wins.map(|mv| Probe { score: Score::win_in(1), line: vec![mv] }))
    }
}

pub(crate) fn child_outcomes(game: &Maze) -> impl Iterator<Item = Outcome> {
    let mut moves = Vec::new();
    game.moves(&mut moves);
    let game = game.clone();
    moves.into_iter().filter_map(move |mv| {
        let mut child = game.clone();
        child.play(mv);
        child.outcome()
    })
}

pub(crate) fn outcome_score(game: &Maze, outcome: Outcome, ply: u32) -> Score {
    match outcome {
        Outcome::Win(side) if side == game.turn() => Score::win_in(ply),
        Outcome::Win(_) => Score::loss_in(ply),
        Outcome::Draw => Score::DRAW,
        Outcome::Value(v) if game.turn() == Side::First => v,
        Outcome::Value(v) => -v,
    }
}

/// Returns the minimax score of a search of `depth` plies. At the horizon it is the static
/// evaluation, or the best score of the noisy moves of `oracle`.
pub(crate) fn minimax(game: &Maze, oracle: &Oracle, depth: u32, ply: u32) -> Score {
    if let Some(outcome) = game.outcome() {
        return outcome_score(game, outcome, ply);
    }
    let mut moves = Vec::new();
    let mut best = Score::LOWEST;
    if depth == 0 {
        best = static_eval(game);
        oracle.noisy(game, &mut moves);
    } else {
        game.moves(&mut moves);
    }
    for mv in moves {
        let mut child = game.clone();
        child.play(mv);
        best = best.max(-minimax(&child, oracle, depth.saturating_sub(1), ply + 1));
    }
    best
}

/// Generates mazes of two to eight plies.
pub(crate) fn mazes() -> impl Strategy<Value = Maze> {
    (any::<u64>(), 1u64..12, 2u32..9).prop_map(|(seed, width, length)| Maze {
        seed,
        width,
        length,
        ply: 0,
        place: 0,
        ends_early: true,
    })
}

impl Notation for Maze {
    fn read_move(&self, text: &str) -> Result<u8, NotationError> {
        let mut legal = Vec::new();
        self.moves(&mut legal);
        let mv = text.parse().map_err(|_| NotationError::mv(text, "not a number"))?;
        if legal.contains(&mv) { Ok(mv) } else { Err(NotationError::mv(text, "no such move")) }
    }

    fn write_move(&self, mv: u8, _style: Style) -> String {
        mv.to_string()
    }

    fn read_position(&self, text: &str) -> Result<Self, NotationError> {
        let place = text.parse().map_err(|_| NotationError::position(text, 1, "not a number"))?;
        Ok(Self { ply: 0, place, ..self.clone() })
    }

    fn write_position(&self, _pocket: bool) -> String {
        self.place.to_string()
    }

    fn draw(&self) -> String {
        format!("place {} of {}", self.place, self.width)
    }

    fn rules(&self) -> String {
        format!("a maze of {} plies", self.length)
    }
}
