//! [`Verdict`]: a side has a proven win, provably has none, or neither is known. A search that ended early is
//! never a "no".

use serde::{Deserialize, Serialize};
use tengen_engine::{ProvenResult, Side};

/// What is known about a win of a side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Verdict {
    /// A win is proven.
    Wins,
    /// A draw or a loss is proven.
    DoesNotWin,
    /// Nothing is proven: a search with limits found no win.
    NoWinFound,
}

impl Verdict {
    /// Returns the verdict for `side` in a position with the proven result `settled`. `None`: nothing is proven.
    pub fn of(settled: Option<ProvenResult>, side: Side) -> Self {
        match settled {
            Some(result) if result.winner == Some(side) => Self::Wins,
            Some(_) => Self::DoesNotWin,
            None => Self::NoWinFound,
        }
    }

    /// Returns the verdict in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Wins => "wins",
            Self::DoesNotWin => "does not win",
            Self::NoWinFound => "no win found",
        }
    }
}

#[cfg(test)]
mod tests {
    use tengen_engine::ProofSource;

    use super::*;

    #[test]
    fn nothing_proven_is_no_win_found_and_never_a_no() {
        let proven = |winner| Some(ProvenResult::new(winner, Some(3), ProofSource::Search));
        for (settled, verdict) in [
            (proven(Some(Side::First)), Verdict::Wins),
            (proven(Some(Side::Second)), Verdict::DoesNotWin),
            (proven(None), Verdict::DoesNotWin),
            (None, Verdict::NoWinFound),
        ] {
            assert_eq!(Verdict::of(settled, Side::First), verdict, "{settled:?}");
            let text = serde_json::to_string(&verdict).unwrap_or_default();
            assert_eq!(text.trim_matches('"'), verdict.words().replace(' ', "_"));
        }
    }
}
