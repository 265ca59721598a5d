//! Decides which search runs. This is checked after every event: a search that is no longer needed
//! is stopped, and its answer is dropped.

use std::sync::Arc;
use std::time::Duration;

use tengen_engine::opening::MoveRanking;
use tengen_engine::{Limits, Move, Point, Side, Signal, Strength};

use super::{App, Effect};
use crate::clock::TimeControl;
use crate::engine::Job;
use crate::game::{Player, Turn};
use crate::search_summary::SearchSummary;
use crate::tree::GameNodeId;

/// The time of a search for a move at full strength, without other limits.
const DEFAULT_TIME: Duration = Duration::from_secs(3);
/// The time of a search for a hint, or for a choice in an opening.
const HINT_TIME: Duration = Duration::from_secs(1);
/// The time of a search for each position of a review.
const REVIEW_TIME: Duration = Duration::from_millis(500);

/// The purpose of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    /// The engine's move.
    Move,
    /// The engine's choice, or its first stones, in a swap2 opening.
    Choice,
    /// A person's question.
    Question,
    /// A position of the game under review.
    Review,
    /// The best moves of the current position.
    Analysis,
}

/// A running search.
pub(super) struct RunningSearch {
    pub(super) ticket: u64,
    pub(super) purpose: Purpose,
    pub(super) node: GameNodeId,
    epoch: u64,
    pub(super) started: Duration,
    pub(super) signal: Arc<Signal>,
    pub(super) plies_left: u32,
    pub(super) summary: SearchSummary,
    pub(super) ranking: MoveRanking,
}

impl App {
    /// Starts the search that is needed now, and stops any other.
    pub(super) fn schedule(&mut self, now: Duration) {
        let needed = self.needed_search();
        if let (Some(running), Some((purpose, node))) = (&self.running, needed)
            && (running.purpose, running.node, running.epoch) == (purpose, node, self.epoch)
        {
            return;
        }
        if let Some(running) = self.running.take() {
            running.signal.stop();
        }
        if let Some((purpose, node)) = needed {
            self.start(purpose, node, now);
        }
    }

    fn needed_search(&self) -> Option<(Purpose, GameNodeId)> {
        let here = self.game.tree().current();
        if self.is_live && self.game.actor() == Some(Player::Engine) {
            let chooses = matches!(self.game.turn(), Turn::Choose(_));
            let opens = !self.game.has_sides() && self.game.tree().is_empty();
            let purpose = if chooses || opens { Purpose::Choice } else { Purpose::Move };
            return Some((purpose, here));
        }
        if self.question.is_some_and(|(node, _)| node == here) {
            return Some((Purpose::Question, here));
        }
        if let Some(node) = self.review.as_ref().and_then(|review| review.next()) {
            return Some((Purpose::Review, node));
        }
        let is_over = self.game.position().outcome().is_some();
        let known = self.game.tree().summary(here);
        let is_known = known.is_some_and(|summary| {
            summary.is_complete && summary.lines.len() >= self.lines.min(self.legal_count())
        });
        (self.analyses && !is_over && !is_known).then_some((Purpose::Analysis, here))
    }

    fn legal_count(&self) -> usize {
        self.game.position().legal().len()
    }

    fn start(&mut self, purpose: Purpose, node: GameNodeId, now: Duration) {
        self.ticket += 1;
        let signal = Arc::new(Signal::default());
        let mut position = self.game.position_at(node);
        let plies_left = position.plies_left();
        let (mut lines, mut moves) = (1, Vec::new());
        let full = self.settings.strength.with_skill(Strength::FULL).with_analysis(true);
        let mut strength = full;
        let limits = match purpose {
            Purpose::Move if self.level < Strength::FULL => {
                strength = self.settings.strength.with_skill(self.level);
                self.within_clock(self.limits.clone(), now)
            }
            Purpose::Move => match self.time_control() {
                Some(TimeControl::Game { .. }) => self.within_clock(self.limits.clone(), now),
                _ => self.within_clock(self.limited(DEFAULT_TIME), now),
            },
            Purpose::Choice => {
                if let Some((first, considered)) = self.first_stones() {
                    for mv in first {
                        // On an empty board these moves are always legal.
                        let _ = position.play(mv);
                    }
                    moves = considered;
                    lines = moves.len().max(1);
                } else {
                    lines = self.legal_count();
                }
                self.limited(HINT_TIME)
            }
            Purpose::Question => self.limited(HINT_TIME),
            Purpose::Review => self.limited(REVIEW_TIME),
            Purpose::Analysis => {
                lines = self.lines;
                Limits::default()
            }
        };
        let settings = self.settings.with_multi_pv(lines).with_strength(strength);
        self.running = Some(RunningSearch {
            ticket: self.ticket,
            purpose,
            node,
            epoch: self.epoch,
            started: now,
            signal: signal.clone(),
            plies_left,
            summary: SearchSummary::default(),
            ranking: MoveRanking::default(),
        });
        let ticket = self.ticket;
        let job = Job { ticket, position, settings, limits, moves, signal };
        self.effects.push(Effect::Search(Box::new(job)));
    }

    /// Returns the limits that the user gave, else the time `default_time`.
    fn limited(&self, default_time: Duration) -> Limits {
        if self.limits.is_bounded() {
            self.limits.clone()
        } else {
            Limits::default().with_movetime(default_time)
        }
    }

    /// Returns `limits` within the time control: at most 90 % of the time for a move, or the clocks
    /// of the game.
    fn within_clock(&self, limits: Limits, now: Duration) -> Limits {
        match self.time_control() {
            None => limits,
            Some(TimeControl::Move(time)) => {
                let most = time * 9 / 10;
                let time = limits.movetime.map_or(most, |time| time.min(most));
                limits.with_movetime(time)
            }
            Some(TimeControl::Game { increment, .. }) => {
                let left = [Side::First, Side::Second].map(|side| self.time_left(side, now));
                limits.with_clock(tengen_engine::Clock::new(left, [increment; 2]))
            }
        }
    }

    /// Returns the engine's first stones in swap2, and the candidates for one more; `None` if the
    /// board is not empty.
    fn first_stones(&self) -> Option<(Vec<Move>, Vec<Move>)> {
        let opening = self.catalog.swap_opening(self.game.spec())?;
        let notation = self.game.spec().grid?;
        let grid = notation.grid();
        if !self.game.tree().is_empty() {
            return None;
        }
        let stones = opening.stones(&[], grid)?;
        let is_open = |point: &Point| !stones.contains(point) && opening.considers(&stones, *point);
        let points = grid.all().map(|cell| grid.point(cell)).filter(is_open);
        let considered = points.map(|point| notation.move_to(point)).collect();
        Some((stones.iter().map(|point| notation.move_to(*point)).collect(), considered))
    }
}
