//! Tests with recorded conversations of other managers and engines. The server side of a dialect
//! reads the lines of the manager, and the client side reads the lines of the engine.
//!
//! In a recording `>` marks lines of the manager and `<` lines of the engine.

use super::gomocup::client::GomocupClient;
use super::gomocup::server::Gomocup;
use super::kind::Dialect;
use super::uci::client::UciClient;
use super::uci::server::Uci;
use crate::client::{ClientDialect, Message};
use crate::command::{Command, GameCommand};

const RECORDINGS: [(&str, &str); 6] = [
    ("fastchess with Stockfish", include_str!("recorded/fastchess_stockfish.txt")),
    ("Stockfish", include_str!("recorded/stockfish.txt")),
    ("Fairy-Stockfish", include_str!("recorded/fairy_stockfish.txt")),
    ("c-gomoku-cli with Tengen", include_str!("recorded/c_gomoku_cli_tengen.txt")),
    ("c-gomoku-cli with Rapfi", include_str!("recorded/c_gomoku_cli_rapfi.txt")),
    ("Rapfi", include_str!("recorded/rapfi.txt")),
];

fn is_gomocup(recording: &str) -> bool {
    recording.starts_with("# gomocup\n")
}

/// Returns the lines with a mark, without the mark.
fn lines<'a>(recording: &'a str, mark: &'static str) -> impl Iterator<Item = &'a str> {
    recording.lines().filter_map(move |line| line.strip_prefix(mark)).map(str::trim_end)
}

#[test]
fn the_server_side_reads_lines_of_other_managers() {
    for (name, recording) in RECORDINGS {
        let mut server: Box<dyn Dialect> = match is_gomocup(recording) {
            true => Box::new(Gomocup::default()),
            false => Box::new(Uci),
        };
        let (mut searches, mut commands) = (0, 0);
        for line in lines(recording, "> ") {
            server.decode(line, &mut |command| {
                commands += 1;
                match command {
                    Command::Unknown(_) | Command::Refused(_) | Command::Note(_) => {
                        panic!("{name}: {line}: {command:?}")
                    }
                    Command::Go(request) => {
                        assert!(request.complaints.is_empty(), "{name}: {line}: {request:?}");
                        searches += 1;
                    }
                    Command::Game(
                        GameCommand::Begin | GameCommand::Turn(_) | GameCommand::SetUp { .. },
                    ) => {
                        searches += 1;
                    }
                    _ => {}
                }
            });
        }
        let search_commands = ["> go", "> TURN", "> BOARD", "> BEGIN"];
        let asked = recording
            .lines()
            .filter(|line| search_commands.iter().any(|word| line.starts_with(word)));
        assert!(commands > 4 && searches + 1 >= asked.count(), "{name}: {searches}, {commands}");
    }
}

#[test]
fn the_client_side_reads_lines_of_other_engines() {
    for (name, recording) in RECORDINGS {
        let mut client: Box<dyn ClientDialect> = match is_gomocup(recording) {
            true => Box::new(GomocupClient::new(false, None)),
            false => Box::new(UciClient::default()),
        };
        let (mut moves, mut scored, mut ready, mut named) = (0, 0, 0, 0);
        let mut has_score = false;
        for line in lines(recording, "< ") {
            match client.read(line) {
                Message::Foreign | Message::Error(_) => panic!("{name}: {line}"),
                // Only a banner or a blank line has no meaning.
                Message::Other(text) => {
                    assert!(text.is_empty() || text.contains(" by "), "{name}: {line}");
                }
                Message::Info(info) => has_score |= info.score.is_some(),
                Message::Move { text, .. } => {
                    assert!(!text.is_empty() && text != "(none)", "{name}: {line}");
                    moves += 1;
                    scored += u32::from(std::mem::take(&mut has_score));
                }
                Message::Ready | Message::Welcome => ready += 1,
                Message::Name(_) => named += 1,
                _ => {}
            }
        }
        assert!(moves > 1 && ready > 0, "{name}: {moves} moves, ready {ready} times");
        assert!(named > 0 || name == "Rapfi", "{name}");
        // The first move of an empty board and the answer to a stop come without a score.
        assert!(scored + 2 >= moves, "{name}: {scored} scores of {moves} moves");
    }
}
