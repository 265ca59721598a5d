//! A dialect of your own in one file: clients send points, and Tengen answers with points.
//!
//! `printf 'new 15 15\nplay h8\nthink 2000\nbye\n' | cargo run --release --example own_dialect`

use tengen_engine::{Limits, Style};
use tengen_games::CATALOG;
use tengen_protocol::command::{Command, Reply, Request};
use tengen_protocol::dialect::{BoardContext, Dialect, Kind, Speech};
use tengen_protocol::server::{Server, Workers};
use tengen_protocol::session::Engine;

/// How the dialect is chosen. `Server::with_dialect` takes it, so that no first line has to.
static KIND: Kind = Kind {
    name: "points",
    openings: "",
    program_prefix: None,
    variant: Some("gomokufreestyle"),
    speech: Speech::Commands(|| Box::new(Points::default())),
};

/// What the answer to the current line says, and why the line was refused.
#[derive(Default)]
struct Points {
    answer: String,
    refused: Option<String>,
}

impl Points {
    /// Returns the commands of a line.
    fn commands(words: &[&str]) -> Result<Vec<Command>, String> {
        let number =
            |text: &str| text.parse::<u32>().map_err(|_| format!("\"{text}\" is no whole number"));
        Ok(match words {
            ["new", columns, rows] => {
                let size = Some((number(columns)?, number(rows)?));
                vec![Command::Choose { variant: None, size }, Command::NewGame]
            }
            ["play", point] => vec![Command::Move((*point).to_owned())],
            ["think", nodes] => {
                let mut request = Request::default();
                request.limits = Limits::default().with_nodes(number(nodes)?.into());
                vec![Command::GoAndPlay(request)]
            }
            ["back"] => vec![Command::Undo(1)],
            _ => return Err("new COLUMNS ROWS, play POINT, think NODES, back or bye".to_owned()),
        })
    }
}

impl Dialect for Points {
    fn decode(&mut self, line: &str, out: &mut dyn FnMut(Command)) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words == ["bye"] {
            return out(Command::Quit);
        }
        match Self::commands(&words) {
            Ok(commands) => commands.into_iter().for_each(&mut *out),
            Err(why) => out(Command::Refused(why)),
        }
        // The reply to this command ends the answer to the line.
        out(Command::Done);
    }

    fn encode(&mut self, reply: &Reply, context: &BoardContext<'_>, out: &mut dyn FnMut(String)) {
        match reply {
            Reply::Answer(answer) => {
                let best = answer.best.map(|mv| context.position.write_move(mv, Style::Plain));
                self.answer = best.unwrap_or_else(|| "over".to_owned());
            }
            Reply::Refused(why) | Reply::Illegal(why) => {
                self.refused.get_or_insert_with(|| why.clone());
            }
            Reply::Done => out(match self.refused.take() {
                Some(why) => format!("no: {why}"),
                None => format!("ok {}", std::mem::take(&mut self.answer)).trim_end().to_owned(),
            }),
            _ => {}
        }
    }

    // A piped `play` waits for the search before it.
    fn is_sequential(&self) -> bool {
        true
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::new(Engine::new(&CATALOG), None, Workers::default())?;
    let refuse = |_: Option<&std::path::Path>| Err("this program keeps no log".to_owned());
    Ok(server.with_dialect(&KIND).run_on_stdio(Box::new(refuse))?)
}
