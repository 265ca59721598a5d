//! A win that was announced is kept: with a search of one node, after every reply, in several lines.

use tengen_engine::{Chosen, Client, Limits, Outcome, Settings, Style};

use crate::CATALOG;

/// Black wins by c7, within 31 plies.
const WON: &str = "c8 c9 b8 g13 g15 c11 d7 e6 e7 d8";
const PLIES: u32 = 31;

/// What a search says: its move, the reply that it expects, the plies of a win, and its nodes.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Said {
    best: String,
    reply: Option<String>,
    wins_in: Option<u32>,
    nodes: u64,
}

/// Opens renju, with `lines` lines.
fn open(lines: usize) -> Client {
    let settings = Settings::default().with_hash_mib(16).with_multi_pv(lines);
    Client::open(&CATALOG, "renju", &Chosen::new(), &settings).unwrap()
}

/// Searches the position after `moves` with `nodes` nodes.
fn search(client: &mut Client, moves: &str, nodes: u64) -> Said {
    client.set(None, &moves.split(' ').collect::<Vec<_>>()).unwrap();
    let answer = client.search(Limits::default().with_nodes(nodes)).unwrap();
    assert_eq!(answer.best, answer.report.pv.first().copied(), "the score is that of the move");
    let score = answer.report.score;
    let line = client.position().write_line(&answer.report.pv, Style::Plain);
    Said {
        best: line[0].clone(),
        reply: line.get(1).cloned(),
        wins_in: score.plies().filter(|_| score.is_win()),
        nodes: answer.report.nodes,
    }
}

/// Searches the won position, and checks the announced win.
fn announce(client: &mut Client) {
    let said = search(client, WON, 100_000);
    assert_eq!((&*said.best, said.wins_in), ("c7", Some(PLIES)));
}

/// Plays the win on with searches of `nodes` nodes, from a position in which at most `left` plies
/// are left. `reply` chooses the replies, from what the search expects and the legal moves.
fn play_on(
    client: &mut Client,
    mut moves: String,
    mut left: u32,
    nodes: u64,
    mut reply: impl FnMut(Option<String>, &[String]) -> String,
) {
    let winner = tengen_engine::Side::First;
    loop {
        let said = search(client, &moves, nodes);
        let plies = said.wins_in.unwrap_or_else(|| panic!("dropped after {moves}: {said:?}"));
        assert!(plies <= left, "{plies} plies where {left} are left: {moves}");
        moves = format!("{moves} {}", said.best);
        client.position_mut().play_text(&said.best).unwrap();
        if let Some(outcome) = client.position().outcome() {
            return assert_eq!(outcome, Outcome::Win(winner));
        }
        let legal = client.position().legal();
        let text = |mv| client.position().write_move(mv, Style::Plain);
        let legal: Vec<String> = legal.into_iter().map(text).collect();
        moves = format!("{moves} {}", reply(said.reply, &legal));
        left = plies - 2;
    }
}

#[test]
fn an_announced_win_is_played_to_its_end_with_one_node_a_move() {
    let mut client = open(1);
    announce(&mut client);
    // The match in which the win was lost again.
    play_on(&mut client, format!("{WON} c7 b7"), PLIES - 2, 1, |reply, _| reply.unwrap());
}

#[test]
fn an_announced_win_is_kept_after_every_reply() {
    let mut client = open(1);
    announce(&mut client);
    client.set(None, &format!("{WON} c7").split(' ').collect::<Vec<_>>()).unwrap();
    let replies = client.position().legal();
    let replies: Vec<String> =
        replies.into_iter().map(|mv| client.position().write_move(mv, Style::Plain)).collect();
    assert!(replies.len() > 200);
    let mut rng = fastrand::Rng::with_seed(5);
    for reply in replies {
        let moves = format!("{WON} c7 {reply}");
        play_on(&mut client, moves, PLIES - 2, 1, |_, legal| {
            legal[rng.usize(..legal.len())].clone()
        });
    }
}

#[test]
fn an_announced_win_is_kept_in_several_lines() {
    let mut client = open(1);
    announce(&mut client);
    client.configure(&Settings::default().with_hash_mib(16).with_multi_pv(3)).unwrap();
    play_on(&mut client, format!("{WON} c7 b7"), PLIES - 2, 2_000, |reply, _| reply.unwrap());
}

#[test]
fn what_is_kept_is_cleared_with_the_table() {
    let moves = format!("{WON} c7 b7");
    let mut client = open(1);
    let fresh = search(&mut client, &moves, 1_000);
    assert_eq!(fresh.wins_in, None);
    client.clear_hash();
    announce(&mut client);
    assert_eq!(search(&mut client, &moves, 1_000).wins_in, Some(PLIES - 2));
    client.clear_hash();
    assert_eq!(search(&mut client, &moves, 1_000), fresh);
}
