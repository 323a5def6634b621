//! How fast is this storage? Checks the environment, measures for about a minute, and shows verdict and findings.

use anyhow::{Context, bail};
use plumb_load::site::Admission;
use plumb_model::environment::Environment;
use plumb_model::plan::{Origin, Plan};
use plumb_model::target::Target;
use plumb_model::units::{Bytes, Nanos};
use plumb_model::workload::{Job, OperationKind};
use plumb_plan::{Overrides, PlanKind, plans, resolve};
use plumb_run::measurement::announce::DEFAULT_SIZE_BYTES;
use plumb_run::named_plan::{main_choice, refuse_impossible_engines};
use plumb_run::{environment, secrets};
use plumb_words::numbers::{show_bytes, show_time_ns};

use super::run::dry_run;
use crate::cli::CheckArguments;
use crate::commands::Outcome;
use crate::commands::observe::doctor::refuse_missing;
use crate::outcome::{Detail, measure_and_show, stop};

/// Test file of a quick check: written in about a second at 100 MB/s.
const QUICK_SIZE_BYTES: u64 = 128 << 20;
/// Share of the free space that is never exceeded.
const SPACE_SHARE: u64 = 10;
/// Minimum size of the test file: room for 64 operations of the largest block in flight.
const SIZE_MIN_BYTES: u64 = 16 << 20;
/// Minimum time of an execution for any requested total: below it, start and end dominate.
const TIME_MIN: Nanos = Nanos(20_000_000);
/// Minimum time for creating and deleting all files: if it is too short, the next step must create the rest first.
const TIME_TO_FILES_MIN: Nanos = Nanos(300_000_000);
/// Minimum number of files of a shorter check.
const FILES_MIN: u64 = 100;
/// The shortest recorded interval.
const INTERVAL_MIN: Nanos = Nanos(10_000_000);

/// `plumb check`.
pub fn check(arguments: &CheckArguments) -> anyhow::Result<Outcome> {
    let target: Target = arguments.target.parse()?;
    if target == Target::Null {
        bail!(
            "null: has nothing to check: name a directory, a file or a block device (plumb run --target null: measures the load generator)"
        );
    }
    if target
        .remote()
        .is_some_and(|remote| !remote.scheme.is_share())
    {
        bail!(
            "{target}: check measures storage, and this is a network peer: use plumb run network-stream {target}, or the plans netpipe and rdma"
        );
    }
    refuse_missing(&target)?;
    let secrets = secrets::gather(target.remote(), &arguments.login.login())?;
    let stop = stop()?.request();
    let choice = main_choice(&planned(arguments, &arguments.size)?);
    let environment = environment::glance(&target, &secrets, &choice, &stop)?;
    let (plan, remarks) = prepared(arguments, &environment)?;
    if arguments.dry_run {
        return dry_run(plan, &environment, arguments.out.json);
    }
    let admission = Admission {
        login: secrets.into(),
        ..Admission::default()
    };
    let request = arguments.out.request(plan, admission, remarks);
    measure_and_show(request, &arguments.out, Detail::Verdict)
}

/// The plan `check` fitted to the target, with remarks for the user.
fn prepared(
    arguments: &CheckArguments,
    environment: &Environment,
) -> anyhow::Result<(Plan, Vec<String>)> {
    let is_size = |pair: &&(String, String)| pair.0 == "size";
    // The size is bounded by the free space, however it is given.
    let requested_size = arguments.size.clone().or_else(|| {
        let set = arguments.set.iter().rfind(is_size);
        set.map(|(_, size)| size.clone())
    });
    let mut plan = planned(arguments, &requested_size)?;
    let without_writes = drop_writes_of_blocks(&mut plan);
    refuse_impossible_engines(&plan)?;
    let usual_bytes = match arguments.quick {
        true => QUICK_SIZE_BYTES,
        false => DEFAULT_SIZE_BYTES,
    };
    let requested = requested_size
        .as_ref()
        .map(|size| size.parse::<Bytes>())
        .transpose()?;
    let mut remarks = fit_to_target(
        &mut plan,
        &arguments.target,
        (requested, usual_bytes),
        environment,
    )?;
    remarks.extend(without_writes);
    if let Some(time) = &arguments.time {
        let requested: Nanos = time
            .parse()
            .map_err(|error| anyhow::anyhow!("--time: {error}"))?;
        fit_time(&mut plan, requested)?;
        remarks.extend(longer_than_requested(&plan, requested));
    }
    Ok((plan, remarks))
}

