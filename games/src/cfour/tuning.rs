//! The parameters of the proof schedule.

use tengen_engine::ProofTuning;

/// Tuned on 7x6. Values of `open_windows_from` from 28 to 34 differ little. With several threads,
/// 38 takes the same time.
pub(super) const PROOF_TUNING: ProofTuning = {
    let mut tuning = ProofTuning::PLAIN;
    tuning.near_end = 20;
    tuning.near_end_in_batch = 8;
    tuning.outer_windows_above = 14;
    tuning.open_windows_from = 32;
    tuning.open_windows_of_threads_from = 40;
    tuning
};
