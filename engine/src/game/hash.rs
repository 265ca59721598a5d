//! A hash of 64-bit numbers, for keys and for pseudorandom choices.

/// Returns a well-mixed 64-bit hash of a number. Different numbers have different hashes.
// CITE: splitmix64's output function, Steele, Lea and Flood, "Fast Splittable Pseudorandom Number
// Generators", 2014.
#[inline]
pub const fn mix64(value: u64) -> u64 {
    let value = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}
