//! The textbook: its algorithms and the trees they are shown on.

mod algorithms;
#[path = "../../../examples/textbook_table.rs"]
#[expect(dead_code, reason = "an example has a main of its own")]
mod table;
mod tree_game;
mod trees;

#[test]
fn the_page_on_the_search_ends_with_the_tables_that_the_example_prints() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/search.md"));
    let tables = String::from_utf8(table::tables().unwrap()).unwrap();
    let page = page.unwrap();
    for line in tables.lines() {
        assert!(page.contains(line), "not in docs/search.md: {line}");
    }
}
