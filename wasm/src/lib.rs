//! Tengen as WebAssembly: [`Engine`] speaks the JSON protocol in a Web Worker, for a page without a
//! server.
//!
//! A line returns after the searches that it asks for. Reports are sent meanwhile. A search has one
//! thread. With the feature `threads`, other workers on the same memory can help: `provide_helpers`.
//! Outside of a browser or Node the crate compiles, so that its code is checked, but has no clock.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod conversation;

use std::panic::{self, PanicHookInfo};
use std::sync::Once;

use tengen_games::cfour::book::CLASSIC;
use wasm_bindgen::JsError;
#[cfg(feature = "threads")]
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

pub use conversation::LineReceiver;
use conversation::{Conversation, asks_for_book};

/// The smallest table in MiB: for a worker that answers about rules only.
const LEAST_TABLE_MIB: u32 = 1;
/// The largest table in MiB: phones have the memory for it.
const MOST_TABLE_MIB: u32 = 256;

/// An engine that speaks the JSON protocol with a page.
#[wasm_bindgen]
pub struct Engine(Conversation);

#[wasm_bindgen]
impl Engine {
    /// Creates an engine that calls `send` with each line that it writes. `table_mib` is the size of
    /// its table in MiB, from 1 to 256.
    #[wasm_bindgen(constructor)]
    pub fn new(send: LineReceiver, table_mib: u32) -> Result<Self, JsError> {
        static ONCE: Once = Once::new();
        if !send.is_function() {
            return Err(JsError::new("send: it must be a function that takes a line"));
        }
        if !(LEAST_TABLE_MIB..=MOST_TABLE_MIB).contains(&table_mib) {
            let message = format!(
                "table_mib {table_mib}: it must be from {LEAST_TABLE_MIB} to {MOST_TABLE_MIB}"
            );
            return Err(JsError::new(&message));
        }
        ONCE.call_once(prepare);
        Ok(Self(Conversation::new(send, table_mib)))
    }

    /// Reads a line of the JSON protocol, and returns after the searches that it asks for. After a
    /// call that has thrown, the engine takes no more lines.
    pub fn line(&self, text: &str) -> Result<(), JsError> {
        let failed = |_| JsError::new("the engine has failed before: start a new worker");
        self.0.line(text).map_err(failed)
    }

    /// Returns whether the line `text` searches a game whose book the page has not loaded yet.
    pub fn needs_book(&self, text: &str) -> bool {
        asks_for_book(text)
    }

    /// Takes the book of four in a row, the bytes of `cfour.book`.
    pub fn book(&self, bytes: Vec<u8>) -> Result<(), JsError> {
        let length = bytes.len();
        CLASSIC
            .provide(bytes)
            .map_err(|error| JsError::new(&format!("the book of {length} bytes: {error}")))
    }
}

/// Returns the code of this engine, with which other workers start on its memory.
#[cfg(feature = "threads")]
#[wasm_bindgen]
pub fn module() -> JsValue {
    wasm_bindgen::module()
}

/// Lets searches use `count` other workers, each of which calls [`help`]. Call it once, before the
/// first engine: engines have as many threads as there are then.
#[cfg(feature = "threads")]
#[wasm_bindgen]
pub fn provide_helpers(count: usize) {
    tengen_engine::provide_helpers(count);
}

/// Helps the searches of another worker that has the same memory. Does not return.
#[cfg(feature = "threads")]
#[wasm_bindgen]
pub fn help() {
    tengen_engine::run_helper();
}

/// Installs what the system lacks: a clock, and a way to show a panic.
fn prepare() {
    #[cfg(all(target_family = "wasm", target_os = "unknown"))]
    tengen_engine::clock::install(clock::since_1970, conversation::wake_all);
    panic::set_hook(Box::new(throw));
}

/// Throws a panic as a JavaScript exception, whose text is the panic's.
fn throw(info: &PanicHookInfo<'_>) {
    wasm_bindgen::throw_str(&info.to_string());
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod clock {
    use std::time::Duration;

    use wasm_bindgen::prelude::wasm_bindgen;

    #[wasm_bindgen]
    extern "C" {
        /// Returns the milliseconds since the worker was started.
        #[wasm_bindgen(js_namespace = performance, js_name = now)]
        fn milliseconds() -> f64;

        /// The start of the worker, in milliseconds since 1970.
        #[wasm_bindgen(thread_local_v2, js_namespace = performance, js_name = timeOrigin)]
        static START: f64;
    }

    /// Returns the time since 1970. All workers on one memory have this clock.
    pub(super) fn since_1970() -> Duration {
        Duration::from_secs_f64((START.with(|start| *start) + milliseconds()) / 1000.0)
    }
}
