//! The client side of UGI. It shares code with the client side of UCI.

use super::server::WORDS;
use crate::dialect::uci::client::UciClient;

/// Returns the client side of UGI.
pub fn ugi() -> UciClient {
    UciClient::with_words(&WORDS)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;
    use tengen_engine::Limits;

    use super::*;
    use crate::client::{ClientDialect, EngineScore, GameTerms, Message};
    use crate::command::{Command, Request};
    use crate::dialect::kind::Dialect;
    use crate::dialect::uci::client::go_line;
    use crate::dialect::uci::client::tests::{ServerReply, any_limits, any_report, board, encoded};
    use crate::dialect::ugi::server::Ugi;

    fn decoded(line: &str) -> Vec<Command> {
        let mut commands = Vec::new();
        Ugi.decode(line, &mut |command| commands.push(command));
        commands
    }

    #[test]
    fn the_handshake_uses_the_words_of_ugi() {
        let mut client = ugi();
        let mut lines = Vec::new();
        let position = board();
        client.greet(position.spec(), &mut |line| lines.push(line));
        client.new_game(position.spec(), &GameTerms::default(), &mut |line| lines.push(line));
        assert_eq!(lines, ["ugi", "uginewgame", "isready"]);
        assert_eq!(client.read("ugiok"), Message::Welcome);
        assert_eq!(client.read("uciok"), Message::Other("uciok".into()));
        assert_eq!(client.read("Unknown command: 'ugi'."), Message::Foreign);
    }

    #[test]
    fn a_win_is_counted_in_plies() {
        let Message::Info(info) = ugi().read("info depth 3 score mate 5") else { panic!() };
        assert_eq!(info.score, Some(EngineScore::WinIn(5)));
    }

    proptest! {
        #[test]
        fn the_server_reads_the_client_s_go(limits in any_limits(false)) {
            let line = go_line(&limits, &WORDS);
            let request = Request { limits, ..Request::default() };
            prop_assert_eq!(decoded(&line), [Command::Go(request)], "{}", line);
        }

        #[test]
        fn the_client_reads_the_server_s_reports(report in any_report()) {
            let lines = encoded(&Ugi, ServerReply::Report(&report));
            let Message::Info(info) = ugi().read(&lines[0]) else { panic!("{lines:?}") };
            prop_assert_eq!(info.nodes, Some(report.nodes));
            prop_assert_eq!(info.time, Some(Duration::from_millis(report.time.as_millis() as u64)));
            if let Some(plies) = report.score.plies() {
                let expected = match report.score.is_win() {
                    true => EngineScore::WinIn(plies),
                    false => EngineScore::LossIn(plies),
                };
                prop_assert_eq!(info.score, Some(expected));
            }
        }
    }

    #[test]
    fn movetime_is_written() {
        let limits = Limits::default().with_movetime(Duration::from_millis(5));
        assert_eq!(go_line(&limits, &WORDS), "go movetime 5");
    }
}
