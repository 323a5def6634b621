//! Which plans are built in? One TOML file each in the folder `plans`, listed here.

use crate::PlanFile;
use plumb_model::plan::PlanError;

/// A built-in plan.
#[derive(Debug, Clone, Copy)]
pub struct BuiltIn {
    /// Name for `plumb run`; also the file's name.
    pub name: &'static str,
    /// The file.
    pub text: &'static str,
}

impl BuiltIn {
    /// The plan as written.
    pub fn file(&self) -> Result<PlanFile, PlanError> {
        PlanFile::parse(self.text, &format!("built-in plan {}", self.name))
    }
}

/// All built-in plans.
pub const PLANS: &[BuiltIn] = &[
    BuiltIn {
        name: "check",
        text: include_str!("../../../plans/check.toml"),
    },
    BuiltIn {
        name: "quick",
        text: include_str!("../../../plans/quick.toml"),
    },
    BuiltIn {
        name: "depth",
        text: include_str!("../../../plans/depth.toml"),
    },
    BuiltIn {
        name: "blocks",
        text: include_str!("../../../plans/blocks.toml"),
    },
    BuiltIn {
        name: "latency",
        text: include_str!("../../../plans/latency.toml"),
    },
    BuiltIn {
        name: "mixed",
        text: include_str!("../../../plans/mixed.toml"),
    },
    BuiltIn {
        name: "database",
        text: include_str!("../../../plans/database.toml"),
    },
    BuiltIn {
        name: "layers",
        text: include_str!("../../../plans/layers.toml"),
    },
    BuiltIn {
        name: "small-files",
        text: include_str!("../../../plans/small-files.toml"),
    },
    BuiltIn {
        name: "self-test",
        text: include_str!("../../../plans/self-test.toml"),
    },
    BuiltIn {
        name: "steady",
        text: include_str!("../../../plans/steady.toml"),
    },
    BuiltIn {
        name: "steady-throughput",
        text: include_str!("../../../plans/steady-throughput.toml"),
    },
    BuiltIn {
        name: "steady-latency",
        text: include_str!("../../../plans/steady-latency.toml"),
    },
    BuiltIn {
        name: "write-saturation",
        text: include_str!("../../../plans/write-saturation.toml"),
    },
    BuiltIn {
        name: "diskmark",
        text: include_str!("../../../plans/diskmark.toml"),
    },
    BuiltIn {
        name: "netpipe",
        text: include_str!("../../../plans/netpipe.toml"),
    },
    BuiltIn {
        name: "network-stream",
        text: include_str!("../../../plans/network-stream.toml"),
    },
    BuiltIn {
        name: "rdma",
        text: include_str!("../../../plans/rdma.toml"),
    },
    BuiltIn {
        name: "iometer",
        text: include_str!("../../../plans/iometer.toml"),
    },
    BuiltIn {
        name: "bonnie",
        text: include_str!("../../../plans/bonnie.toml"),
    },
    BuiltIn {
        name: "iozone",
        text: include_str!("../../../plans/iozone.toml"),
    },
    BuiltIn {
        name: "iozone-raz",
        text: include_str!("../../../plans/iozone-raz.toml"),
    },
    BuiltIn {
        name: "dd",
        text: include_str!("../../../plans/dd.toml"),
    },
    BuiltIn {
        name: "ior-easy",
        text: include_str!("../../../plans/ior-easy.toml"),
    },
    BuiltIn {
        name: "ior-hard",
        text: include_str!("../../../plans/ior-hard.toml"),
    },
    BuiltIn {
        name: "mdtest-easy",
        text: include_str!("../../../plans/mdtest-easy.toml"),
    },
    BuiltIn {
        name: "mdtest-hard",
        text: include_str!("../../../plans/mdtest-hard.toml"),
    },
    BuiltIn {
        name: "cluster",
        text: include_str!("../../../plans/cluster.toml"),
    },
    BuiltIn {
        name: "training-reader",
        text: include_str!("../../../plans/training-reader.toml"),
    },
    BuiltIn {
        name: "checkpoint-save",
        text: include_str!("../../../plans/checkpoint-save.toml"),
    },
    BuiltIn {
        name: "checkpoint-load",
        text: include_str!("../../../plans/checkpoint-load.toml"),
    },
    BuiltIn {
        name: "checkpoint-objects",
        text: include_str!("../../../plans/checkpoint-objects.toml"),
    },
    BuiltIn {
        name: "kv-cache",
        text: include_str!("../../../plans/kv-cache.toml"),
    },
    BuiltIn {
        name: "kv-cache-objects",
        text: include_str!("../../../plans/kv-cache-objects.toml"),
    },
    BuiltIn {
        name: "vector-search",
        text: include_str!("../../../plans/vector-search.toml"),
    },
    BuiltIn {
        name: "database-log",
        text: include_str!("../../../plans/database-log.toml"),
    },
    BuiltIn {
        name: "vm-boot-storm",
        text: include_str!("../../../plans/vm-boot-storm.toml"),
    },
];

