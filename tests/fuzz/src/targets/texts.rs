//! Texts: positions, moves, trees, openings, tournament files, tasks and results.

use std::path::Path;

use tengen_arena::config::Config;
use tengen_arena::config::given::read_toml;
use tengen_arena::openings::OpeningList;
use tengen_arena::work::pair::{PairData, PairTask};
use tengen_engine::{Grid, Style};
use tengen_games::{CATALOG, tree};
use tengen_protocol::dialect::gomocup::board_file::BoardFile;
use tengen_records::ListedPosition;
use tengen_runs::contract::TaskLine;

use super::{choice, position};

/// Passes the input as a text to `read`; only bytes in UTF-8 are text.
fn with_text(input: &[u8], read: impl FnOnce(&str)) {
    if let Ok(text) = std::str::from_utf8(input) {
        read(text);
    }
}

pub(super) fn fen(input: &[u8]) {
    let (game, input) = choice(input);
    with_text(input, |text| {
        let mut position = position(game);
        let before = position.fen(true);
        match position.set_up(text) {
            Err(why) => {
                drop(why.to_string());
                assert_eq!(position.fen(true), before, "a refused position changes nothing");
            }
            Ok(()) => {
                let (fen, key) = (position.fen(false), position.key());
                position.set_up(&fen).unwrap_or_else(|why| panic!("{fen}: {why}"));
                assert_eq!((position.fen(false), position.key()), (fen, key));
                drop((position.draw(), position.remarks()));
            }
        }
    });
}

pub(super) fn notation(input: &[u8]) {
    let (game, input) = choice(input);
    with_text(input, |text| {
        let mut position = position(game);
        for word in position.split_moves(text) {
            let Ok(mv) = position.read_move(word) else { continue };
            for style in [Style::Plain, Style::Drop, Style::Column] {
                let written = position.write_move(mv, style);
                let read = position.read_move(&written).ok();
                assert_eq!(read, Some(mv), "{word} is written as {written}");
            }
            if position.play(mv).is_err() || position.outcome().is_some() {
                break;
            }
        }
    });
}

pub(super) fn tree_literal(input: &[u8]) {
    with_text(input, |text| match tree::parse(text) {
        Ok(tree) => drop((tree.len(), tree.leaves(), tree.height(tree.root()))),
        Err(error) => drop(error.to_string()),
    });
}

pub(super) fn openings(input: &[u8]) {
    let (game, input) = choice(input);
    with_text(input, |text| {
        let mut position = position(game);
        let Ok(list) = OpeningList::from_text(text, &mut *position) else { return };
        if list.openings.is_empty() {
            return;
        }
        let written = list.to_text(&mut *position).expect("an opening is written");
        let again = OpeningList::from_text(&written, &mut *position);
        assert_eq!(again.as_ref(), Ok(&list), "{written}");
    });
}

pub(super) fn listed(input: &[u8]) {
    let (game, input) = choice(input);
    with_text(input, |text| {
        let position = position(game);
        for line in text.lines().filter(|line| !ListedPosition::is_skipped(line.as_bytes())) {
            if let Ok(listed) = ListedPosition::read(line, &*position) {
                assert!(
                    listed.moves.iter().all(|word| line.contains(word)),
                    "{line}: {:?}",
                    listed.moves
                );
            }
        }
    });
}

pub(super) fn board_file(input: &[u8]) {
    with_text(input, |text| match BoardFile::read(text) {
        Ok(file) => {
            let (width, height) = file.size.unwrap_or((15, 15));
            let Some(grid) = Grid::new(width, height) else { return };
            drop(file.place(grid));
        }
        Err(why) => assert!(!why.contains('\n'), "{why}"),
    });
}

pub(super) fn tournament(input: &[u8]) {
    with_text(input, |text| match read_toml(Path::new("run.toml"), text) {
        Ok(settings) => drop(Config::read(&settings, &CATALOG)),
        Err(error) => drop(error.to_string()),
    });
}

pub(super) fn task(input: &[u8]) {
    with_text(input, |text| match TaskLine::read(text) {
        Ok(task) => {
            let again = TaskLine::read(&task.text()).expect("a written task is read");
            assert_eq!(again, task);
            let _ = PairTask::read(task.fields);
        }
        Err(result) => drop(serde_json::to_string(&result)),
    });
}

pub(super) fn pair_result(input: &[u8]) {
    let Ok(pair) = serde_json::from_slice::<PairData>(input) else { return };
    for game in pair.games {
        let _ = game.record(Default::default());
    }
}
