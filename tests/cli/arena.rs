//! `tengen arena` as a shell runs it: matches between real processes, engines that misbehave, kills
//! and resumes.

mod begin_and_end;
mod hostile;
mod refusals;
mod repeatable;
mod runs;
mod statuses;