/// The plan with the settings of the command line; the size is included for validation only.
fn planned(arguments: &CheckArguments, requested_size: &Option<String>) -> anyhow::Result<Plan> {
    let name = if arguments.quick { "quick" } else { "check" };
    let built_in = plans::find(name).context("a built-in plan is missing")?;
    let mut flags = vec![("target".to_string(), arguments.target.clone())];
    let is_size = |pair: &&(String, String)| pair.0 == "size";
    let given = [
        ("size", requested_size),
        ("rounds", &arguments.rounds),
        ("workers", &arguments.workers),
    ];
    flags.extend(
        given
            .into_iter()
            .filter_map(|(key, value)| Some((key.to_string(), value.clone()?))),
    );
    let set = arguments
        .set
        .iter()
        .filter(|pair| !is_size(pair))
        .cloned()
        .collect();
    Ok(resolve(
        &built_in.file()?,
        &Overrides { set, flags },
        PlanKind::Preset,
    )?)
}

/// Where files are written entirely or not at all, the steps that write blocks of them are removed; returns a remark for the user.
fn drop_writes_of_blocks(plan: &mut Plan) -> Option<String> {
    let writes_blocks = |job: &Job| {
        let remote = job.target.remote();
        let is_entire = remote.is_some_and(|remote| remote.scheme.is(|of| of.writes_entire_files));
        is_entire && job.workload.modifies_blocks()
    };
    let before = plan.steps.len();
    plan.steps
        .retain(|step| !step.jobs.iter().any(writes_blocks));
    let creates = |job: &Job| {
        job.workload
            .mix
            .0
            .iter()
            .any(|(kind, _)| *kind == OperationKind::Create)
    };
    let instead = match plan.steps.iter().any(|step| step.jobs.iter().any(creates)) {
        true => ", and the steps that create files write objects",
        false => "; `plumb check` without --quick also writes objects",
    };
    (plan.steps.len() < before).then(|| {
        format!("an object is written entirely or not at all: the steps that write blocks are skipped{instead}")
    })
}

/// Removes the steps that the target does not allow, and limits the test file; returns remarks for the user.
fn fit_to_target(
    plan: &mut Plan,
    target: &str,
    (requested, usual_bytes): (Option<Bytes>, u64),
    environment: &Environment,
) -> anyhow::Result<Vec<String>> {
    let mut remarks = Vec::new();
    match environment::kind(environment) {
        Some("directory") => {
            let has_no_end = target
                .parse::<Target>()?
                .remote()
                .is_some_and(|remote| remote.scheme.is(|of| of.host_is_share));
            let (size, remark) = size_for(requested, (usual_bytes, has_no_end), environment)?;
            set_size(plan, size);
            remarks.extend(remark);
        }
        Some("file" | "block-device") => {
            plan.steps.retain(|step| {
                step.jobs
                    .iter()
                    .all(|job| !job.workload.modifies() && !job.workload.has_file_operations())
            });
            remarks.push(format!(
                "{target} is only read: steps that write and steps on small files are skipped; name a directory to include them"
            ));
        }
        Some("missing") => {
            bail!(
                "{target}: no such file or directory on the share; name an existing directory or file"
            )
        }
        Some(other) => bail!(
            "{target}: check supports directories, files and block devices, and this is a {other}; use plumb run with a workload"
        ),
        None => bail!(
            "{target}: cannot determine the kind of this target; name a directory, a file or a block device"
        ),
    }
    Ok(remarks)
}

