//! A referee of claims, for `tests/campaign claims`. It shares no code with Tengen: the rules, the search of threats and the
//! solver are its own. It reads one request a line:
//!
//! - `win RULE WIDTH HEIGHT FIRST SECOND TURN ATTACKER MOVES EFFORT LINE... [/ LINE...]`: whether the attacker wins within so many own moves
//! - `hint LINE...`: notes one more line of the last claim; `effort N` and `within N` change its numbers and try it again
//! - `value WIDTH HEIGHT K falls|free misere|normal FIRST SECOND TURN NODES`: the exact value
//! - `forbidden WIDTH HEIGHT FIRST SECOND`: the points of renju that are forbidden to Black
//!
//! Stones are points with commas between, or `-`; `TURN` and `ATTACKER` are 1 or 2.

mod exact;
mod rules;
mod search;

use std::io::{self, BufRead, Write};

use exact::Small;
use rules::{Board, FIRST, Point, Rule, SECOND, name};
use search::{Referee, Verdict};

/// A claim that is being checked.
struct Claim {
    referee: Referee,
    turn: u8,
    moves: u32,
    effort: u64,
}

/// Why a request was not understood.
type Fault = &'static str;

fn number<T: std::str::FromStr>(word: Option<&&str>) -> Result<T, Fault> {
    word.and_then(|word| word.parse().ok()).ok_or("a number is missing")
}

fn line(board: &Board, words: &[&str]) -> Result<Vec<Point>, Fault> {
    words.iter().map(|word| board.read(word).ok_or("no point")).collect()
}

fn board(rule: Rule, words: &[&str]) -> Result<Board, Fault> {
    let mut board = Board::new(rule, number(words.first())?, number(words.get(1))?);
    for (side, stones) in [(FIRST, words.get(2)), (SECOND, words.get(3))] {
        for stone in stones.ok_or("stones are missing")?.split(',').filter(|stone| *stone != "-") {
            let at = board.read(stone).filter(|&at| board.is_empty(at)).ok_or("no free point")?;
            board.put(at, side);
        }
    }
    Ok(board)
}

fn claim(words: &[&str]) -> Result<Claim, Fault> {
    let rule = match words.first() {
        Some(&"freestyle") => Rule::Freestyle,
        Some(&"exact") => Rule::Exact,
        Some(&"renju") => Rule::Renju,
        Some(&"caro") => Rule::Caro,
        Some(&"caro-exact") => Rule::CaroExact,
        _ => return Err("no rule"),
    };
    let board = board(rule, &words[1..])?;
    let (turn, attacker) = (number(words.get(5))?, number(words.get(6))?);
    let (moves, effort) = (number(words.get(7))?, number(words.get(8))?);
    let lines: Result<Vec<_>, _> =
        words[9..].split(|word| *word == "/").map(|words| line(&board, words)).collect();
    let mut referee = Referee::new(board, attacker);
    for line in lines? {
        referee.hint(turn, &line);
    }
    Ok(Claim { referee, turn, moves, effort })
}

fn judge(claim: &mut Claim) -> String {
    match claim.referee.check(claim.turn, claim.moves, claim.effort) {
        Verdict::Right => format!("right {}", claim.referee.nodes),
        Verdict::Wrong => "wrong".to_owned(),
        Verdict::Open(lines) => {
            let lines: Vec<String> = lines.iter().map(|line| search::written(line)).collect();
            format!("open {}", lines.join(","))
        }
    }
}

fn value(words: &[&str]) -> Result<String, Fault> {
    let (width, height, k) = (number(words.first())?, number(words.get(1))?, number(words.get(2))?);
    let mut small = Small::new(
        width,
        height,
        k,
        words.get(3) == Some(&"falls"),
        words.get(4) == Some(&"misere"),
    );
    for (side, stones) in [(1, words.get(5)), (2, words.get(6))] {
        for stone in stones.ok_or("stones are missing")?.split(',').filter(|stone| *stone != "-") {
            let column = usize::from(stone.as_bytes()[0] - b'a');
            let row: usize = number(Some(&&stone[1..]))?;
            small.cells[(row - 1) * width + column] = side;
        }
    }
    let value = small.value(number(words.get(7))?, number(words.get(8))?);
    Ok(value.map_or_else(|| "budget".to_owned(), exact::written))
}

fn forbidden(words: &[&str]) -> Result<String, Fault> {
    let mut board = board(Rule::Renju, words)?;
    let points = board.empties();
    let kinds =
        points.into_iter().filter_map(|at| Some(format!("{}:{}", name(at), board.forbidden(at)?)));
    Ok(kinds.collect::<Vec<_>>().join(" "))
}

fn answer(last: &mut Option<Claim>, request: &str) -> Result<String, Fault> {
    let words: Vec<&str> = request.split_whitespace().collect();
    let (first, rest) = words.split_first().ok_or("no request")?;
    match *first {
        "value" => return value(rest),
        "forbidden" => return forbidden(rest),
        "win" => *last = Some(claim(rest)?),
        _ => {}
    }
    let claim = last.as_mut().ok_or("no claim")?;
    match *first {
        "win" => {}
        "hint" => {
            let line = line(&claim.referee.board, rest)?;
            claim.referee.hint(claim.turn, &line);
            return Ok("noted".to_owned());
        }
        "effort" => claim.effort = number(rest.first())?,
        "within" => claim.moves = number(rest.first())?,
        _ => return Err("no such request"),
    }
    Ok(judge(claim))
}

fn main() -> io::Result<()> {
    let mut last = None;
    for request in io::stdin().lock().lines() {
        let reply = answer(&mut last, &request?).unwrap_or_else(|why| format!("error: {why}"));
        writeln!(io::stdout(), "{reply}")?;
    }
    Ok(())
}
