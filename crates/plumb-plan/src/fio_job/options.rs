//! Which options does fio have, and how is each handled: supported, accepted without effect here, or refused with the closest alternative?

mod kind;
mod of_engines;

use crate::fio_job::options::kind::*;
use plumb_model::keys::Keys;
use plumb_model::text::nearest::nearest;

pub use crate::fio_job::options::kind::{COMMANDS, Class, OptionKind};

/// All options and their handling: those that a key claims are supported, whatever the table says.
pub fn options(keys: &Keys) -> Vec<OptionKind> {
    let of_key = |option: &OptionKind| {
        keys.all()
            .iter()
            .filter_map(|key| key.traits.fio.as_ref())
            .any(|fio| fio.is_read_as_it_is && fio.name == option.name)
    };
    OPTIONS
        .iter()
        .chain(of_engines::OPTIONS)
        .map(|option| OptionKind {
            class: if of_key(option) {
                Class::Honoured
            } else {
                option.class
            },
            ..*option
        })
        .collect()
}

/// The option of this name or alias. The error names the nearest.
pub fn find(options: &[OptionKind], name: &str) -> Result<OptionKind, String> {
    options
        .iter()
        .find(|option| option.name == name || option.aliases.contains(&name))
        .copied()
        .ok_or_else(|| {
            let lower = name.to_ascii_lowercase();
            let names: Vec<&str> = options
                .iter()
                .flat_map(|option| std::iter::once(&option.name).chain(option.aliases))
                .copied()
                .collect();
            // Names reach the terminal.
            let shown: String = name.chars().filter(|c| !c.is_control()).take(60).collect();
            format!("fio has no option '{shown}'{}", nearest(&lower, &names))
        })
}

