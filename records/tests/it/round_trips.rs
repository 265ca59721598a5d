//! Games that are written and read back are equal to the originals.

use fastrand::Rng;
use proptest::collection::vec;
use proptest::prelude::*;
use tengen_engine::text::is_printable;
use tengen_records::{Collection, Format, ReadOptions, Record, TextEncoding, read};

use crate::games::{GameParameters, Tree, board, played};

/// Returns the games without the two properties that the writer sets itself.
fn bare(collection: &Collection) -> Vec<Record> {
    let mut records = collection.records().to_vec();
    for record in &mut records {
        let root = record.root();
        record.node_mut(root).remove("FF");
        record.node_mut(root).remove("CA");
    }
    records
}

/// Returns a strategy for records. Each node has the distance to its parent in the list and its
/// properties.
fn record(letters: &'static str) -> impl Strategy<Value = Record> {
    // The reader makes a node of each move.
    let is_kept = |name: &String| !["FF", "CA", "B", "W"].contains(&name.as_str());
    let name = "[A-Z]{1,3}[0-9]?".prop_filter("what is written in another way", is_kept);
    let properties = vec((name, vec(letters, 1..4)), 0..4);
    vec((0..5_usize, properties), 0..30).prop_map(|nodes| {
        let mut record = Record::new();
        let mut ids = vec![record.root()];
        for (back, properties) in nodes {
            let parent = ids[ids.len() - 1 - back.min(ids.len() - 1)];
            let id = record.add_child(parent);
            for (name, values) in properties {
                values.iter().for_each(|text| record.node_mut(id).add(&name, text));
            }
            ids.push(id);
        }
        record
    })
}

fn collection(letters: &'static str, encoding: &'static str) -> impl Strategy<Value = Collection> {
    vec(record(letters), 1..4).prop_map(move |records| {
        let collection = Collection::new(Format::SGF, records);
        collection.with_encoding(TextEncoding::named(encoding).expect("an encoding"))
    })
}

/// Returns a strategy for collections in several encodings.
fn collections() -> impl Strategy<Value = Collection> {
    prop_oneof![
        collection("[ -~\n\u{e4}\u{738b}\u{1f600}]{0,20}", "UTF-8"),
        collection("[ -~\n\u{e4}\u{df}]{0,20}", "ISO-8859-1"),
        collection("[ -~\n\u{738b}\u{9ed1}]{0,20}", "GB18030"),
        collection("[ -~\n\u{8868}\u{30bd}\u{ff76}]{0,20}", "Shift_JIS"),
        collection("[ -~\n\u{ae40}\u{b2d8}]{0,20}", "EUC-KR"),
    ]
}

proptest! {
    #[test]
    fn sgf_comes_back_equal(collection in collections()) {
        let written = collection.to_sgf();
        let again = read(&written, &ReadOptions::new()).expect("our own file");
        prop_assert_eq!(bare(&again), bare(&collection));
        let is_ascii = written.is_ascii();
        prop_assert!(is_ascii || again.encoding() == collection.encoding());
        prop_assert_eq!(again.to_sgf(), written);
    }

    #[test]
    fn a_value_comes_back_equal(text in "[^\r\t\u{b}\u{c}]{0,30}") {
        let mut record = Record::new();
        let root = record.root();
        record.node_mut(root).set("C", &text);
        let written = Collection::new(Format::SGF, vec![record]).to_sgf();
        let again = read(&written, &ReadOptions::new()).expect("our own file");
        let record = &again.records()[0];
        let kept: String = text.chars().filter(|c| is_printable(*c)).collect();
        prop_assert_eq!(record.node(record.root()).comment(), Some(kept));
    }

    #[test]
    fn psq_and_lists_come_back_equal(seed in any::<u64>(), side in 10..=20_u32) {
        let mut rng = Rng::with_seed(seed);
        let tree = Tree::random(&mut rng, &GameParameters { side, max_moves: 40, alphabet: &['x'] });
        let mut record = Record::on_board(board(side));
        let mut last = record.root();
        for (number, (column, row)) in tree.main_line().into_iter().enumerate() {
            last = record.add_child(last);
            let letters: String =
                [column, row].map(|number| char::from(b'a' + number as u8)).iter().collect();
            let node = record.node_mut(last);
            node.set(if number % 2 == 0 { "B" } else { "W" }, &letters);
            node.set("XT", &rng.u32(1..100_000).to_string());
        }
        let root = record.root();
        let root = record.node_mut(root);
        root.set("XL", "5:11");
        root.set("PB", "first name.exe");
        root.set("PW", "J\u{fc}rgen");
        root.set("XE", "0");
        let psq = record.to_psq(board(side)).expect("a plain game");
        let again = read(psq.as_bytes(), &ReadOptions::new()).expect("our own file");
        prop_assert_eq!(again.records(), &[record.clone()]);
        prop_assert_eq!(again.records()[0].to_psq(board(side)).expect("a plain game"), psq);

        let list = record.to_moves(board(side)).expect("a plain game");
        let again = read(list.as_bytes(), &ReadOptions::new().on(board(side))).expect("our own file");
        prop_assert_eq!(played(&again.records()[0], side), tree.main_line());
    }
}

#[test]
fn a_psq_file_is_written_as_it_was() {
    for file in [
        "Piskvorky 15x15, 11:11, 0\n8,8,0\n9,9,12\n-1\n",
        "Piskvorky 20x20, 11:11, 0\n11,11,0\n12,12,0\n10,13,1578\nRAPFI.zip\nYIXIN18.exe\n-1\n",
        "Piskvorky 15x12, 3:0, 0\n1,1,5\n15,12,7\nhomo-1\nbrain.exe\n15\n",
    ] {
        let collection = read(file.as_bytes(), &ReadOptions::new()).unwrap();
        let record = &collection.records()[0];
        let (width, height) = record.board_size().unwrap().unwrap();
        let grid = tengen_engine::Grid::new(width, height).unwrap();
        let notation = tengen_engine::GridNotation::new(grid, false);
        assert_eq!(record.to_psq(notation).unwrap(), file);
    }
}
