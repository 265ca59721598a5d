//! Fits the weights of five in a row to games of the engine with itself.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::Parser;
use tengen_engine::{Game, Notation, Outcome, Style};
use tengen_games::gomoku::{Board, EvalFile, Rule};
use tengen_lab::gomoku::{MAX_SCORE, NetPlan, Record, TaughtPosition, fit, learn, play};

const EXAMPLES: &str = "\
A line of a file of games is how many of the moves were random, then all the moves, those that were
searched with their scores: 5 h8 i9 g7 j8 h10 i7:35 g9:-20 ...
The net learns from games that began with five random moves or more.
A line of a file of taught positions is the moves that lead to one, then the chance of the side to
move in thousandths: h8 i9 g7 = 642

Examples:
  tune --games 6000 --nodes 2500 --save games.txt
      play, and write the games to a file
  tune games.txt more.txt --write new.net
      write an evaluation file with weights fitted to games that were played before";

/// Fits the weights of five in a row: plays games, and writes an evaluation file with the weights
/// that predict their results and their moves best.
#[derive(Parser)]
#[command(after_help = EXAMPLES)]
struct Args {
    /// Games that were played before; with any, none are played.
    files: Vec<PathBuf>,

    /// The rule of the games.
    #[arg(long, value_name = "NAME", default_value = "freestyle",
          value_parser = ["freestyle", "standard", "renju", "caro"])]
    rule: String,

    /// The side of the board.
    #[arg(long, value_name = "N", default_value_t = 15,
          value_parser = clap::value_parser!(u32).range(5..=22))]
    side: u32,

    /// How many games are played.
    #[arg(long, value_name = "N", default_value_t = 6000,
          value_parser = clap::value_parser!(u32).range(1..))]
    games: u32,

    /// The nodes searched for each move.
    #[arg(long, value_name = "N", default_value_t = 2500)]
    nodes: u64,

    /// Where the random numbers begin: the same seed gives the same games.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Write an evaluation file: that of --base, with the weights that were fitted in place of those
    /// of this rule.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,

    /// Fit the tables, the net on top of the tables of --base, or first the tables and then the net.
    #[arg(long, default_value = "both", value_parser = ["tables", "net", "both"])]
    fit: String,

    /// The evaluation file to start from, in place of the one built in. Games are always played with
    /// the one built in.
    #[arg(long, value_name = "FILE")]
    base: Option<PathBuf>,

    /// Positions with the chances that a teacher gives them, for the net to learn from too; the script
    /// `teacher.py` writes them.
    #[arg(long, value_name = "FILE")]
    taught: Option<PathBuf>,

    /// Give the net a row for each window of a line instead of one for each pair of shapes. A net that
    /// has windows, as the common one has, keeps them.
    #[arg(long)]
    windows: bool,

    /// Begin the net with random numbers instead of those of --base.
    #[arg(long)]
    fresh: bool,

    /// Write the games to a file.
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,

    /// The folder in which the games are kept; what it holds already is not played again.
    #[arg(long, value_name = "DIR", default_value = "target/tune")]
    out: PathBuf,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let start = Board::new(args.rule(), args.side, args.side).context("no such board")?;
    let mut records = Vec::new();
    for file in &args.files {
        read(&start, file, &mut records)?;
    }
    if args.files.is_empty() {
        records = args.play(&start)?;
    }
    let Some(file) = &args.write else {
        ensure!(args.files.is_empty(), "--write names the evaluation file to fit");
        return Ok(());
    };
    let taught = args.taught.as_deref().map(|file| read_taught(&start, file)).transpose()?;
    let taught = taught.unwrap_or_default();
    let mut weights = args.base()?;
    for (part, is_net) in [("tables", false), ("net", true)] {
        if args.fit != "both" && args.fit != part {
            continue;
        }
        let fitted = match is_net {
            true => learn(&start, &args.net_plan(&records, &taught, &weights))?,
            false => fit(&start, &records, &weights)?,
        };
        writeln!(io::stdout(), "{}", fitted.summary)?;
        weights = fitted.file;
        let written = fs::write(file, weights.to_bytes());
        written.with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}

impl Args {
    fn rule(&self) -> Rule {
        match self.rule.as_str() {
            "standard" => Rule::Standard,
            "renju" => Rule::Renju,
            "caro" => Rule::Caro,
            _ => Rule::Freestyle,
        }
    }

    /// The name of the rule in the catalogue.
    fn variant(&self) -> &str {
        match self.rule.as_str() {
            "standard" => "gomoku",
            "freestyle" => "gomokufreestyle",
            rule => rule,
        }
    }

    /// The evaluation file to start from.
    fn base(&self) -> Result<EvalFile> {
        let Some(file) = &self.base else { return Ok(EvalFile::built_in().clone()) };
        let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        EvalFile::read(&bytes).with_context(|| file.display().to_string())
    }

    fn net_plan<'a>(
        &self,
        records: &'a [Record],
        taught: &'a [TaughtPosition],
        base: &'a EvalFile,
    ) -> NetPlan<'a> {
        NetPlan { records, taught, base, from_random: self.fresh, by_window: self.windows }
    }

    fn play(&self, start: &Board) -> Result<Vec<Record>> {
        let Self { rule, side, games, nodes, seed, .. } = self;
        // Games of another rule, size, seed or with other nodes are other games.
        let folder = format!("{rule} {side}x{side}, {nodes} nodes, seed {seed}");
        let folder = self.out.join(folder);
        let records = play(self.variant(), start, *seed, *games, *nodes, &folder)?;
        if let Some(file) = &self.save {
            let text: String = records.iter().map(|record| line(start, record)).collect();
            fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))?;
        }
        Ok(records)
    }
}

