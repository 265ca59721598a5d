//! What every command says of a file of records that it cannot use.

use tengen_records::{Fault, FaultKind};

use crate::exit_status::Refusal;

/// Returns a fault of the file of this name, as the user is told of it.
pub(crate) fn refusal(name: &str, fault: &Fault) -> Refusal {
    let help = match fault.kind() {
        FaultKind::UnknownGame(_) => ": name it with --variant",
        _ => "",
    };
    Refusal(format!("{name}: {fault}{help}"))
}