/// Size of the test file: the requested size, at most a tenth of the free space.
fn size_for(
    requested: Option<Bytes>,
    (usual_bytes, has_no_end): (u64, bool),
    environment: &Environment,
) -> anyhow::Result<(Bytes, Option<String>)> {
    let limit = match environment::free_bytes(environment) {
        Some(free) => free / SPACE_SHARE,
        None => match requested {
            Some(size) => {
                return Ok((
                    size,
                    Some("the free space is unknown: only --size limits the test file".into()),
                ));
            }
            // An object store reports no free space, and rarely has an end.
            None if has_no_end => {
                return Ok((Bytes(usual_bytes), None));
            }
            None => bail!(
                "the free space of the target is unknown: set the size of the test file with --size"
            ),
        },
    };
    // Whole blocks of the largest step.
    let limit = limit / (1 << 20) * (1 << 20);
    let wanted = requested.map_or(usual_bytes, |size| size.0);
    let size = wanted.min(limit);
    if size < SIZE_MIN_BYTES {
        let remedy = if limit < SIZE_MIN_BYTES {
            "free some space, choose another target, or use plumb run, which accepts any --size"
        } else {
            "choose a larger --size"
        };
        bail!(
            "a test file of {} is too small to measure (at least {}; a tenth of the free space is {}): {remedy}",
            show_bytes(size as f64),
            show_bytes(SIZE_MIN_BYTES as f64),
            show_bytes(limit as f64)
        );
    }
    let remark = requested.filter(|requested| requested.0 > size).map(|requested| {
        format!(
            "the test file is {} instead of the {} requested: at most a tenth of the free space",
            show_bytes(size as f64),
            show_bytes(requested.0 as f64)
        )
    });
    Ok((Bytes(size), remark))
}

fn set_size(plan: &mut Plan, size: Bytes) {
    for step in &mut plan.steps {
        for (job, origins) in step.jobs.iter_mut().zip(&mut step.origins) {
            if job.workload.size != Some(size) && !job.workload.has_file_operations() {
                job.workload.size = Some(size);
                origins.insert("size".into(), Origin::Resolved);
            }
        }
    }
}

/// The remark for a requested time that is clearly shorter than the shortest steps in total.
fn longer_than_requested(plan: &Plan, requested: Nanos) -> Option<String> {
    let least_s = plan.estimate(|_| Some(0)).duration_s?;
    (least_s > 1.1 * requested.seconds()).then(|| {
        format!(
            "--time {requested} is shorter than this plan allows: each step takes at least {}, {} in total; --quick has fewer steps",
            show_time_ns(TIME_MIN.0 as f64),
            show_time_ns(least_s * 1e9)
        )
    })
}

