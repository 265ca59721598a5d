//! The engine's decisions in openings: Swap2 in the words of Gomocup, Swap2 and Soosorv-8 in those of
//! Yixin.

use std::time::Duration;

use tengen_engine::opening::{Act, Choice, Chooser, Course, Decision, MoveRanking, OpeningSearch};
use tengen_engine::{Answer, Instant, Limits, Move, Point, Strength};

use super::super::{Purpose, Session};
use super::refused::Refused;
use crate::command::{GameReply, OpeningReply, OpeningStep, Xy};

/// A decision in progress.
pub(in crate::session) struct OpeningTask {
    step: OpeningStep,
    chooser: Chooser,
    /// The strength of the session. The searches of a decision have full strength.
    strength: Strength,
    /// The limits of the whole decision.
    limits: Limits,
    /// The time of the searches so far.
    spent: Duration,
    /// When the command arrived.
    at: Instant,
    /// Whether the client has stopped a search. Then the later ones are as short as possible.
    is_stopped: bool,
}

impl Session {
    /// Decides in an opening with stones on `cells`, or with the stones of the managed game.
    pub(super) fn choose(
        &mut self,
        step: OpeningStep,
        cells: Option<&[Xy]>,
        at: Instant,
    ) -> Result<(), Refused> {
        let stones = match cells {
            Some(cells) => self.points(cells)?,
            None => self.game.stones.played().map(|(point, _)| point).collect(),
        };
        for (index, point) in stones.iter().enumerate() {
            if stones[..index].contains(point) {
                let grid = self.grid()?.grid();
                return Err(Refused::TwoStones(Xy::of(*point, grid)));
            }
        }
        let course = self.course(step, &stones)?;
        let strength = self.active.settings().strength;
        let chooser = Chooser::new(course, &strength);
        let chooser = match steps(step) {
            Some(steps) => chooser.with_steps(steps),
            None => chooser,
        };
        let (limits, spent) = (self.game.limits.limits(), Duration::ZERO);
        self.decide(Box::new(OpeningTask {
            step,
            chooser,
            strength,
            limits,
            spent,
            at,
            is_stopped: false,
        }))
    }

    /// Returns the opening at a step, with `stones` on the board.
    fn course(&self, step: OpeningStep, stones: &[Point]) -> Result<Course, Refused> {
        let grid = self.grid()?.grid();
        let name = match step {
            OpeningStep::YixinSoosorv(..) => "soosorv8",
            _ => "swap2",
        };
        let rule = self.engine.catalog.opening_rule(self.active.spec(), name);
        let rule = rule.map_err(Refused::Opening)?;
        let mut course = Course::new(rule, grid);
        let acts = acts(step, stones)?;
        for act in acts {
            course.act(act).map_err(|why| match act {
                Act::Point(point) => Refused::OpeningStone(Xy::of(point, grid), why),
                _ => Refused::Opening(why.to_string()),
            })?;
        }
        Ok(course)
    }

    /// Starts the next search of a decision, or sends the decision.
    fn decide(&mut self, task: Box<OpeningTask>) -> Result<(), Refused> {
        match task.chooser.choice() {
            Choice::Search(search) => self.search_opening(task, &search),
            Choice::Decided(decision) => {
                self.game.limits.spend(task.spent);
                let (step, before) = (task.step, task.chooser.course().clone());
                let decision = with_only_offer(&before, decision);
                if decision.acts.is_empty() {
                    return Err(Refused::Opening("there is nothing to decide".to_owned()));
                }
                let reply = OpeningReply { step, before, decision };
                self.game_reply(GameReply::Opening(Box::new(reply)))
            }
        }
    }

    fn search_opening(
        &mut self,
        task: Box<OpeningTask>,
        search: &OpeningSearch,
    ) -> Result<(), Refused> {
        let mut position = self.active.position().duplicate();
        let (moves, lines) = position.set_up_opening(search).map_err(Refused::Position)?;
        self.active.set_to(position);
        self.game.is_position_current = false;
        if self.active.final_score().is_some() {
            return Err(Refused::NothingToPlay);
        }
        self.multi_pv = lines;
        let settings = self.active.settings();
        let strength = task.strength.with_analysis(true);
        self.active.configure(settings.with_multi_pv(self.multi_pv).with_strength(strength));
        let mut limits = search.limits(&task.limits);
        if task.is_stopped {
            limits.movetime = Some(Duration::ZERO);
        }
        let at = task.at + task.spent;
        self.start_search(limits, moves, at, Purpose::Choose(task));
        Ok(())
    }

