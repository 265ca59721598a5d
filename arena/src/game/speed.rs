//! The speed of this machine, by which clocks are scaled.

use std::sync::OnceLock;

use tengen_engine::backend::Catalog;
use tengen_engine::{Signal, bench};

/// The greatest factor by which clocks are scaled. The least one is its inverse.
pub const MAX_SCALE: f64 = 100.0;

/// Returns the factor for clocks that are meant for a machine with `reference` nodes a second in the bench. The first
/// call runs the bench on one thread, which takes some seconds.
pub fn clock_scale(reference: u64, catalog: &dyn Catalog) -> Result<f64, String> {
    static SPEED: OnceLock<Option<f64>> = OnceLock::new();
    let speed = SPEED.get_or_init(|| {
        let total = bench::run(catalog, None, &Signal::default(), &|_| {});
        let speed = total.nodes as f64 / total.time.as_secs_f64();
        Some(speed).filter(|speed| total.complete && speed.is_normal())
    });
    let speed = speed.ok_or("scale-nps: the bench did not reach its end")?;
    let scale = (reference as f64 / speed * 1000.0).round() / 1000.0;
    match (MAX_SCALE.recip()..=MAX_SCALE).contains(&scale) {
        true => Ok(scale),
        false => Err(format!(
            "scale-nps {reference}: this machine has {speed:.0} nodes a second, and clocks are scaled by {MAX_SCALE} at most"
        )),
    }
}
