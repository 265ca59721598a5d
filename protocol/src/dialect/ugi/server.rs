//! The server side of UGI: like UCI, with queries about the state of the game.
//!
//! It shares code with the server side of UCI.
// CITE: kz04px, "Universal Game Interface", https://github.com/kz04px/cutegames/blob/master/ugi.md

use tengen_engine::text::quotable;

use crate::command::{Command, Question, Reply};
use crate::dialect::kind::{BoardContext, Dialect, Kind, OverlongLine, Speech};
use crate::dialect::uci::server::{self as uci, Words};
use crate::dialect::words::{split_word, trim};

/// The registration of UGI.
pub static KIND: Kind = Kind {
    name: "ugi",
    openings: "ugi",
    program_prefix: None,
    variant: None,
    speech: Speech::Commands(|| Box::new(Ugi)),
};

pub(super) const WORDS: Words = Words {
    name: "ugi",
    times: ["p1time", "p2time"],
    increments: ["p1inc", "p2inc"],
    is_uci: false,
    help: include_str!("help.txt"),
};

/// The commands that only UGI has.
const OWN: [&str; 4] = ["ugi", "uginewgame", "query", "moves"];

/// The Universal Game Interface.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ugi;

impl Dialect for Ugi {
    fn decode(&mut self, line: &str, out: &mut dyn FnMut(Command)) {
        let line = uci::skip_unknown(trim(line), &OWN, out);
        uci::report_extra_words(line, ["ugi", "uginewgame"], out);
        decode(line, out);
    }

    fn decode_overlong(&mut self, line: OverlongLine<'_>, out: &mut dyn FnMut(Command)) {
        out(uci::overlong(line, &["position", "moves"]));
    }

    fn encode(&mut self, reply: &Reply, context: &BoardContext<'_>, out: &mut dyn FnMut(String)) {
        uci::encode(reply, &WORDS, context, out);
    }
}

fn decode(line: &str, out: &mut dyn FnMut(Command)) {
    let (word, rest) = split_word(line);
    let word_is = |name| word.eq_ignore_ascii_case(name);
    let command = match () {
        () if word_is("ugi") => Command::Identify,
        () if word_is("uginewgame") => Command::NewGame,
        () if word_is("query") => query(rest),
        () if word_is("moves") => moves(rest),
        // These words of UCI are not in UGI.
        () if ["uci", "ucinewgame"].into_iter().any(word_is) => Command::Unknown(line.to_owned()),
        () => return uci::decode(line, &WORDS, out),
    };
    out(command);
}

fn query(rest: &str) -> Command {
    let is = |name| rest.eq_ignore_ascii_case(name);
    match () {
        () if is("p1turn") => Command::Ask(Question::FirstToMove),
        () if is("gameover") => Command::Ask(Question::Over),
        () if is("result") => Command::Ask(Question::Result),
        () => Command::Refused(format!(
            "\"query p1turn|gameover|result\" expected, found \"query {}\"",
            quotable(rest)
        )),
    }
}

fn moves(rest: &str) -> Command {
    if rest.is_empty() {
        return Command::Refused("\"moves M..\" expected, found \"moves\"".to_owned());
    }
    Command::Moves(rest.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(line: &str) -> Command {
        let mut commands = Vec::new();
        super::decode(line, &mut |command| commands.push(command));
        assert_eq!(commands.len(), 1, "{line}: {commands:?}");
        commands.remove(0)
    }

    #[test]
    fn commands_are_read_in_upper_or_lower_case() {
        assert_eq!(decode("ugi"), Command::Identify);
        assert_eq!(decode("UGINewGame"), Command::NewGame);
        assert_eq!(decode("query  P1Turn"), Command::Ask(Question::FirstToMove));
        assert_eq!(decode("query gameover"), Command::Ask(Question::Over));
        assert_eq!(decode("query result"), Command::Ask(Question::Result));
        assert_eq!(decode("moves a1  b2"), Command::Moves("a1  b2".into()));
        assert_eq!(decode("isready"), Command::Ready);
        assert_eq!(decode("ponderhit"), Command::Ponderhit);
        assert!(matches!(decode("go p1time 5 p2inc 3"), Command::Go(request)
            if request.complaints.is_empty() && request.limits.clock.is_some()));
    }

    #[test]
    fn bad_commands_are_refused_or_unknown() {
        for line in ["query", "query result now", "query winner", "moves"] {
            assert!(matches!(decode(line), Command::Refused(_)), "{line}");
        }
        for line in ["uci", "ucinewgame", "uginewgames"] {
            assert_eq!(decode(line), Command::Unknown(line.into()));
        }
        assert!(matches!(decode("go wtime 5"), Command::Go(request)
            if request.complaints.iter().any(|why| why.contains("\"wtime\""))));
    }
}
