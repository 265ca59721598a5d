//! Statistics of matches, compared with published vectors.

use tengen_arena::stats::Results;
use tengen_arena::stats::elo::strength;
use tengen_arena::stats::llr::{EloModel, llr};

use crate::support::published;

fn number(text: &str) -> f64 {
    text.parse().unwrap_or_else(|_| panic!("{text}"))
}

fn counts(row: &[&str]) -> Results {
    let counts: Vec<u64> =
        row.iter().filter(|text| **text != "-").map(|text| text.parse().unwrap()).collect();
    Results::from_counts(&counts).unwrap()
}

#[test]
fn elo_is_that_of_the_published_vectors() {
    let Some(text) = published::text("statistics/elo_vectors.tsv") else { return };
    let mut rows = 0;
    for row in published::rows(&text) {
        let found = strength(&counts(&row[1..6]));
        let [low, high] = found.elo_interval;
        let found =
            [found.elo, found.elo_error, found.los, found.nelo, found.nelo_error, low, high];
        for (index, found) in found.into_iter().enumerate() {
            let expected = number(row[6 + index]);
            let off = (found - expected).abs();
            assert!(off <= 1e-9 * expected.abs().max(1.0), "column {index}: {found}, {row:?}");
        }
        rows += 1;
    }
    assert_eq!(rows, 600);
}

#[test]
fn log_likelihood_ratios_are_those_of_the_published_vectors() {
    let Some(text) = published::text("statistics/sprt_vectors.tsv") else { return };
    // `far` counts the rows where the ten iterations of the published program are not enough.
    let (mut rows, mut far) = (0, 0);
    for row in published::rows(&text) {
        let (_, model) = EloModel::NAMES.into_iter().find(|(name, _)| *name == row[7]).unwrap();
        let found = llr(&counts(&row[..5]), [number(row[5]), number(row[6])], model);
        let converged = number(row[9]);
        let off = (found - converged).abs();
        assert!(off <= 1e-9 * converged.abs().max(1.0), "{found}, {row:?}");
        far += u32::from((found - number(row[8])).abs() > 1e-3);
        rows += 1;
    }
    assert_eq!((rows, far), (6000, 1));
}
