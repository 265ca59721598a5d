//! The review of a game: every move with the score before and after it, and its grade.

use std::io;

use serde_json::{Value, json};
use tengen_engine::{Answer, GameSpec, Limits, Score, Side, Wdl};
use tengen_records::{NodeId, Remark};

use super::analyst::Analyst;
use super::outputs::Outputs;
use super::setup::Setup;
use super::show::wdl_of;
use super::words;
use crate::exit_status::Refusal;
use crate::interrupt::is_interrupted;
use crate::progress::Progress;

/// How good a move was.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Grade {
    Fine,
    /// The move gave away a tenth of the game.
    Doubtful,
    /// The move gave away a fifth of the game.
    Mistake,
    /// The move gave away two fifths of the game.
    Blunder,
}

impl Grade {
    /// Returns the grade of a move that takes the expected share from `before` to `after` per
    /// mille.
    fn of(before: u16, after: u16) -> Self {
        match before.saturating_sub(after) {
            400.. => Self::Blunder,
            200.. => Self::Mistake,
            100.. => Self::Doubtful,
            _ => Self::Fine,
        }
    }

    /// Returns the grade as players write it.
    pub(super) const fn sign(self) -> &'static str {
        match self {
            Self::Fine => "",
            Self::Doubtful => "?!",
            Self::Mistake => "?",
            Self::Blunder => "??",
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Fine => "fine",
            Self::Doubtful => "doubtful",
            Self::Mistake => "mistake",
            Self::Blunder => "blunder",
        }
    }

    /// Returns the property that marks the grade in game records.
    const fn mark(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Fine => None,
            Self::Doubtful => Some(("DO", "")),
            Self::Mistake => Some(("BM", "1")),
            Self::Blunder => Some(("BM", "2")),
        }
    }
}

/// The result of the search of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Finding {
    turn: Side,
    /// The score for the side to move.
    score: Score,
    wdl: Wdl,
    /// The best line; empty when the game is over.
    line: Vec<String>,
}

impl Finding {
    fn of(turn: Side, answer: Answer<String>) -> Self {
        let report = answer.report;
        let wdl = report.wdl.unwrap_or(Wdl::DRAWN);
        Self { turn, score: report.score, wdl, line: report.pv }
    }

    fn over(turn: Side, score: Score) -> Self {
        Self { turn, score, wdl: wdl_of(score), line: Vec::new() }
    }

    /// Returns score and chances for the player who has just moved, one ply before.
    fn for_mover(&self) -> (Score, Wdl) {
        (-self.score.from_table(1), self.wdl.flipped())
    }
}

/// A move of the game, judged. Scores are the mover's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Judged {
    pub(super) number: usize,
    pub(super) side: Side,
    mv: String,
    before: Score,
    after: Score,
    pub(super) grade: Grade,
    /// The best line instead.
    best: Vec<String>,
}

/// Reports by which rules a game is judged, and which of the games of the file it is.
pub(super) fn announce(
    spec: &GameSpec,
    number: usize,
    count: usize,
    outputs: &Outputs,
) -> io::Result<()> {
    let GameSpec { variant, rules, .. } = spec;
    let object = || {
        json!({
            "type": "record",
            "game": number,
            "games": count,
            "variant": variant,
            "rules": rules,
        })
    };
    let place = if count > 1 { format!("game {number} of {count}, ") } else { String::new() };
    outputs.tell(|| format!("{place}{variant}: {rules}"), object)
}

/// A game, judged.
pub(super) struct Review {
    pub(super) moves: Vec<Judged>,
    /// The first player's expected share in each position, in per mille; a draw counts half.
    pub(super) chances: Vec<u16>,
}

impl Review {
    /// Searches every position of the game, until Ctrl-C, and reports each move as soon as it is
    /// judged.
    pub(super) fn of(
        analyst: &mut Analyst,
        setup: &Setup,
        limits: &Limits,
        outputs: &Outputs,
    ) -> anyhow::Result<Self> {
        // Whatever cannot be played is told before anything is searched.
        analyst.set_up(setup, setup.moves.len())?;
        if setup.moves.is_empty() {
            return Err(Refusal("the game has no moves".to_owned()).into());
        }
        let mut review = Self { moves: Vec::new(), chances: Vec::new() };
        let mut before: Option<Finding> = None;
        let progress = Progress::new(Some(setup.moves.len() as u64 + 1));
        for plies in 0..=setup.moves.len() {
            progress.tell(format!("after move {plies}"));
            analyst.set_up(setup, plies)?;
            let position = analyst.position();
            let (turn, outcome) = (position.turn(), position.outcome());
            let finding = match outcome {
                Some(outcome) => Finding::over(turn, outcome.score(turn, 0)),
                None => Finding::of(turn, analyst.search(limits, &mut |_| Ok(()))?),
            };
            if is_interrupted() {
                break;
            }
            let expected = match finding.turn {
                Side::First => finding.wdl.expected(),
                Side::Second => finding.wdl.flipped().expected(),
            };
            review.chances.push(expected);
            if let Some(earlier) = before {
                let judged = judge(plies, &setup.moves[plies - 1], &earlier, &finding);
                outputs.tell_beside(&progress, || judged.text(), || judged.json())?;
                review.moves.push(judged);
            }
            before = Some(finding);
            progress.step();
        }
        Ok(review)
    }

