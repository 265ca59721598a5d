//! `tengen winning-move`: finds forced wins of four in a row on a 4x4 board. The work is that of `tengen-textbook`.

use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::Path;

use anyhow::Context;
use tengen_textbook::{BoardsError, WonBoards, answer_boards};

use crate::exit_status::{Refusal, WRITE_FAILED, ignore_broken_pipe, warn};
use crate::files::read_line;

const EXAMPLES: &str = include_str!("help/winning_move.txt").trim_ascii_end();

/// Find forced wins on 4x4 boards from standard input, in the judge's format of POJ 1568.
///
/// Each case is a line with one mark, such as `?`, and four lines of four of `.`, `x` and `o`; a
/// line of `$` ends them. With x to move, the answer is `(row,column)` of the first move in row
/// order that forces a win, or `#####`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {}

/// Runs the command. Malformed input is refused after all boards before it are answered.
pub(crate) fn run(_args: &Args) -> anyhow::Result<()> {
    let (mut input, mut bytes) = (io::stdin().lock(), Vec::new());
    let mut line = || {
        let unreadable = |error| Refusal::unreadable(Path::new("standard input"), &error).0;
        let is_read = read_line(&mut input, &mut bytes).map_err(unreadable)?;
        Ok(is_read.then(|| String::from_utf8_lossy(&bytes).into_owned()))
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let mut won = WonBoards::default();
    let result = answer_boards(&mut line, &mut out, &mut won);
    ignore_broken_pipe(out.flush()).context(WRITE_FAILED)?;
    won.warning().iter().for_each(|warning| warn(warning));
    match result {
        Err(BoardsError::Output(error)) if error.kind() != ErrorKind::BrokenPipe => {
            Err(error.into())
        }
        Err(BoardsError::Input(why)) => Err(Refusal(why).into()),
        _ => Ok(()),
    }
}