fn line(start: &Board, record: &Record) -> String {
    let mut text = record.opening.to_string();
    for (place, &mv) in record.moves.iter().enumerate() {
        text += " ";
        text += &start.write_move(mv, Style::Plain);
        let searched = place.checked_sub(record.opening);
        if let Some(score) = searched.and_then(|place| record.scores.get(place)) {
            text += &format!(":{score}");
        }
    }
    text + "\n"
}

fn read(start: &Board, file: &Path, records: &mut Vec<Record>) -> Result<()> {
    let text = fs::read_to_string(file);
    let text = text.with_context(|| format!("cannot read {}", file.display()))?;
    for (index, line) in text.lines().enumerate() {
        let place = || format!("{}, line {}", file.display(), index + 1);
        records.push(record(start, line).with_context(place)?);
    }
    Ok(())
}

fn record(start: &Board, line: &str) -> Result<Record> {
    let mut words = line.split_ascii_whitespace();
    let Some(Ok(opening)) = words.next().map(str::parse) else {
        bail!("not a number of random moves at the start");
    };
    let mut board = start.clone();
    let (mut moves, mut scores) = (Vec::new(), Vec::new());
    for word in words {
        ensure!(board.outcome().is_none(), "\"{word}\" comes after the end of the game");
        let (mv, score) = word.split_once(':').map_or((word, None), |(mv, s)| (mv, Some(s)));
        let mv = board.read_move(mv)?;
        if moves.len() >= opening
            && let Some(score) = score
        {
            let score: i32 = score.parse().with_context(|| format!("not a score: \"{score}\""))?;
            scores.push(score.clamp(-MAX_SCORE, MAX_SCORE));
        }
        board.play(mv);
        moves.push(mv);
    }
    let searched = moves.len().saturating_sub(opening);
    ensure!(scores.is_empty() || scores.len() == searched, "some searched moves have no score");
    let winner = match board.outcome() {
        Some(Outcome::Win(side)) => Some(side),
        Some(_) => None,
        None => bail!("the game does not reach its end"),
    };
    Ok(Record { moves, opening, scores, winner })
}

fn read_taught(start: &Board, file: &Path) -> Result<Vec<TaughtPosition>> {
    let text = fs::read_to_string(file);
    let text = text.with_context(|| format!("cannot read {}", file.display()))?;
    let read = |(index, line): (usize, &str)| {
        let place = || format!("{}, line {}", file.display(), index + 1);
        taught_position(start, line).with_context(place)
    };
    text.lines().enumerate().map(read).collect()
}

fn taught_position(start: &Board, line: &str) -> Result<TaughtPosition> {
    let (moves, chance) = line.split_once('=').context("no \"=\" before the chance")?;
    let chance = chance.trim();
    let thousandths: u32 = chance.parse().with_context(|| format!("not a chance: \"{chance}\""))?;
    ensure!(thousandths <= 1000, "a chance above 1000: \"{chance}\"");
    let mut board = start.clone();
    let mut read = Vec::new();
    for word in moves.split_ascii_whitespace() {
        ensure!(board.outcome().is_none(), "\"{word}\" comes after the end of the game");
        let mv = board.read_move(word)?;
        board.play(mv);
        read.push(mv);
    }
    Ok(TaughtPosition { moves: read, chance: thousandths as f32 / 1000.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start() -> Board {
        Board::new(Rule::Freestyle, 15, 15).unwrap()
    }

    #[test]
    fn a_game_that_is_written_is_read_again() {
        let text = "2 h8 a1 h9 a2 h10 a3 h11 a4 h12";
        let game = record(&start(), text).unwrap();
        assert_eq!((game.opening, &game.scores[..]), (2, &[][..]));
        assert_eq!(game.winner, Some(tengen_engine::Side::First));
        assert_eq!(line(&start(), &game), format!("{text}\n"));
    }

    #[test]
    fn a_line_that_is_no_game_is_refused() {
        for (text, reason) in [
            ("h8 a1", "not a number of random moves at the start"),
            ("2 h8 a1", "the game does not reach its end"),
            ("0 h8 a1 h9 a2 h10 a3 h11 a4 h12 b1", "\"b1\" comes after the end of the game"),
        ] {
            assert_eq!(record(&start(), text).unwrap_err().to_string(), reason);
        }
        assert!(record(&start(), "0 h8 h8").is_err());
    }

    #[test]
    fn a_taught_position_is_read_or_refused() {
        let position = taught_position(&start(), "h8 i9 g7 = 642").unwrap();
        assert_eq!((position.moves.len(), position.chance), (3, 0.642));
        for (text, reason) in [
            ("h8 i9", "no \"=\" before the chance"),
            ("h8 = x", "not a chance: \"x\""),
            ("h8 = 1001", "a chance above 1000: \"1001\""),
            ("h8 a1 h9 a2 h10 a3 h11 a4 h12 b1 = 5", "\"b1\" comes after the end of the game"),
        ] {
            assert_eq!(taught_position(&start(), text).unwrap_err().to_string(), reason);
        }
    }
}
