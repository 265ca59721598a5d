//! Adds remarks to games, in the file that they were read from.

use tengen_engine::Grade;

use crate::tree::{Collection, PropertyValue, Record, RecordNodeId};

/// A remark that is added to a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    /// The node that gets the remark.
    pub node: RecordNodeId,
    /// A property and its value, such as `BM[1]`. Not added if the node already has the property.
    pub mark: Option<(&'static str, &'static str)>,
    /// Text to append to the comment of the node.
    pub comment: String,
}

impl Remark {
    /// Returns the property that marks a move of this grade; `None` for a fine move.
    pub const fn mark_of(grade: Grade) -> Option<(&'static str, &'static str)> {
        match grade {
            Grade::Fine => None,
            Grade::Doubtful => Some(("DO", "")),
            Grade::Mistake => Some(("BM", "1")),
            Grade::Blunder => Some(("BM", "2")),
        }
    }
}

impl Collection {
    /// Returns the games as SGF with remarks. `remarks` has a list for each game, in order; games
    /// after the last list get none.
    ///
    /// Everything else in an SGF file stays unchanged, byte for byte. Games from other formats are
    /// written like [`Collection::to_sgf`].
    pub fn to_annotated_sgf(&self, remarks: &[Vec<Remark>]) -> Vec<u8> {
        self.inserted(remarks).unwrap_or_else(|| {
            let mut annotated = self.clone();
            for (record, remarks) in annotated.records_mut().iter_mut().zip(remarks) {
                remarks.iter().for_each(|remark| record.annotate(remark));
            }
            annotated.to_sgf()
        })
    }

    /// Returns the file with the remarks inserted; `None` if the games were not read from SGF, or
    /// if the encoding lacks a character of a remark.
    fn inserted(&self, remarks: &[Vec<Remark>]) -> Option<Vec<u8>> {
        let source = self.source.as_ref()?;
        let mut additions = self.declared.clone();
        for (record, remarks) in self.records().iter().zip(remarks) {
            for Remark { node, mark, comment } in remarks {
                let node = record.node(*node);
                let mark = mark.filter(|(name, _)| node.value(name).is_none());
                let mark = mark.map_or(String::new(), |(name, value)| format!("{name}[{value}]"));
                let comment = PropertyValue::new(comment);
                let comment = comment.raw();
                match node.source.comment_end {
                    Some(at) => {
                        additions.extend([(at, format!("\n{comment}")), (node.source.end, mark)]);
                    }
                    None => additions.push((node.source.end, format!("{mark}C[{comment}]"))),
                }
            }
        }
        additions.sort_by_key(|(at, _)| *at);
        source.with(&additions)
    }
}

impl Record {
    /// Adds `remark` to its node.
    pub fn annotate(&mut self, remark: &Remark) {
        let node = self.node_mut(remark.node);
        if let Some((name, value)) = remark.mark.filter(|(name, _)| node.value(name).is_none()) {
            node.set(name, value);
        }
        node.remark(&remark.comment);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sgf;

    const GAMES: &str =
        "(;FF[4]GM[4]\nSZ[15]C[a \\] b];B[hh](;W[ii]C[good];B[jj])(;W[aa])) \n(;B[bb])";

    fn read(text: &str) -> Collection {
        sgf::read(text.as_bytes(), None).unwrap()
    }

    fn remark(record: &Record, place: usize, comment: &str) -> Remark {
        let node = record.main_line().nth(place).unwrap();
        Remark { node, mark: Some(("BM", "1")), comment: comment.to_owned() }
    }

    #[test]
    fn remarks_are_inserted_and_nothing_else_changes() {
        let collection = read(GAMES);
        assert_eq!(collection.to_annotated_sgf(&[]), GAMES.as_bytes());
        let [first, second] = collection.records() else { panic!("two games") };
        let remarks =
            [vec![remark(first, 1, "x]\\"), remark(first, 2, "y")], vec![remark(second, 0, "z")]];
        let text = String::from_utf8(collection.to_annotated_sgf(&remarks)).unwrap();
        let expected = GAMES
            .replace("B[hh]", "B[hh]BM[1]C[x\\]\\\\]")
            .replace("C[good]", "C[good\ny]BM[1]")
            .replace("B[bb]", "B[bb]BM[1]C[z]");
        assert_eq!(text, expected);
        let again = read(&text);
        let record = &again.records()[0];
        let node = record.main_line().nth(1).unwrap();
        assert_eq!(record.node(node).text("C").as_deref(), Some("x]\\"));
        // A mark is not added twice.
        let twice = again.to_annotated_sgf(&[vec![remark(record, 1, "z")]]);
        assert!(!String::from_utf8(twice).unwrap().contains("BM[1]BM"));
    }

    #[test]
    fn a_remark_outside_the_encoding_makes_the_file_utf_8() {
        let collection = sgf::read(b"(;CA[ISO-8859-1]PB[\xfc];B[hh])", None).unwrap();
        let remarks = [vec![remark(&collection.records()[0], 1, "\u{738b}")]];
        let text = String::from_utf8(collection.to_annotated_sgf(&remarks)).unwrap();
        assert!(text.contains("CA[UTF-8]PB[\u{fc}]") && text.contains("C[\u{738b}]"), "{text}");
    }
}
