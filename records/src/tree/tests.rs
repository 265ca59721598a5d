use super::*;

#[test]
fn memory_that_nobody_has_is_not_there() {
    assert!(has_memory(1 << 20) && !has_memory(usize::MAX / 4));
    assert!(has_memory_for(100) && !has_memory_for(usize::MAX / 100));
    let record = Record::new();
    assert_eq!(record.check_room(Place::START), Ok(()));
}

#[test]
fn a_copy_without_a_branch_has_the_other_nodes_in_their_order() {
    let mut game = Record::new();
    game.root_mut().set("PB", "Anna");
    let first = game.add_child(game.root());
    let branches: Vec<_> = (0..3).map(|_| game.add_child(first)).collect();
    for (id, text) in branches.iter().zip(["one", "two", "three"]) {
        game.node_mut(*id).set("C", text);
        game.add_child(*id);
    }
    let copy = game.without(&branches[1..2]);
    assert_eq!(copy.node_count(), 6);
    let comments: Vec<_> = copy.ids().filter_map(|id| copy.node(id).comment()).collect();
    assert_eq!(comments, ["one", "three"]);
    assert_eq!(copy.node(copy.root()).text("PB").as_deref(), Some("Anna"));
    assert_eq!(game.without(&[]), game);
}

#[test]
fn a_text_has_no_escapes_and_no_soft_line_breaks() {
    for (raw, text) in [
        (r"a \] b \\ c \: d", r"a ] b \ c : d"),
        ("one\\\ntwo\\\r\nthree\r\nfour\rfive\n\rsix", "onetwothree\nfour\nfive\nsix"),
        ("a\tb\u{b}c", "a b c"),
        ("end\\", "end"),
    ] {
        assert_eq!(PropertyValue::read(raw.to_owned(), Place::START).text(), text);
    }
    for text in ["]", "\\", "a]b\\c", "[x]", "line\nbreak", ""] {
        assert_eq!(PropertyValue::new(text).text(), text);
    }
}

#[test]
fn a_written_value_has_no_controls_and_no_escape_that_belonged_to_one() {
    for (raw, written) in [
        ("a\\\u{16}", "[a]"),
        ("a\u{1b}b\\]", "[ab\\]]"),
        ("\\\\\u{1}", "[\\\\]"),
        ("\\\\\\\u{1}]", "[\\\\]]"),
        ("end\\", "[end]"),
        ("one\\\ntwo", "[one\\\ntwo]"),
    ] {
        let values = vec![PropertyValue::read(raw.to_owned(), Place::START)];
        assert_eq!(Property { name: "C".to_owned(), values }.text(), format!("C{written}"));
    }
}

#[test]
fn records_are_equal_by_tree_and_not_by_the_order_of_adding() {
    let grown = |variation_first: bool| {
        let mut record = Record::new();
        let first = record.add_child(record.root());
        let (one, two) = (record.add_child(first), record.add_child(first));
        for id in if variation_first { [two, one] } else { [one, two] } {
            let child = record.add_child(id);
            record.node_mut(child).set("C", if id == one { "one" } else { "two" });
        }
        record
    };
    assert_eq!(grown(false), grown(true));
    let mut other = grown(false);
    let last = other.ids().last().unwrap();
    other.node_mut(last).remark("more");
    assert_eq!(other.node(last).comment().as_deref(), Some("two\nmore"));
    assert_ne!(other, grown(false));
    assert_eq!(grown(true).ids().count(), 6);
}
