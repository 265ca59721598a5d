//! Plays games of the engine with itself and checks every win and loss that it claims against every
//! legal defence: a row of `docs/measurements/gomoku.md`.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Result;
use clap::Parser;
use tengen_arena::record::{EngineScore, GameRecord};
use tengen_engine::{Chosen, Client, Position, Settings, Side};
use tengen_lab::claims::{ClaimChecker, Verdict};
use tengen_lab::matches::MatchSetup;
use tengen_lab::playing::{Player, openings, read_score};

/// Checks the wins and losses that the engine claims in games with itself.
#[derive(Parser)]
struct Args {
    /// The game.
    #[arg(long, default_value = "gomokufreestyle")]
    variant: String,
    /// How many positions of games are searched.
    #[arg(long, default_value_t = 5_000)]
    positions: usize,
    /// Nodes for each position.
    #[arg(long, default_value_t = 5_000)]
    nodes: u64,
    /// Threads of each search.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Moves of each opening, which the weakest level plays.
    #[arg(long, default_value_t = 6)]
    opening: usize,
    /// The seed of the first game; the next game has the next seed.
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// Nodes for the check of one claim.
    #[arg(long, default_value_t = 5_000_000)]
    check_nodes: u64,
    /// The folder of the games. Games that it already holds are not played again.
    #[arg(long, default_value = "target/claims")]
    out: PathBuf,
}

/// Node limits of the searches for the attacker, tried in this order.
const NODE_LIMITS: [u64; 3] = [2_000, 20_000, 300_000];

/// The numbers of claims by verdict.
#[derive(Default)]
struct Counts {
    positions: usize,
    wins: usize,
    losses: usize,
    wrong: usize,
    unsettled: usize,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let mut out = io::stdout();
    let games = play(&args)?;
    let settings = Settings::default().with_own_book(false);
    let client = Client::open(&tengen_games::CATALOG, &args.variant, &Chosen::new(), &settings)?;
    let mut board = client.position().duplicate();
    let mut checker = ClaimChecker::new(client, NODE_LIMITS.to_vec());
    let mut counts = Counts::default();
    for game in &games {
        check_game(&args, game, &mut *board, &mut checker, &mut counts, &mut out)?;
    }
    let Counts { positions, wins, losses, wrong, unsettled } = counts;
    let share = 100.0 * unsettled as f64 / (wins + losses).max(1) as f64;
    writeln!(
        out,
        "{}, {} threads: {positions} positions, {wins} wins and {losses} losses claimed, \
         {wrong} wrong, {unsettled} unsettled ({share:.1} %)",
        args.variant, args.threads
    )?;
    anyhow::ensure!(wrong == 0, "{wrong} claims are wrong");
    Ok(())
}

/// Plays games until `args.positions` positions or more were searched.
fn play(args: &Args) -> Result<Vec<GameRecord>> {
    let Args { variant, positions, nodes, threads, opening, seed, .. } = args;
    let mut player = Player::with_threads(variant, &Chosen::new(), *threads)?;
    // Each set of parameters has a folder of its own.
    let folder = args.out.join(format!(
        "{variant}, {nodes} nodes, {threads} threads, {opening} moves from seed {seed}"
    ));
    let mut count = 1;
    loop {
        let openings = openings(&mut player, count, *seed, |_| *opening)?;
        let setup = MatchSetup::new(variant, &Chosen::new(), &openings)?;
        let games = setup.self_play(count, *nodes, &folder, &mut player)?;
        let found: usize = games.iter().map(|game| game.notes.len()).sum();
        if found >= *positions {
            return Ok(games);
        }
        // Estimates the missing games from the mean number of positions in a game.
        let missing = ((positions - found) * games.len()).div_ceil(found.max(1));
        count += u32::try_from(missing)?;
    }
}

/// Checks every win and loss that was claimed in `game`. Prints the claims that are not confirmed.
fn check_game(
    args: &Args,
    game: &GameRecord,
    board: &mut dyn Position,
    checker: &mut ClaimChecker,
    counts: &mut Counts,
    out: &mut impl Write,
) -> Result<()> {
    checker.clear();
    board.reset();
    for (ply, text) in game.moves.iter().enumerate() {
        let mv = board.read_move(text)?;
        let searched = ply.checked_sub(game.opening_plies);
        if let Some(note) = searched.and_then(|index| game.notes.get(index)) {
            if counts.positions == args.positions {
                return Ok(());
            }
            counts.positions += 1;
            let turn = board.turn();
            let claim = match read_score(note)? {
                Some(EngineScore::WinIn(_)) => Some((turn, Some(mv))),
                Some(EngineScore::LossIn(_)) => Some((turn.other(), None)),
                _ => None,
            };
            if let Some((attacker, best)) = claim {
                let verdict = checker.check(board, attacker, best, args.check_nodes)?;
                counts.add(best.is_some(), &verdict);
                if verdict != Verdict::Right {
                    let side = if attacker == Side::First { "first" } else { "second" };
                    let (score, line) = (note.said.score.as_deref(), game.moves[..ply].join(" "));
                    let score = score.unwrap_or_default();
                    writeln!(out, "{verdict:?}: {score} for the {side} player after {line}")?;
                }
            }
        }
        board.play(mv)?;
    }
    Ok(())
}

impl Counts {
    /// Counts a claimed win or loss.
    fn add(&mut self, is_win: bool, verdict: &Verdict) {
        *(if is_win { &mut self.wins } else { &mut self.losses }) += 1;
        self.wrong += usize::from(matches!(verdict, Verdict::Wrong(_)));
        self.unsettled += usize::from(*verdict == Verdict::Unsettled);
    }
}
