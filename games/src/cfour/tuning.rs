//! The tuning of the proof schedule.

use tengen_engine::ProofTuning;

/// Tuned on 7x6. From 28 to 34, `open_windows_from` changes little; with several threads the time
/// is even at 38.
pub(super) const PROOF_TUNING: ProofTuning = {
    let mut tuning = ProofTuning::PLAIN;
    tuning.near_end = 20;
    tuning.near_end_in_batch = 8;
    tuning.outer_windows_above = 14;
    tuning.open_windows_from = 32;
    tuning.open_windows_of_threads_from = 40;
    tuning
};