/// Shortens or lengthens all steps so that measuring takes this long in total.
fn fit_time(plan: &mut Plan, total: Nanos) -> anyhow::Result<()> {
    let planned_s = plan
        .estimate(|_| Some(0))
        .duration_s
        .context("the plan check has no time limit")?;
    let factor = total.seconds() / planned_s;
    if factor <= 0.0 {
        bail!(
            "--time {total}: must be longer than 0; the default is about {} s",
            planned_s.round()
        );
    }
    let scaled = |span: Nanos| Nanos((span.0 as f64 * factor) as u64);
    let fewer = |files: u64| ((files as f64 * factor) as u64).clamp(FILES_MIN.min(files), files);
    for step in &mut plan.steps {
        for (job, origins) in step.jobs.iter_mut().zip(&mut step.origins) {
            let workload = &mut job.workload;
            if workload.has_file_operations() {
                // All four steps alike: what one creates, the next ones use.
                workload.files = fewer(workload.files);
                workload.operations = workload.operations.map(fewer);
                origins.insert("files".into(), Origin::Flag);
            }
            let shortest = if workload.operations.is_some() {
                TIME_TO_FILES_MIN
            } else {
                TIME_MIN
            };
            workload.time = workload.time.map(|time| scaled(time).max(shortest));
            // More time may write more; less time is bound enough.
            workload.bytes = workload
                .bytes
                .map(|bytes| Bytes((bytes.0 as f64 * factor.max(1.0)) as u64));
            workload.warm_up = scaled(workload.warm_up);
            workload.interval = scaled(workload.interval).clamp(INTERVAL_MIN, Nanos::SECOND);
            for key in ["time", "warm-up", "interval"] {
                origins.insert(key.into(), Origin::Flag);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use plumb_model::environment::Fact;

    use crate::cli::{Cli, Verb};

    fn plan_for(line: &str, kind: &str, free: Option<f64>) -> anyhow::Result<(Plan, Vec<String>)> {
        let mut environment = Environment::default();
        environment.set("target.kind", Fact::Text(kind.into()));
        if let Some(free) = free {
            environment.set("mount.free_bytes", Fact::Number(free));
        }
        match Cli::try_parse_from(line.split(' '))?.verb {
            Verb::Check(arguments) => prepared(&arguments, &environment),
            other => bail!("{other:?}"),
        }
    }

    fn size_of(plan: &Plan) -> u64 {
        plan.steps[0].jobs[0].workload.size.expect("a size").0
    }

    #[test]
    fn size_is_bounded_by_a_tenth_of_the_free_space() {
        assert_eq!(
            size_of(
                &plan_for("plumb check", "directory", Some(1e12))
                    .expect("plan")
                    .0
            ),
            1 << 30
        );
        let (plan, remarks) =
            plan_for("plumb check --size 8g", "directory", Some(10e9)).expect("plan");
        assert!(size_of(&plan) <= 1_000_000_000 && size_of(&plan) > 990_000_000);
        assert!(remarks[0].contains("instead of the 8 GiB"), "{remarks:?}");
        let error = plan_for("plumb check", "directory", Some(50e6))
            .expect_err("too little room")
            .to_string();
        assert!(error.contains("at least 16 MiB"), "{error}");
        let error = plan_for("plumb check", "directory", None)
            .expect_err("unknown")
            .to_string();
        assert!(error.contains("--size"), "{error}");
    }

    #[test]
    fn files_and_devices_are_only_read() {
        for kind in ["file", "block-device"] {
            let (plan, remarks) = plan_for("plumb check /dev/x", kind, Some(1e12)).expect("plan");
            assert!(
                !plan.steps.is_empty()
                    && plan
                        .steps
                        .iter()
                        .all(|step| !step.jobs[0].workload.modifies())
            );
            assert!(remarks[0].contains("only read"), "{remarks:?}");
            assert_eq!(plan.steps[0].jobs[0].workload.size, None);
        }
        assert!(
            plan_for("plumb check /dev/zero", "character-device", None)
                .expect_err("refused")
                .to_string()
                .contains("plumb run")
        );
    }

    #[test]
    fn time_is_the_total() {
        let duration = |line: &str| {
            plan_for(line, "directory", Some(1e12))
                .expect("plan")
                .0
                .estimate(|_| Some(0))
                .duration_s
                .expect("bounded")
        };
        let plain = duration("plumb check");
        assert!((duration("plumb check --time 2m") - 120.0).abs() < 1.0);
        assert!(duration("plumb check --time 5s") < plain / 5.0);
        assert!(plan_for("plumb check --time 0", "directory", Some(1e12)).is_err());
        let remarks = |line: &str| plan_for(line, "directory", Some(1e12)).expect("plan").1;
        assert!(
            remarks("plumb check --time 1ms")[0].starts_with("--time 1ms is shorter than"),
            "the applied time is reported"
        );
        assert!(remarks("plumb check --time 10s").is_empty());
        // Preparation and the look at the machine come on top.
        assert!(duration("plumb check --quick") < 6.0);
        assert!(
            plan_for("plumb check --time soon", "directory", Some(1e12))
                .expect_err("nonsense")
                .to_string()
                .contains("--time")
        );
    }
}
