//! The review of a game: every position is searched, and each move is graded by how much it lost.

use tengen_engine::{Grade, Side, Style};
use tengen_protocol::judge::language::{Language, Stones};
use tengen_protocol::judge::review::{Explainer, Finding};

use super::App;
use crate::game::side_name;
use crate::tree::GameNodeId;

/// A game under review.
pub(crate) struct Review {
    /// The positions of the game, from the root on.
    nodes: Vec<GameNodeId>,
    /// How many positions are searched.
    done: usize,
    /// The smallest and the largest depth of these searches, in plies.
    depths: Option<(u32, u32)>,
}

impl Review {
    /// Returns the next position to search; `None` at the end.
    pub(super) fn next(&self) -> Option<GameNodeId> {
        self.nodes.get(self.done).copied()
    }

    /// Returns how many positions are searched, and how many there are.
    pub(crate) fn progress(&self) -> (usize, usize) {
        (self.done, self.nodes.len())
    }

    /// Returns the depth of the searches in words; `None` before the first one has ended.
    pub(crate) fn depth(&self) -> Option<String> {
        let (least, most) = self.depths?;
        let range = if least == most { least.to_string() } else { format!("{least} to {most}") };
        Some(format!("depth {range}"))
    }
}

impl App {
    /// Returns the review while it runs.
    pub(crate) fn review(&self) -> Option<&Review> {
        self.review.as_ref().filter(|review| review.next().is_some())
    }

    /// Begins to judge the moves of the current line.
    pub(super) fn begin_review(&mut self) {
        let tree = self.game.tree();
        let mut nodes = vec![tree.root()];
        nodes.extend(tree.whole_line());
        if nodes.len() == 1 {
            return self.tell("There is no move to judge.");
        }
        // A finished position needs no search.
        let ends = |id: &GameNodeId| self.game.position_at(*id).outcome().is_some();
        if nodes.last().is_some_and(ends) {
            nodes.pop();
        }
        let moves = nodes.len() - 1;
        self.review = Some(Review { nodes, done: 0, depths: None });
        self.tell(format!("Tengen judges {} positions.", moves + 1));
    }

    /// Handles the end of the search at `node`.
    pub(super) fn reviewed(&mut self, node: GameNodeId) {
        let Some(review) = &mut self.review else { return };
        if review.next() == Some(node) {
            review.done += 1;
            let depth = self.game.tree().summary(node).map_or(0, |summary| summary.depth);
            let (least, most) = review.depths.unwrap_or((depth, depth));
            review.depths = Some((least.min(depth), most.max(depth)));
        }
        if review.next().is_some() {
            return;
        }
        let depth =
            review.depth().map_or_else(String::new, |depth| format!(" Searched to {depth}."));
        self.review = None;
        let line = self.game.tree().whole_line();
        let mut marked = Vec::new();
        let mut counts = [0; 2];
        for (id, number) in line.into_iter().zip(1..) {
            let grade = self.grade(id);
            if let Some(played) = self.game.tree().played(id).filter(|_| grade >= Grade::Mistake) {
                marked.push(format!("{number} {}{}", played.name, grade.sign()));
                counts[played.side.index()] += 1;
            }
        }
        let name = |side| side_name(self.game.spec(), side);
        let (first, second) = (name(Side::First), name(Side::Second));
        let list =
            if marked.is_empty() { String::new() } else { format!(": {}", marked.join(", ")) };
        let [of_first, of_second] = counts;
        self.tell(format!("Mistakes: {first} {of_first}, {second} {of_second}{list}.{depth}"));
    }

    /// Returns the grade of the move to a node; `Fine` if it is unknown.
    pub(crate) fn grade(&self, id: GameNodeId) -> Grade {
        self.known_grade(id).unwrap_or(Grade::Fine)
    }

    fn known_grade(&self, id: GameNodeId) -> Option<Grade> {
        let tree = self.game.tree();
        let played = tree.played(id)?;
        let best = tree.summary(tree.parent(id)?).filter(|it| it.is_complete)?.best()?;
        if best.first() == Some(played.mv) {
            return None;
        }
        Some(Grade::of(best.expected()?, self.expected_after(id, played.side)?))
    }

    /// Returns the expected share of `mover` after the move to a node, in per mille.
    fn expected_after(&self, id: GameNodeId, mover: Side) -> Option<u16> {
        if let Some(summary) = self.game.tree().summary(id).filter(|it| it.is_complete) {
            return Some(1000 - summary.best()?.expected()?);
        }
        let position = self.game.position_at(id);
        let score = position.outcome()?.score(mover, 0);
        Some(match score {
            score if score.is_win() => 1000,
            score if score.is_loss() => 0,
            _ => 500,
        })
    }

    /// Returns why the move to a node is bad, in a sentence; `None` for a move without a mark.
    pub(super) fn reason(&self, id: GameNodeId) -> Option<String> {
        if self.grade(id) == Grade::Fine {
            return None;
        }
        let tree = self.game.tree();
        let (parent, mv) = (tree.parent(id)?, tree.played(id)?.mv);
        let (before, after) = (self.finding(parent)?, self.finding(id)?);
        let explainer =
            Explainer { catalog: self.catalog, style: Style::Plain, explains_all: false };
        let start = self.game.position_at(parent);
        let judged = explainer.judge(&*start, tree.ply(), mv, (&before, &after));
        let reason = judged.reason?;
        Some(Language::En.reason(&reason, &judged.mv, Stones::of(self.game.spec())))
    }

    /// Returns the result of the search at a node, or of the finished game; `None` without one.
    fn finding(&self, id: GameNodeId) -> Option<Finding> {
        let position = self.game.position_at(id);
        let Some(summary) = self.game.tree().summary(id).filter(|it| it.is_complete) else {
            position.outcome()?;
            return Some(Finding::of(&*position, None, Style::Plain));
        };
        let best = summary.best()?;
        let line = position.write_line(&best.moves, Style::Plain);
        let moves = best.moves[..line.len()].to_vec();
        let (turn, score, wdl) = (position.turn(), best.score, best.chances()?);
        Some(Finding { turn, score, wdl, is_drawn: best.is_draw, line, moves })
    }

    /// Goes to the next marked move of the line, or to the previous one if `step` is negative.
    pub(super) fn go_to_mistake(&mut self, step: isize) {
        let line = self.game.tree().whole_line();
        let here = self.game.tree().ply();
        let is_marked = |index: &usize| self.grade(line[*index]) >= Grade::Doubtful;
        let found = match step > 0 {
            true => (here..line.len()).find(is_marked),
            false => (0..here.saturating_sub(1)).rev().find(is_marked),
        };
        match found {
            Some(index) => self.show(line[index]),
            None if line.iter().all(|id| self.grade(*id) == Grade::Fine) => {
                self.tell("No mistake is known: review judges the game.");
            }
            None => self.tell("There is no further mistake."),
        }
    }
}
