//! The checker: it plays the strategy of a proof against every reply, by the rules alone.
//!
//! It reads line by line. In memory it keeps the positions that come again, and one rule's positions.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Error, Read};

use data_encoding::HEXLOWER;
use flate2::bufread::MultiGzDecoder;
use sha2::{Digest, Sha256};
use tengen_engine::Move;
use tengen_engine::backend::Catalog;

use crate::board::Board;
use crate::fault::Fault;
use crate::head::{FIELDS, FORMAT, Head, OPEN};
use crate::plan::{Plan, Unnamed};
use crate::rule::{Failure, Followed, Item, NO_SAFE_MOVE, ended, read_rule};

/// The largest line in bytes.
const MAX_LINE: u64 = 1 << 20;

/// What a proof was found to hold.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Checked {
    /// The head.
    pub head: Head,
    /// The positions of the side that were played through, those under rules included, those inside plans not.
    pub played: u64,
    /// The largest number of plies to the end of the game, or to an open position.
    pub plies: u32,
    /// The moves to each position that is left open. With one, nothing is proven.
    pub open: Vec<String>,
}

/// What a proof says in a position of the side: a plan, a rule, or a plan and a rule for later.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProofLine {
    /// The move to play and how it goes on; `None` if the rule has the move.
    pub plan: Option<Plan>,
    /// The rule that the side follows, after the move against the replies that it meets.
    pub rule: Option<Vec<Item>>,
}

/// The callback for every decision whose position was proven: the board, the decision, and the largest
/// number of plies to the end.
pub type Visit<'a> = dyn FnMut(&Board, &ProofLine, u32) + 'a;

/// Checks a proof, plain or compressed by gzip, and calls `visit` for each of its decisions.
pub fn check(
    mut file: impl BufRead,
    catalog: &dyn Catalog,
    visit: &mut Visit<'_>,
) -> Result<Checked, Fault> {
    let start = file.fill_buf().map_err(|error| Fault::Unreadable { line: 1, error })?;
    if start.starts_with(&[0x1f, 0x8b]) {
        return check_plain(BufReader::new(MultiGzDecoder::new(file)), catalog, visit);
    }
    check_plain(file, catalog, visit)
}

fn check_plain(
    file: impl BufRead,
    catalog: &dyn Catalog,
    visit: &mut Visit<'_>,
) -> Result<Checked, Fault> {
    let mut lines = Lines { file, number: 0, sha256: Sha256::new() };
    let head = lines.head(catalog)?;
    let board = start(&head, catalog).map_err(|why| Fault::Head { line: MOVES, why })?;
    lines.sha256 = Sha256::new();
    let (seen, read, shared, played, open) = (HashMap::new(), 0, 0, 0, Vec::new());
    let mut walk = Walk { lines, board, head, seen, read, shared, played, open, visit };
    let plies = match walk.board.turn() == walk.head.claim.side {
        true => walk.side(),
        false => walk.replies(&mut Answers::default()),
    }?;
    walk.end()?;
    Ok(Checked { head: walk.head, played: walk.played, plies, open: walk.open })
}

/// The numbers of the head's lines with the moves and the claim.
const MOVES: u64 = 4;
const CLAIM: u64 = 5;

/// Returns the board that the claim is about.
fn start(head: &Head, catalog: &dyn Catalog) -> Result<Board, String> {
    let mut position = catalog.position(&head.spec);
    let moves: Vec<&str> = head.moves.split_whitespace().collect();
    position.play_all(&moves).map_err(|why| why.to_string())?;
    if position.outcome().is_some() {
        return Err("the game is over".to_owned());
    }
    Board::new(position).ok_or_else(|| format!("{} has no board of points", head.spec.variant))
}

/// The lines of a file.
struct Lines<R> {
    file: R,
    number: u64,
    sha256: Sha256,
}

impl<R: BufRead> Lines<R> {
    /// Returns the next line without its end; `None` at the end of the file.
    fn next(&mut self) -> Result<Option<String>, Fault> {
        self.number += 1;
        let line = self.number;
        let unreadable = |error| Fault::Unreadable { line, error };
        let mut bytes = Vec::new();
        let size = (&mut self.file).take(MAX_LINE).read_until(b'\n', &mut bytes);
        if size.map_err(unreadable)? == 0 {
            return Ok(None);
        }
        self.sha256.update(&bytes);
        if bytes.pop() != Some(b'\n') {
            return Err(unreadable(Error::other("the line has no end, or more than 1 MiB")));
        }
        String::from_utf8(bytes).map(Some).map_err(|why| unreadable(Error::other(why)))
    }

