//! What are the operations and loads of warp? Shared by the importers of its requests and of its results.

use std::collections::{BTreeMap, BTreeSet};

use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_model::units::Bytes;
use plumb_model::workload::operation::OperationKind;
use plumb_model::workload::{Direct, Weighted, Workload};

use super::RunBuilder;

/// Object sizes that are kept apart; random sizes are shown by their mean.
const SIZES_MAX: usize = 32;

/// The kind of an operation of warp, as plumb's own runs on object stores have it; `None` for what plumb does not have, such as `RETENTION`.
pub(crate) fn kind_of(operation: &str) -> Option<OperationKind> {
    match operation {
        "GET" => Some(OperationKind::ReadFile),
        "PUT" | "POST" => Some(OperationKind::Create),
        "PUTPART" | "APPEND" => Some(OperationKind::Write),
        "STAT" => Some(OperationKind::Stat),
        "DELETE" => Some(OperationKind::Delete),
        "LIST" => Some(OperationKind::List),
        _ => None,
    }
}

/// An empty run of this version and command line.
pub(crate) fn run_of(version: Option<&str>, command: &str) -> RunBuilder {
    let mut builder = RunBuilder::new("warp", version.map(str::to_string));
    builder.command(command.split_whitespace());
    builder.doubt(Statement::new("warp-averages-of-its-own"));
    builder
}

/// Who sent requests of one kind, and how large their objects were.
#[derive(Debug, Default)]
pub(crate) struct Load {
    pub threads: BTreeSet<String>,
    /// Threads, where only their number is known.
    concurrency: u64,
    sizes: BTreeMap<u64, u64>,
    bytes: u64,
    count: u64,
}

impl Load {
    pub fn of_threads(concurrency: u64) -> Load {
        Load {
            concurrency,
            ..Load::default()
        }
    }

    pub fn add_size(&mut self, bytes: u64, count: u64) {
        self.bytes = self.bytes.saturating_add(bytes.saturating_mul(count));
        self.count = self.count.saturating_add(count);
        if bytes > 0 && self.sizes.len() <= SIZES_MAX {
            *self.sizes.entry(bytes).or_default() += count;
        }
    }

    fn blocks(&self) -> Vec<(Bytes, f64)> {
        if self.sizes.len() > SIZES_MAX {
            let mean = self.bytes / self.count.max(1);
            return vec![(Bytes(mean.max(1)), self.count as f64)];
        }
        let of = |(bytes, count): (&u64, &u64)| (Bytes(*bytes), *count as f64);
        self.sizes.iter().map(of).collect()
    }

    /// The step of these kinds, with the number of their requests: named by the only one, or `mixed`.
    pub fn step(builder: &mut RunBuilder, loads: &[(OperationKind, u64, &Load)]) -> u32 {
        let name = match loads {
            [(kind, ..)] => kind.word(),
            _ => "mixed",
        };
        let mut blocks: BTreeMap<u64, f64> = BTreeMap::new();
        for (bytes, count) in loads.iter().flat_map(|(.., load)| load.blocks()) {
            *blocks.entry(bytes.0).or_default() += count;
        }
        let blocks: Vec<_> = blocks
            .into_iter()
            .map(|(size, n)| (Bytes(size), n))
            .collect();
        let threads: BTreeSet<&String> = loads.iter().flat_map(|(.., of)| &of.threads).collect();
        let known = loads.iter().map(|(.., of)| of.concurrency).max();
        let workers = (threads.len() as u64).max(known.unwrap_or(0)).max(1);
        let default = Workload::default();
        let workload = Workload {
            mix: Weighted(
                loads
                    .iter()
                    .map(|(kind, count, _)| (*kind, *count as f64))
                    .collect(),
            ),
            block: match blocks.is_empty() {
                true => default.block.clone(),
                false => Weighted::of(blocks),
            },
            direct: Direct::Try,
            workers: workers.min(u64::from(u32::MAX)) as u32,
            ..default
        };
        let target = Load::target(&builder.run().header.command);
        builder.step_of_work(name, RunBuilder::job("", target, "s3", workload))
    }

    /// `--bucket=NAME`, as the recorded command line has it.
    fn target(command: &[String]) -> Target {
        let named = |word: &String| Some(word.strip_prefix("--bucket=")?.to_string());
        let bucket = command.iter().find_map(named);
        // warp's default (its --bucket).
        let bucket = bucket.unwrap_or_else(|| "warp-benchmark-bucket".into());
        let target = format!("s3://{bucket}").parse();
        target.unwrap_or_else(|_| Target::Path("unknown".into()))
    }
}
