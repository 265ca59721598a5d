//! Decides which search runs. This is checked after every event: a search that is no longer needed
//! is stopped, and its answer is dropped.

use std::sync::Arc;
use std::time::Duration;

use tengen_engine::opening::{Choice, Chooser, Decision, MoveRanking};
use tengen_engine::{Limits, Side, Signal, Strength};

use super::{App, Effect};
use crate::clock::TimeControl;
use crate::engine::Job;
use crate::game::Player;
use crate::search_summary::SearchSummary;
use crate::tree::GameNodeId;

/// The time of a search for a move at full strength, without other limits.
const DEFAULT_TIME: Duration = Duration::from_secs(3);
/// The time of a search for a hint, or for a choice in an opening.
const HINT_TIME: Duration = Duration::from_secs(1);
/// The nodes of a search for each position of a review, as on the page of the board. They do not
/// depend on how busy the machine is.
const REVIEW_NODES: u64 = 50_000;

/// The purpose of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    /// The engine's move.
    Move,
    /// The engine's decision in an opening.
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
        while let Some(decision) = self.decided() {
            self.engine_chooses(&decision, now);
        }
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
            let purpose = match self.game.pending() {
                Some(_) => Purpose::Choice,
                None => Purpose::Move,
            };
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
                let Some(Choice::Search(search)) = self.choice() else { return };
                let Ok(set_up) = position.set_up_opening(&search) else { return };
                (moves, lines) = set_up;
                search.limits(&self.limited(HINT_TIME))
            }
            Purpose::Question => self.limited(HINT_TIME),
            Purpose::Review if self.limits.is_bounded() => self.limits.clone(),
            Purpose::Review => Limits::default().with_nodes(REVIEW_NODES),
            Purpose::Analysis => {
                lines = self.lines;
                Limits::default()
            }
        };
        let is_fresh = purpose == Purpose::Review;
        let settings = self.settings.with_multi_pv(lines).with_strength(strength);
        let settings = if is_fresh { settings.with_threads(1) } else { settings };
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
        let job = Job { ticket, position, settings, limits, moves, is_fresh, signal };
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

    /// Returns what the engine's decision in the opening needs, or the decision. `None` if the
    /// engine has nothing to decide.
    fn choice(&mut self) -> Option<Choice> {
        let is_due = self.is_live && self.game.actor() == Some(Player::Engine);
        self.game.pending().filter(|_| is_due)?;
        let course = self.game.opening()?;
        if self.chooser.as_ref().is_none_or(|(epoch, _)| *epoch != self.epoch) {
            let strength = self.settings.strength.with_skill(self.level);
            self.chooser = Some((self.epoch, Chooser::new(course.clone(), &strength)));
        }
        self.chooser.as_ref().map(|(_, chooser)| chooser.choice())
    }

    /// Returns the engine's decision in the opening once it is made.
    fn decided(&mut self) -> Option<Decision> {
        match self.choice()? {
            Choice::Decided(decision) => Some(decision),
            Choice::Search(_) => None,
        }
    }
}