/// The built-in plan of this name.
pub fn find(name: &str) -> Option<&'static BuiltIn> {
    PLANS.iter().find(|plan| plan.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Overrides, PlanKind, resolve};
    use plumb_model::workload::Direct;

    /// As long as those who defined them say: rounds until they are steady, passes over the whole target.
    const LONG: &[&str] = &[
        "steady",
        "steady-throughput",
        "steady-latency",
        "write-saturation",
    ];

    #[test]
    fn every_plan_of_the_folder_is_listed() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plans");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .expect("folder plans")
            .filter_map(|entry| {
                entry
                    .expect("entry")
                    .file_name()
                    .into_string()
                    .ok()?
                    .strip_suffix(".toml")
                    .map(str::to_string)
            })
            .collect();
        files.sort();
        let mut listed: Vec<&str> = PLANS.iter().map(|plan| plan.name).collect();
        listed.sort_unstable();
        assert_eq!(files, listed);
    }

    /// Plans that do what an older program does: past the cache where that is, and as much as that does.
    const CLASSICS: [&str; 11] = [
        "bonnie",
        "iozone",
        "iozone-raz",
        "dd",
        "ior-easy",
        "ior-hard",
        "mdtest-easy",
        "mdtest-hard",
        "checkpoint-save",
        "checkpoint-load",
        "checkpoint-objects",
    ];

    #[test]
    fn every_plan_resolves_with_its_name_a_title_and_direct_where_possible() {
        for built_in in PLANS {
            let file = built_in.file().unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(file.name, built_in.name);
            assert!(
                !file.title.is_empty() && !file.title.ends_with('?'),
                "{}: the title is a statement",
                file.name
            );
            // As a file of the user's its steps are judged, too.
            resolve(&file, &Overrides::default(), PlanKind::File)
                .unwrap_or_else(|error| panic!("{}: {error}", file.name));
            let plan = resolve(&file, &Overrides::default(), PlanKind::Preset)
                .unwrap_or_else(|error| panic!("{error}"));
            for step in &plan.steps {
                for job in &step.jobs {
                    let local = job.target.remote().is_none() && !CLASSICS.contains(&built_in.name);
                    assert!(
                        !local
                            || job.workload.direct == Direct::Try
                            // It tries the cache, too.
                            || built_in.name == "self-test"
                            // Databases write their logs through the cache.
                            || built_in.name == "database-log"
                            || job.workload.has_file_operations(),
                        "{}",
                        step.name
                    );
                }
            }
            let estimate = plan.estimate(|_| Some(0));
            let ends = |workload: &plumb_model::workload::Workload| {
                workload
                    .passes
                    .or(workload.operations)
                    .or(workload.bytes.map(|bytes| bytes.0))
                    .is_some()
            };
            if CLASSICS.contains(&built_in.name) {
                // All sizes by all records is what its original writes.
                let most_bytes = if built_in.name == "iozone-raz" {
                    256 << 30
                } else {
                    8 << 30
                };
                assert!(
                    !plan.note.is_empty(),
                    "{}: what the figures of the original include is told",
                    plan.name
                );
                assert!(
                    estimate
                        .written_bytes_max
                        .is_some_and(|bytes| bytes < most_bytes),
                    "{}",
                    plan.name
                );
                assert!(
                    plan.steps.iter().all(|step| ends(&step.jobs[0].workload)),
                    "{}",
                    plan.name
                );
                continue;
            }
            // It ends after so many operations, however long they take.
            if built_in.name == "self-test" {
                assert!(plan.steps.iter().all(|step| ends(&step.jobs[0].workload)));
                continue;
            }
            let short = estimate
                .duration_s
                .is_some_and(|duration_s| duration_s < 1000.0);
            assert!(
                short || LONG.contains(&built_in.name),
                "{}: {:?} s",
                plan.name,
                estimate.duration_s
            );
        }
    }

    #[test]
    fn iozone_leaves_out_records_that_are_larger_than_the_file() {
        let file = find("iozone").expect("iozone").file().expect("plan");
        let set = |pairs: &[(&str, &str)]| Overrides {
            set: pairs
                .iter()
                .map(|(key, text)| (key.to_string(), text.to_string()))
                .collect(),
            ..Overrides::default()
        };
        let plan = resolve(&file, &Overrides::default(), PlanKind::Preset).expect("resolved");
        let tests = file.steps.len();
        assert_eq!(
            (plan.steps.len(), plan.left_out as usize),
            (12 * tests, 3 * tests)
        );
        assert_eq!(
            plan.steps[0].name, "write size=64k block=4k",
            "as the importer of iozone names them"
        );
        let cell = resolve(
            &file,
            &set(&[("size", "512m"), ("block", "64k")]),
            PlanKind::Preset,
        )
        .expect("one cell");
        assert_eq!(
            (cell.steps.len(), cell.left_out, cell.steps[2].name.as_str()),
            (tests, 0, "read")
        );
    }

    #[test]
    fn check_takes_about_a_minute_and_says_how_much_it_writes_at_most() {
        let file = find("check").expect("check").file().expect("plan");
        let plan = resolve(&file, &Overrides::default(), PlanKind::Preset).expect("resolved");
        let estimate = plan.estimate(|_| Some(1 << 30));
        let duration_s = estimate.duration_s.expect("bounded");
        assert!((40.0..60.0).contains(&duration_s), "{duration_s}");
        assert!(estimate.written_bytes_max.is_some());
    }

    #[test]
    fn depth_sweeps_workers_depth_and_pinning() {
        let plan = resolve(
            &find("depth").expect("depth").file().expect("plan"),
            &Overrides::default(),
            PlanKind::Preset,
        )
        .expect("resolved");
        for pattern in ["random-read", "random-write", "mixed"] {
            for key in ["workers", "depth", "pin"] {
                assert!(plan.steps.iter().any(|step| step.group.starts_with(pattern) && step.swept.contains_key(key)), "{pattern} {key}");
            }
        }
    }

    fn steps_of(name: &str) -> Vec<plumb_model::plan::Step> {
        let file = find(name).expect(name).file().expect("plan");
        let plan = resolve(&file, &Overrides::default(), PlanKind::Preset).expect("resolved");
        plan.steps
    }

    /// The definitions of MLPerf Storage 2.0: bytes of a sample, samples of a batch, compute time for H100, threads.
    #[test]
    fn the_training_reader_reads_the_batches_of_mlperf() {
        for (model, sample_bytes, samples, compute_ms, threads) in [
            ("unet3d", 146_600_628.0, 7, 323.0, 4),
            ("resnet50", 114_660.07, 400, 224.0, 8),
            ("cosmoflow", 2_828_486.0, 1, 3.5, 4),
        ] {
            let steps = steps_of("training-reader");
            let of_model = steps.iter().filter(|step| step.name.starts_with(model));
            for step in of_model.clone() {
                let workload = &step.jobs[0].workload;
                let block = workload.smallest_block_bytes();
                let batch_bytes = (workload.burst_operations * block) as f64;
                let expected = sample_bytes * f64::from(samples);
                assert!(
                    (batch_bytes / expected - 1.0).abs() < 0.002,
                    "{}: {batch_bytes} instead of {expected}",
                    step.name
                );
                assert_eq!(workload.burst_samples, Some(samples as u64));
                assert_eq!(workload.burst_pause.0 as f64, compute_ms * 1e6);
                assert_eq!(workload.depth, threads);
                assert!(workload.prefetch > Some(0));
                assert_eq!(block % 4096, 0, "for direct I/O");
            }
            assert_eq!(of_model.count(), 3, "{model}");
        }
    }

    #[test]
    fn virtual_machines_boot_at_the_published_rate() {
        for step in steps_of("vm-boot-storm") {
            let rate: f64 = step.jobs.iter().filter_map(|job| job.workload.rate).sum();
            let machines = f64::from(step.jobs[0].workload.workers);
            // 62,000 I/Os in 330 s.
            let expected = 62_000.0 / 330.0 * machines;
            assert!(
                (rate / expected - 1.0).abs() < 0.002,
                "{}: {rate}",
                step.name
            );
        }
    }

    #[test]
    fn a_checkpoint_is_synced_when_saved_and_read_cold() {
        let save = &steps_of("checkpoint-save")[0].jobs[0].workload;
        assert!(save.flush_at_end && save.flush_metadata && save.fresh);
        let load = &steps_of("checkpoint-load")[0].jobs[0].workload;
        assert!(load.cold);
        for workload in [save, load] {
            assert_eq!(workload.layout, plumb_model::workload::Layout::Own);
            assert_eq!((workload.passes, workload.workers), (Some(1), 8));
            assert_eq!(workload.direct, Direct::No);
        }
    }

    #[test]
    fn database_writes_a_synchronous_log_beside_the_mix() {
        let plan = resolve(
            &find("database").expect("database").file().expect("plan"),
            &Overrides::default(),
            PlanKind::Preset,
        )
        .expect("ok");
        let step = &plan.steps[0];
        assert_eq!(step.jobs[0].workload.mix.to_string(), "read:70,write:30");
        assert_eq!(step.jobs[0].workload.block.to_string(), "8k");
        assert_eq!(
            step.jobs[1].workload.sync,
            plumb_model::workload::Sync::Dsync
        );
        assert_eq!(
            step.jobs[1].workload.time, None,
            "it stops with the main job"
        );
    }
}