    /// Returns how many moves of a side have at least this grade.
    pub(super) fn count(&self, side: Side, grade: Grade) -> usize {
        self.moves.iter().filter(|judged| judged.side == side && judged.grade >= grade).count()
    }

    /// Returns what to write into the record whose moves are in these nodes.
    pub(super) fn remarks(&self, nodes: &[NodeId]) -> Vec<Remark> {
        let remark = |(judged, &node): (&Judged, &NodeId)| Remark {
            node,
            mark: judged.grade.mark(),
            comment: judged.comment(),
        };
        self.moves.iter().zip(nodes).map(remark).collect()
    }

    /// Tells the end of the review.
    pub(super) fn conclude(&self, outputs: &Outputs, place: usize) -> io::Result<()> {
        let [record, plot] = outputs.names(place);
        let mistakes = [Side::First, Side::Second].map(|side| self.count(side, Grade::Mistake));
        let [first, second] = mistakes;
        let object = || {
            json!({
                "type": "game",
                "moves": self.moves.len(),
                "mistakes": { "first": first, "second": second },
                "sgf": record,
                "svg": plot,
            })
        };
        let text = || {
            let mistakes = format!("mistakes: first player {first}, second player {second}");
            format!("{mistakes}\nrecord: {record}\nplot: {plot}")
        };
        outputs.tell(text, object)
    }
}

fn judge(number: usize, mv: &str, before: &Finding, after: &Finding) -> Judged {
    let (after_score, after_wdl) = after.for_mover();
    let is_best = before.line.first().is_some_and(|best| best.eq_ignore_ascii_case(mv));
    let lost = Grade::of(before.wdl.expected(), after_wdl.expected());
    Judged {
        number,
        side: before.turn,
        mv: mv.to_owned(),
        before: before.score,
        after: after_score,
        grade: if is_best { Grade::Fine } else { lost },
        best: before.line.clone(),
    }
}

impl Judged {
    /// Returns the move for people, on one line.
    fn text(&self) -> String {
        let Self { number, mv, grade, .. } = self;
        let stone = if self.side == Side::First { 'X' } else { 'O' };
        let (before, after) = (words::score(self.before), words::score(self.after));
        let told = format!("{number:>3}. {stone} {mv:<4} {before:>14} -> {after:<14}");
        if *grade == Grade::Fine {
            return told.trim_end().to_owned();
        }
        format!("{told} {:<2}  better: {}", grade.sign(), self.best.join(" "))
    }

    /// Returns the comment for the record.
    fn comment(&self) -> String {
        let (before, after) = (words::score(self.before), words::score(self.after));
        let mut comment = format!("Tengen: {before} before, {after} after.");
        if self.grade > Grade::Fine {
            let article = if self.grade == Grade::Doubtful { "" } else { "a " };
            let (name, best) = (self.grade.name(), self.best.join(" "));
            comment += &format!(" This is {article}{name}; better: {best}");
        }
        comment
    }

    fn json(&self) -> Value {
        json!({
            "type": "move",
            "number": self.number,
            "side": words::player(self.side),
            "move": self.mv,
            "before": words::score_json(self.before),
            "after": words::score_json(self.after),
            "grade": self.grade.name(),
            "best": self.best,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(turn: Side, score: Score, wdl: Wdl, line: &[&str]) -> Finding {
        Finding { turn, score, wdl, line: line.iter().map(|mv| (*mv).to_owned()).collect() }
    }

    #[test]
    fn a_grade_is_what_a_move_gave_away() {
        for (before, after, grade) in [
            (500, 600, Grade::Fine),
            (500, 401, Grade::Fine),
            (500, 400, Grade::Doubtful),
            (500, 300, Grade::Mistake),
            (1000, 600, Grade::Blunder),
        ] {
            assert_eq!(Grade::of(before, after), grade);
        }
    }

    #[test]
    fn a_move_is_judged_by_the_positions_before_and_after_it() {
        let before = finding(Side::Second, Score::win_in(3), Wdl::WON, &["h8", "h9"]);
        let after = finding(
            Side::First,
            Score::heuristic(50),
            Wdl { win: 600, draw: 0, loss: 400 },
            &["a1"],
        );
        let judged = judge(4, "b2", &before, &after);
        assert_eq!((judged.side, judged.grade), (Side::Second, Grade::Blunder));
        assert_eq!((judged.before, judged.after), (Score::win_in(3), Score::heuristic(-50)));
        assert!(judged.text().ends_with("??  better: h8 h9"), "{}", judged.text());
        assert_eq!(
            judged.comment(),
            "Tengen: win in 3 before, -50 after. This is a blunder; better: h8 h9"
        );
        // Plies count from before the move, and the best move is never a mistake.
        let lost = Finding::over(Side::First, Score::loss_in(0));
        let judged = judge(4, "h8", &before, &lost);
        assert_eq!((judged.after, judged.grade), (Score::win_in(1), Grade::Fine));
    }
}
