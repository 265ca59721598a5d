//! Remarks on the nodes of games, put into the file that the games were read from.

use tengen_engine::Grade;

use crate::tree::{Collection, PropertyValue, Record, RecordNodeId};

/// What is to be added to a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    /// The node.
    pub node: RecordNodeId,
    /// A property with its value, such as `BM[1]`; left out where the node has that property.
    pub mark: Option<(&'static str, &'static str)>,
    /// Added to the node's comment.
    pub comment: String,
}

impl Remark {
    /// Returns the property that marks a move of this grade; none for a fine move.
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
    /// Returns the games as SGF with remarks: a list for each of the first games.
    ///
    /// Of an SGF file everything else stays as it was, byte for byte. Games from other formats are written
    /// as [`Collection::to_sgf`] does.
    pub fn to_annotated_sgf(&self, remarks: &[Vec<Remark>]) -> Vec<u8> {
        self.inserted(remarks).unwrap_or_else(|| {
            let mut annotated = self.clone();
            for (record, remarks) in annotated.records_mut().iter_mut().zip(remarks) {
                remarks.iter().for_each(|remark| record.annotate(remark));
            }
            annotated.to_sgf()
        })
    }

    /// Returns the text of the file with the remarks in it; `None` if there is no text, or if its
    /// encoding does not have a remark.
    fn inserted(&self, remarks: &[Vec<Remark>]) -> Option<Vec<u8>> {
        let source = self.source.as_ref()?;
        let mut additions: Vec<(usize, String)> = Vec::new();
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
    /// Adds a remark to its node.
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
    use crate::sgf::parse::parse;
    use crate::source_text::SourceText;

    const GAMES: &str =
        "(;FF[4]GM[4]\nSZ[15]C[a \\] b];B[hh](;W[ii]C[good];B[jj])(;W[aa])) \n(;B[bb])";

    fn read(text: &str) -> Collection {
        parse(SourceText::decode(text.as_bytes(), None).unwrap()).unwrap()
    }

    fn remark(record: &Record, place: usize, comment: &str) -> Remark {
        let node = record.main_line().nth(place).unwrap();
        Remark { node, mark: Some(("BM", "1")), comment: comment.to_owned() }
    }

    #[test]
    fn remarks_join_what_is_there_and_change_nothing_else() {
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
        // A mark that is there already is not made twice.
        let twice = again.to_annotated_sgf(&[vec![remark(record, 1, "z")]]);
        assert!(!String::from_utf8(twice).unwrap().contains("BM[1]BM"));
    }

    #[test]
    fn a_remark_that_the_encoding_lacks_makes_the_file_utf_8() {
        let source = SourceText::decode(b"(;CA[ISO-8859-1]PB[\xfc];B[hh])", None).unwrap();
        let collection = parse(source).unwrap();
        let remarks = [vec![remark(&collection.records()[0], 1, "\u{738b}")]];
        let text = String::from_utf8(collection.to_annotated_sgf(&remarks)).unwrap();
        assert!(text.contains("CA[UTF-8]PB[\u{fc}]") && text.contains("C[\u{738b}]"), "{text}");
    }
}
