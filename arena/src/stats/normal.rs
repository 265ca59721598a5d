//! The normal distribution.

use std::f64::consts::{PI, SQRT_2};

/// The 97.5 % quantile: 95 % of the values are between `-Z95` and `Z95`.
pub(super) const Z95: f64 = 1.959_963_984_540_054;

/// Returns the probability of a value below `z`.
pub(super) fn phi(z: f64) -> f64 {
    libm::erfc(-z / SQRT_2) / 2.0
}

/// Returns the natural logarithm of [`phi`], even if `phi` is too small for a floating-point
/// number.
pub(super) fn ln_phi(z: f64) -> f64 {
    const FAR: f64 = -30.0;
    if z > FAR {
        return phi(z).ln();
    }
    // The asymptotic series of Mills's ratio; at 30 its next term is below 1e-7.
    let square = z * z;
    let tail = 1.0 - 1.0 / square + 3.0 / (square * square);
    -square / 2.0 - (-z * (2.0 * PI).sqrt()).ln() + tail.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quantile_leaves_two_and_a_half_percent() {
        assert!((phi(Z95) - 0.975).abs() < 1e-15);
        assert!((phi(-Z95) - 0.025).abs() < 1e-15);
        assert_eq!(phi(0.0), 0.5);
    }

    #[test]
    fn both_formulas_for_the_logarithm_agree() {
        // ln phi(-30) = -454.3212439..., from tables of the error function.
        let far = ln_phi(-30.000_001);
        let near = ln_phi(-29.999_999);
        assert!((far + 454.321_243_9).abs() < 1e-3 && (near - far).abs() < 1e-3, "{far} {near}");
        assert!(ln_phi(-1e6).is_finite());
    }
}
