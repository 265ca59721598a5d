//! The addresses in links to rooms, and their QR codes.

use qrcodegen::{QrCode, QrCodeEcc};
use tengen_protocol::dialect::json::{Code, Problem};

/// Returns the QR code of a text, row by row, with `true` for dark; `None` if the text is too long.
pub fn qr_code(text: &str) -> Option<Vec<Vec<bool>>> {
    let code = QrCode::encode_text(text, QrCodeEcc::Medium).ok()?;
    let row = |y| (0..code.size()).map(|x| code.get_module(x, y)).collect();
    Some((0..code.size()).map(row).collect())
}

/// Returns the address of the board for links: the client's, or for an address of the own machine the first of
/// `addresses`, which other machines reach.
pub(super) fn page(own: &str, addresses: &[String]) -> Result<String, Problem> {
    // A page may show it as a link, which runs no script.
    if !["http://", "https://"].iter().any(|start| own.starts_with(start)) {
        let why = "page: the address begins with http:// or https://";
        return Err(Problem::with(Code::BadField, "page", why));
    }
    let local = ["http://127.0.0.1", "http://localhost", "http://[::1]"];
    let is_local = local.iter().any(|start| own.starts_with(start));
    let address = addresses.first().filter(|_| is_local);
    Ok(address.map_or_else(|| own.to_owned(), |address| format!("{address}/")))
}
