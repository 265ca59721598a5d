//! What a search may use, as the subcommands that search take it.

/// Threads and memory.
#[derive(clap::Args)]
pub(crate) struct Means {
    /// Search threads; with one, the nodes are the same every time.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=512))]
    pub(crate) threads: u16,

    /// Size of the table in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 64,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) hash: u32,
}
