//! Aspiration: a guess, a narrow window around it, and a second search when the value is outside.

use tengen_engine::{Evaluator, Game, Score, Window};

use crate::alpha_beta::fail_soft;
use crate::walk::Walk;
use crate::watch::Watch;

/// The distance of the window's ends from the guess, in units of the evaluator.
pub const WIDTH: i32 = 50;

// CITE: G. M. Baudet, "The Design and Analysis of Algorithms for Asynchronous Multiprocessors",
// thesis, Carnegie Mellon 1978; T. A. Marsland, "A Review of Game-Tree Pruning", ICCA Journal 9
// (1), 1986.
/// Returns the value for the side to move. The guess X is the value one ply short of the horizon;
/// the window is (X - width, X + width).
pub(crate) fn aspiration<G, E, W>(walk: &mut Walk<'_, G, E, W>, horizon: u32, width: i32) -> Score
where
    G: Game,
    E: Evaluator<G>,
    W: Watch<G::Move>,
{
    if horizon == 0 {
        return pass(walk, 0, Window::FULL);
    }
    let guess = pass(walk, horizon - 1, Window::FULL);
    let window = Window::around(guess, width);
    let value = pass(walk, horizon, window);
    // The window of a re-search includes the bound that failed, by one point.
    if value <= window.alpha {
        return pass(walk, horizon, Window::new(Score::LOWEST, value.next()));
    }
    if value >= window.beta {
        return pass(walk, horizon, Window::new(value.previous(), Score::HIGHEST));
    }
    value
}

fn pass<G, E, W>(walk: &mut Walk<'_, G, E, W>, horizon: u32, window: Window) -> Score
where
    G: Game,
    E: Evaluator<G>,
    W: Watch<G::Move>,
{
    walk.begin(horizon, window);
    fail_soft(walk, horizon, window)
}
