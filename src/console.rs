//! [`Terminal`]: shows what the commands of `tengen-tasks` do.

use std::io::{self, Write};

use tengen_tasks::{Console, Failure};

use crate::exit_status::{Refusal, Unfinished, ignore_broken_pipe, report, warn};
use crate::interrupt;
use crate::progress::Progress;

/// Messages and progress go to standard error.
pub(crate) struct Terminal;

impl Console for Terminal {
    fn warn(&self, text: &str) {
        warn(text);
    }

    fn report(&self, text: &str) {
        report(text);
    }

    fn on_interrupt(&self, callback: Box<dyn Fn() + Send + Sync>) -> Result<(), Failure> {
        interrupt::on_interrupt(callback).map_err(|why| Failure::Failed(format!("{why:#}")))
    }

    fn progress(&self, steps: u64, done: u64) -> Box<dyn tengen_tasks::Progress> {
        let progress = Progress::new(Some(steps));
        progress.start_at(done);
        Box::new(progress)
    }
}

impl tengen_tasks::Progress for Progress {
    fn steps(&self, count: u64, what: String) {
        self.count(count);
        self.show(what);
    }

    fn note(&self, text: &str) {
        self.print_error(&format!("tengen: {text}"));
    }
}

/// Standard output. That its reader has closed it is no error.
pub(crate) struct Output;

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        ignore_broken_pipe(io::stdout().write_all(bytes)).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        ignore_broken_pipe(io::stdout().flush())
    }
}

/// Returns the end of a command for a failure.
pub(crate) fn ended(failure: Failure) -> anyhow::Error {
    match failure {
        Failure::Refused(why) => Refusal(why).into(),
        Failure::Interrupted(why) => Unfinished::Interrupted(why).into(),
        Failure::Failed(why) => anyhow::Error::msg(why),
    }
}
