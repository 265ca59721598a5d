//! The message of all commands for a record that cannot be used.

use tengen_records::{Fault, FaultKind};

use crate::exit_status::Refusal;

/// Returns the refusal of the file `name` for a fault.
pub(crate) fn refusal(name: &str, fault: &Fault) -> Refusal {
    let help = match fault.kind() {
        FaultKind::UnknownGame(_) => ": name it with --variant",
        _ => "",
    };
    Refusal(format!("{name}: {fault}{help}"))
}