    /// Reads the head and the empty line after it.
    fn head(&mut self, catalog: &dyn Catalog) -> Result<Head, Fault> {
        let first = self.next()?.unwrap_or_default();
        if first != FORMAT {
            let why = format!("not a proof: the first line is not {FORMAT}");
            return Err(Fault::Head { line: 1, why });
        }
        let mut values: [String; FIELDS.len()] = Default::default();
        for (field, value) in FIELDS.iter().zip(&mut values) {
            let text = self.next()?.unwrap_or_default();
            let rest =
                text.strip_prefix(field).filter(|rest| rest.is_empty() || rest.starts_with(' '));
            let missing =
                || Fault::Head { line: self.number, why: format!("here must be: {field}") };
            rest.ok_or_else(missing)?.trim_start().clone_into(value);
        }
        if self.next()?.as_deref() != Some("") {
            return Err(Fault::Head {
                line: self.number,
                why: "here must be an empty line".into(),
            });
        }
        let fault = |(field, why)| Fault::Head { line: field as u64 + 2, why };
        Head::read(&values, catalog).map_err(fault)
    }
}

/// The plan and the rule of a line. They are tried before the next lines.
#[derive(Default)]
struct Answers<'a> {
    /// The plan whose move was played.
    plan: Option<&'a Plan>,
    /// What the side does after replies that the plan does not name.
    unnamed: Option<Unnamed<'a>>,
    /// The rule for replies that the plan does not name.
    rule: Option<Followed<'a>>,
}

impl Answers<'_> {
    /// Returns the plies to the end after a reply, if they can be told without playing it.
    fn sure(&self, reply: Move) -> Option<u32> {
        let is_named = self.plan.is_some_and(|plan| plan.answer(reply).is_some());
        self.unnamed.as_ref().filter(|_| !is_named)?.sure(reply)
    }
}

/// A walk through a strategy.
struct Walk<'a, 'b, R> {
    lines: Lines<R>,
    board: Board,
    head: Head,
    /// The plies to the end in the positions that come again.
    seen: HashMap<Vec<u8>, u32>,
    /// The lines of the body that were read.
    read: u64,
    /// The lines whose position comes again.
    shared: u64,
    played: u64,
    open: Vec<String>,
    visit: &'a mut Visit<'b>,
}

impl<R: BufRead> Walk<'_, '_, R> {
    /// Checks a position in which the side is to move. Returns the plies to the end.
    fn side(&mut self) -> Result<u32, Fault> {
        self.played += 1;
        if self.board.winning_move().is_some() {
            return Ok(1);
        }
        let safe = self.safe()?;
        if let [only] = safe[..] {
            return self.play(only, |walk| walk.replies(&mut Answers::default()));
        }
        let key = self.board.least();
        if let Some(plies) = self.seen.get(&key) {
            return Ok(*plies);
        }
        let line = self
            .lines
            .next()?
            .ok_or_else(|| self.fault("the file ends here, without a move for this position"))?;
        self.read += 1;
        if line == OPEN && self.head.open > 0 {
            self.open.push(self.board.line());
            return Ok(0);
        }
        let text = line.strip_prefix('*').unwrap_or(&line);
        let (decision, plies) = self.line(text)?;
        if text.len() < line.len() {
            self.shared += 1;
            self.seen.insert(key, plies);
        }
        (self.visit)(&self.board, &decision, plies);
        Ok(plies)
    }

    /// Checks what a line says: `MOVE`, `:RULE` or `MOVE:RULE` where stones fall, else `PLAN`.
    fn line(&mut self, text: &str) -> Result<(ProofLine, u32), Fault> {
        let (plan, rule) = match text.split_once(':') {
            Some((plan, rule)) => (plan, Some(self.read_rule(rule)?)),
            None => (text, None),
        };
        if plan.is_empty()
            && let Some(rule) = rule
        {
            let plies = self.ruled(&mut Followed::new(&rule, self.head.claim))?;
            return Ok((ProofLine { plan: None, rule: Some(rule) }, plies));
        }
        let plan = Plan::read(plan, &self.board).map_err(|why| self.fault(why))?;
        if self.board.notation().falls() && (plan.others.is_some() || !plan.answers.is_empty()) {
            return Err(self.fault("a plan, but stones fall"));
        }
        let followed = rule.as_deref().map(|rule| Followed::new(rule, self.head.claim));
        if !self.board.legal().contains(&plan.mv) {
            let mv = self.board.write_point(plan.mv);
            return Err(self.fault(format!("{mv} cannot be played")));
        }
        let mut answers = Answers { plan: Some(&plan), unnamed: None, rule: followed };
        let plies = self.play(plan.mv, |walk| {
            answers.unnamed = Some(plan.unnamed(&walk.board, walk.head.claim));
            walk.replies(&mut answers)
        })?;
        Ok((ProofLine { plan: Some(plan), rule }, plies))
    }

