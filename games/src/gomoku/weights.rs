//! Every number of the judgement, in hundredths: one table, so that it can be tuned.
//!
//! It knows no board; what the numbers are multiplied with is in [`super::points`] and
//! [`super::judge`].

use super::pattern::Class;
use super::points::Threat;

/// What an empty point is worth to a side for each line on which a stone would make this class, in
/// the order of [`Class`].
pub(super) const CLASS: [i32; Class::COUNT] = [0, 2, 7, 9, 30, 38, 60, 0, 0, 120];

/// What an empty point is worth beyond its lines, for what they make together, in the order of
/// [`Threat`].
pub(super) const THREAT: [i32; Threat::COUNT] = [0, -20, 0, 8, 40, 20, 100, 160, 240];

/// How much of its points counts for the side to move, in 64ths.
pub(super) const MOVER: i32 = 72;

/// How much of its points counts for the side that waits, in 64ths.
pub(super) const WAITER: i32 = 64;

/// What it is worth to be on the move.
pub(super) const INITIATIVE: i32 = 160;

/// How early a move is searched for what it makes, in the order of [`Threat`].
pub(super) const MAKES: [i32; Threat::COUNT] = [0, 0, 0, 600, 1_800, 1_200, 4_000, 12_000, 24_000];

/// How early a move is searched for what it keeps the opponent from making.
pub(super) const STOPS: [i32; Threat::COUNT] = [0, 0, 0, 300, 900, 600, 2_000, 8_000, 7_000];