    /// Handles the answer of a search for a decision.
    pub(super) fn opening_searched(
        &mut self,
        mut task: Box<OpeningTask>,
        ranking: &MoveRanking,
        answer: &Answer<Move>,
        is_stopped: bool,
    ) {
        let Some(grid) = self.active.spec().grid else { return };
        self.active.configure(self.active.settings().with_strength(task.strength));
        task.chooser.add_result(ranking, answer, grid);
        task.spent += answer.report.time;
        task.is_stopped |= is_stopped;
        if let Err(why) = self.decide(task) {
            self.refuse(why);
        }
    }
}

/// Returns how many steps a command decides; `None` for all until the other player decides.
const fn steps(step: OpeningStep) -> Option<usize> {
    match step {
        OpeningStep::YixinSwap2(2 | 3) | OpeningStep::YixinSoosorv(2 | 4, _) => Some(1),
        _ => None,
    }
}

/// Returns what happened before a step, with `stones` on the board. The error says which stones the
/// step needs.
fn acts(step: OpeningStep, stones: &[Point]) -> Result<Vec<Act>, Refused> {
    let place = |points: &[Point]| points.iter().copied().map(Act::Point).collect::<Vec<_>>();
    let count = stones.len();
    let need = |needed: &str| Err(Refused::Opening(format!("{needed}, not {count}")));
    let soosorv = |own: &[Act]| {
        let (first, later) = stones.split_at(3);
        let (fourth, fifths) = later.split_at(later.len().min(1));
        let mut acts = [place(first), vec![Act::Stay], place(fourth)].concat();
        acts.extend(own);
        acts.extend(place(fifths));
        acts
    };
    match (step, count) {
        (OpeningStep::Swap2Board, 0 | 3) => Ok(place(stones)),
        (OpeningStep::Swap2Board, 5) | (OpeningStep::YixinSwap2(3), 5) => {
            let (first, more) = stones.split_at(3);
            Ok([place(first), vec![Act::Other], place(more)].concat())
        }
        (OpeningStep::Swap2Board, _) => need("0, 3 or 5 stones leave a choice"),
        (OpeningStep::YixinSwap2(1), _) | (OpeningStep::YixinSoosorv(1, _), _) => Ok(Vec::new()),
        (OpeningStep::YixinSwap2(2), 3) | (OpeningStep::YixinSoosorv(2, _), 3) => Ok(place(stones)),
        (OpeningStep::YixinSwap2(step), _) => {
            need(&format!("step {step} of Swap2 needs {} stones", if step == 2 { 3 } else { 5 }))
        }
        (OpeningStep::YixinSoosorv(3, _), 3) => Ok(soosorv(&[])),
        (OpeningStep::YixinSoosorv(4, number), 4) => Ok(soosorv(&[Act::Number(number)])),
        (OpeningStep::YixinSoosorv(5, number), 4) => Ok(soosorv(&[Act::Number(number), Act::Stay])),
        (OpeningStep::YixinSoosorv(6, _), 5..) => {
            Ok(soosorv(&[Act::Number(count as u32 - 4), Act::Stay]))
        }
        (OpeningStep::YixinSoosorv(step, _), _) => {
            let needed = match step {
                2 | 3 => "3 stones",
                6 => "4 stones and the offered ones",
                _ => "4 stones",
            };
            need(&format!("step {step} of Soosorv-8 needs {needed}"))
        }
    }
}

/// Returns the decision, or the only offer if there was nothing to decide.
fn with_only_offer(before: &Course, mut decision: Decision) -> Decision {
    if before.is_over() {
        decision.acts = before.acts().last().copied().into_iter().collect();
    }
    decision
}