    fn read_rule(&self, text: &str) -> Result<Vec<Item>, Fault> {
        if !self.board.notation().falls() {
            return Err(self.fault("a rule, but stones do not fall"));
        }
        read_rule(text, &self.board).map_err(|why| self.fault(why))
    }

    /// Follows a rule from the position on the board.
    fn ruled(&mut self, rule: &mut Followed<'_>) -> Result<u32, Fault> {
        let before = rule.played;
        let plies = rule.side(&mut self.board);
        self.played += rule.played - before;
        plies.map_err(|failure| self.failed(failure))
    }

    /// Follows a plan alone from the position on the board.
    fn follow_plan(&mut self, plan: &Plan) -> Result<u32, Fault> {
        let plies = plan.follow(&mut self.board, self.head.claim);
        plies.map_err(|failure| self.failed(failure))
    }

    /// Checks a position in which the opponent is to move. What `answers` do not meet, the next lines do.
    fn replies(&mut self, answers: &mut Answers<'_>) -> Result<u32, Fault> {
        let mut most = self.ended().unwrap_or(Ok(0))?;
        for reply in self.board.legal() {
            let plies = match answers.sure(reply) {
                Some(plies) => {
                    self.played += u64::from(plies == 1);
                    plies + 1
                }
                None => self.play(reply, |walk| walk.reply(reply, answers))?,
            };
            most = most.max(plies);
        }
        Ok(most)
    }

    /// Checks the position after a reply.
    fn reply(&mut self, reply: Move, answers: &mut Answers<'_>) -> Result<u32, Fault> {
        if let Some(end) = self.ended() {
            return end;
        }
        if let Some(plan) = answers.plan.and_then(|plan| plan.answer(reply)) {
            return self.follow_plan(plan);
        }
        let won = match &answers.unnamed {
            Some(unnamed) => unnamed.wins(reply, &mut self.board),
            None => self.board.winning_move().map(|_| 1),
        };
        if let Some(plies) = won {
            self.played += u64::from(plies == 1);
            return Ok(plies);
        }
        let met = answers.rule.as_mut().and_then(|rule| self.ruled(rule).ok());
        met.map_or_else(|| self.side(), Ok)
    }

    /// Plays a move, does `work` and takes the move back. Returns one ply more than `work`.
    fn play(
        &mut self,
        mv: Move,
        work: impl FnOnce(&mut Self) -> Result<u32, Fault>,
    ) -> Result<u32, Fault> {
        self.board.play(mv);
        let plies = work(self);
        self.board.undo();
        Ok(plies? + 1)
    }

    /// Returns the moves after which the opponent cannot win at once.
    fn safe(&mut self) -> Result<Vec<Move>, Fault> {
        let safe = self.board.safe_moves();
        if safe.is_empty() {
            return Err(self.fault(NO_SAFE_MOVE));
        }
        Ok(safe)
    }

    /// Returns whether the game ended as claimed, with no ply left; `None` while it is not over.
    fn ended(&self) -> Option<Result<u32, Fault>> {
        let end = ended(&self.board, self.head.claim)?;
        Some(end.map_err(|failure| self.failed(failure)))
    }

    /// Checks that the file ends, and that its head is right.
    fn end(&mut self) -> Result<(), Fault> {
        let sha256 = HEXLOWER.encode(&self.lines.sha256.clone().finalize());
        if self.lines.next()?.is_some() {
            let why = "every position is proven, but the file goes on".to_owned();
            return Err(Fault::Head { line: self.lines.number, why });
        }
        let open = self.open.len() as u64;
        if open != self.head.open {
            let why = format!("{open} positions are open, not {}", self.head.open);
            return Err(Fault::Head { line: CLAIM, why });
        }
        let found = [self.read.to_string(), self.shared.to_string(), sha256];
        let told = [self.head.positions.to_string(), self.head.shared.to_string()];
        let told = told.iter().chain([&self.head.sha256]);
        for ((field, told), found) in FIELDS.iter().zip(2..).skip(4).zip(told).zip(found) {
            let (field, line) = field;
            if *told != found {
                let why = format!("{field} is {found}, not {told}");
                return Err(Fault::Head { line, why });
            }
        }
        Ok(())
    }

    fn fault(&self, why: impl Into<String>) -> Fault {
        Fault::Strategy { line: self.lines.number, moves: self.board.line(), why: why.into() }
    }

    fn failed(&self, (moves, why): Failure) -> Fault {
        Fault::Strategy { line: self.lines.number, moves, why: why.to_owned() }
    }
}
