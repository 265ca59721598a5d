//! [`SolverMemory`]: what the threat solvers of a search thread already know. It knows no board.

pub(crate) mod proof_table;
pub(crate) mod scope;
pub(crate) mod vcf_table;

use crate::gomoku::solver_memory::proof_table::Proofs;
use crate::gomoku::solver_memory::scope::{VcfScope, VctStage};
use crate::gomoku::solver_memory::vcf_table::NoVcfTable;

/// The tables and the counts of the threat solvers.
#[derive(Clone, Debug)]
pub(crate) struct SolverMemory {
    /// Positions without a VCF.
    no_vcf: NoVcfTable,
    /// Positions without a local VCF, each with the previous four.
    no_local_vcf: NoVcfTable,
    pub(crate) proofs: Proofs,
    /// Whether a refutation in `proofs` relies on a VCF search that did not try everything.
    pub(crate) has_unsure_proofs: bool,
    /// Nodes of VCT searches so far, without those counted in `unlisted_vct_nodes`.
    pub(crate) vct_nodes: u64,
    /// Nodes so far of VCT searches after moves that are not listed as candidates.
    pub(crate) unlisted_vct_nodes: u64,
    pub(crate) root_key: u64,
    /// The stage of the next VCT search at the root.
    pub(crate) vct_stage: VctStage,
}

impl SolverMemory {
    /// Creates an empty memory for a search of the position with this key.
    pub(crate) fn new(root_key: u64) -> Self {
        Self {
            no_vcf: NoVcfTable::new(NoVcfTable::LARGE),
            no_local_vcf: NoVcfTable::new(NoVcfTable::SMALL),
            proofs: Proofs::default(),
            has_unsure_proofs: false,
            vct_nodes: 0,
            unlisted_vct_nodes: 0,
            root_key,
            vct_stage: VctStage::FIRST,
        }
    }

    /// Begins a search of the position with this key. The tables stay.
    pub(crate) fn begin(&mut self, root_key: u64) {
        (self.vct_nodes, self.unlisted_vct_nodes) = (0, 0);
        (self.root_key, self.vct_stage) = (root_key, VctStage::FIRST);
    }

    /// Returns the table of positions in which VCF searches of this scope found no win.
    pub(crate) fn no_vcf_table(&mut self, scope: VcfScope) -> &mut NoVcfTable {
        match scope {
            VcfScope::Full => &mut self.no_vcf,
            VcfScope::Local => &mut self.no_local_vcf,
        }
    }
}
