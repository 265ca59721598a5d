//! What every command says of a file of records that it cannot use.

use tengen_records::{Fault, FaultKind};

use crate::exit_status::Refusal;

/// Returns a fault in the file of this name, as a message.
pub(crate) fn refusal(name: &str, fault: &Fault) -> Refusal {
    let help = match fault.kind() {
        FaultKind::UnknownGame(_) => ": name it with --variant",
        _ => "",
    };
    Refusal(format!("{name}: {fault}{help}"))
}