/// The options of `fio --cmdhelp` of fio 3.33, in its order.
const OPTIONS: &[OptionKind] = &[
    honoured("description"),
    honoured("name"),
    honoured("wait_for"),
    honoured("filename"),
    refused(
        "lockfile",
        &["none"],
        "plumb does not lock files during the load; remove it",
    ),
    honoured("directory"),
    honoured("filename_format"),
    idle("unique_filename"),
    refused("opendir", NONE, "plumb uses one file per job; set filename"),
    honoured("rw").or(&["readwrite"]),
    honoured("bs").or(&["blocksize"]),
    honoured("ba").or(&["blockalign"]),
    honoured("bsrange").or(&["blocksize_range"]),
    honoured("bssplit"),
    refused(
        "bs_unaligned",
        OFF,
        "block sizes must be multiples of the smallest; use bssplit with such sizes",
    )
    .or(&["blocksize_unaligned"])
    .alone(),
    refused(
        "bs_is_seq_rand",
        OFF,
        "use one job for the sequential part and one for the random part",
    ),
    honoured("randrepeat"),
    honoured("randseed"),
    honoured("norandommap").alone(),
    idle("softrandommap"),
    idle("ignore_error"),
    honoured("rw_sequencer"),
    honoured("ioengine"),
    honoured("iodepth"),
    honoured("iodepth_batch").or(&["iodepth_batch_submit"]),
    honoured("iodepth_batch_complete_min").or(&["iodepth_batch_complete"]),
    honoured("iodepth_batch_complete_max"),
    honoured("iodepth_low"),
    honoured("serialize_overlap"),
    idle("io_submit_mode"),
    honoured("size"),
    honoured("io_size").or(&["io_limit"]),
    honoured("fill_device").or(&["fill_fs"]),
    honoured("filesize"),
    refused(
        "file_append",
        OFF,
        "plumb overwrites files of a fixed size; remove it",
    ),
    honoured("offset").or(&["fileoffset"]),
    honoured("offset_increment"),
    refused(
        "offset_align",
        OFF,
        "offsets are multiples of the smallest block, counted from offset; use an aligned offset",
    ),
    honoured("number_ios"),
    idle("random_generator"),
    honoured("random_distribution"),
    honoured("random_sequence_stride"),
    honoured("percentage_random"),
    honoured("allrandrepeat"),
    honoured("nrfiles").or(&["nr_files"]),
    honoured("file_service_type"),
    idle("openfiles"),
    honoured("fallocate"),
    honoured("fadvise_hint").or(&["fadvise"]),
    honoured("fsync"),
    honoured("fdatasync"),
    refused(
        "write_barrier",
        OFF,
        "use fsync=N: a flush after every N writes",
    ),
    refused(
        "sync_file_range",
        NONE,
        "use fsync=N: a flush after every N writes",
    ),
    honoured("direct"),
    honoured("atomic"),
    honoured("buffered"),
    honoured("overwrite"),
    honoured("loops"),
    honoured("numjobs"),
    honoured("startdelay"),
    honoured("runtime").or(&["timeout"]),
    honoured("time_based").alone(),
    honoured("verify_only").alone(),
    honoured("ramp_time"),
    idle("clocksource"),
    idle("mem").or(&["iomem"]),
    honoured("verify"),
    honoured("do_verify"),
    honoured("verify_interval"),
    honoured("verify_offset"),
    honoured("verify_pattern"),
    honoured("verify_fatal"),
    honoured("verify_dump"),
    honoured("verify_async"),
    honoured("verify_async_cpus"),
    honoured("verify_backlog"),
    honoured("verify_backlog_batch"),
    honoured("experimental_verify"),
    idle("verify_state_load"),
    idle("verify_state_save"),
    refused("trim_percentage", OFF, TRIMS),
    refused("trim_verify_zero", OFF, TRIMS),
    refused("trim_backlog", OFF, TRIMS),
    refused("trim_backlog_batch", OFF, TRIMS),
    honoured("write_iolog"),
    honoured("read_iolog"),
    idle("read_iolog_chunked"),
    honoured("replay_no_stall"),
    honoured("replay_redirect"),
    honoured("replay_scale"),
    honoured("replay_align"),
    honoured("replay_time_scale"),
    honoured("replay_skip"),
    refused("merge_blktrace_file", NONE, TRACES),
    refused("merge_blktrace_scalars", NONE, TRACES),
    refused("merge_blktrace_iters", NONE, TRACES),
    honoured("exec_prerun"),
    honoured("exec_postrun"),
    honoured("ioscheduler"),
    refused("zonemode", &["none", "strided"], ZONES),
    honoured("zonesize"),
    refused("zonecapacity", OFF, ZONES),
    honoured("zonerange"),
    honoured("zoneskip"),
    refused("read_beyond_wp", OFF, ZONES),
    refused("max_open_zones", OFF, ZONES),
    refused("job_max_open_zones", OFF, ZONES),
    refused("ignore_zone_limits", OFF, ZONES),
    refused("zone_reset_threshold", OFF, ZONES),
    refused("zone_reset_frequency", OFF, ZONES),
    refused(
        "lockmem",
        OFF,
        "to limit the page cache use direct=1, or start plumb with systemd-run -p MemoryMax=",
    ),
    honoured("rwmixread"),
    honoured("rwmixwrite"),
    refused("nice", OFF, PRIORITY),
    honoured("prio"),
    honoured("prioclass"),
    honoured("thinktime"),
    idle("thinktime_spin"),
    honoured("thinktime_blocks"),
    idle("thinktime_blocks_type"),
    refused(
        "thinktime_iotime",
        OFF,
        "plumb counts operations between pauses; use thinktime_blocks",
    ),
    honoured("rate"),
    honoured("rate_min").or(&["ratemin"]),
    honoured("rate_process"),
    honoured("rate_cycle").or(&["ratecycle"]),
    honoured("rate_ignore_thinktime"),
    honoured("rate_iops"),
    honoured("rate_iops_min"),
    honoured("max_latency"),
    honoured("latency_target"),
    honoured("latency_window"),
    honoured("latency_percentile"),
    honoured("latency_run"),
    honoured("invalidate"),
    honoured("sync"),
    idle("write_hint"),
    idle("create_serialize"),
    idle("create_fsync"),
    idle("create_on_open"),
    honoured("create_only"),
    honoured("allow_file_create"),
    idle("allow_mounted_write"),
    honoured("pre_read"),
    honoured("cpumask"),
    honoured("cpus_allowed"),
    honoured("cpus_allowed_policy"),
    honoured("numa_cpu_nodes"),
    honoured("numa_mem_policy"),
    honoured("end_fsync"),
    honoured("fsync_on_close"),
    honoured("unlink"),
    idle("unlink_each_loop"),
    honoured("exitall").alone(),
    idle("exit_what"),
    honoured("exitall_on_error").alone(),
    honoured("stonewall").or(&["wait_for_previous"]).alone(),
    idle("new_group").alone(),
    idle("thread").or(&["threads"]).alone(),
    idle("per_job_logs"),
    idle("write_bw_log").alone(),
    idle("bwavgtime"),
    idle("write_lat_log").alone(),
    idle("write_iops_log").alone(),
    idle("iopsavgtime"),
    idle("log_entries"),
    honoured("log_avg_msec"),
    idle("log_window_value"),
    idle("log_hist_msec"),
    idle("log_hist_coarseness"),
    idle("write_hist_log").alone(),
    idle("log_max_value"),
    idle("log_offset"),
    idle("log_prio"),
    idle("log_issue_time"),
    idle("log_compression"),
    idle("log_compression_cpus"),
    idle("log_store_compressed"),
    idle("log_unix_epoch"),
    idle("log_alternate_epoch"),
    idle("log_alternate_epoch_clock_id"),
    idle("block_error_percentiles"),
    honoured("group_reporting").alone(),
    idle("stats"),
    honoured("zero_buffers").alone(),
    honoured("refill_buffers").alone(),
    honoured("scramble_buffers"),
    honoured("buffer_pattern"),
    honoured("buffer_compress_percentage"),
    idle("buffer_compress_chunk"),
    honoured("dedupe_percentage"),
    honoured("dedupe_mode"),
    honoured("dedupe_working_set_percentage"),
    honoured("dedupe_global"),
    idle("clat_percentiles"),
    idle("lat_percentiles"),
    idle("slat_percentiles"),
    idle("percentile_list"),
    idle("significant_figures"),
    idle("disk_util"),
    honoured("gtod_reduce"),
    idle("disable_lat"),
    idle("disable_clat"),
    honoured("disable_slat"),
    idle("disable_bw_measurement").or(&["disable_bw"]),
    idle("gtod_cpu"),
    idle("unified_rw_reporting"),
    idle("continue_on_error"),
    idle("error_dump"),
    refused(
        "profile",
        NONE,
        "plumb has its own plans; `plumb plans` lists them",
    ),
    refused("cgroup", NONE, GROUPS),
    idle("cgroup_nodelete"),
    refused("cgroup_weight", OFF, GROUPS),
    refused("uid", NONE, USER),
    refused("gid", NONE, USER),
    honoured("kb_base"),
    idle("unit_base"),
    idle("hugepage-size"),
    honoured("flow_id"),
    honoured("flow"),
    honoured("flow_sleep"),
    idle("flow_watermark"),
    honoured("steadystate").or(&["ss"]),
    honoured("steadystate_duration").or(&["ss_dur"]),
    honoured("steadystate_ramp_time").or(&["ss_ramp"]),
    honoured("steadystate_check_interval").or(&["ss_interval"]),
];
