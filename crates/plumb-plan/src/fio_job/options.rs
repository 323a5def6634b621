//! Which options does fio have, and what becomes of each: honoured, accepted without effect here, or refused with the nearest thing plumb has?

use plumb_model::keys::Keys;
use plumb_model::text::nearest::nearest;

/// What becomes of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// It has its meaning; values that plumb cannot carry out are refused one by one.
    Honoured,
    /// Taken and named: it concerns what plumb does in its own way, or fio's own output.
    WithoutEffect,
    /// Named and refused, unless it has one of these values, which ask for nothing.
    Refused {
        unless: &'static [&'static str],
        /// What to do instead.
        instead: &'static str,
    },
}

/// One option of fio.
#[derive(Debug, Clone, Copy)]
pub struct OptionKind {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub class: Class,
    /// It may stand without a value, which means 1.
    pub alone: bool,
}

const fn honoured(name: &'static str) -> OptionKind {
    OptionKind {
        name,
        aliases: &[],
        class: Class::Honoured,
        alone: false,
    }
}

const fn idle(name: &'static str) -> OptionKind {
    OptionKind {
        name,
        aliases: &[],
        class: Class::WithoutEffect,
        alone: false,
    }
}

const fn refused(
    name: &'static str,
    unless: &'static [&'static str],
    instead: &'static str,
) -> OptionKind {
    OptionKind {
        name,
        aliases: &[],
        class: Class::Refused { unless, instead },
        alone: false,
    }
}

impl OptionKind {
    const fn or(self, aliases: &'static [&'static str]) -> OptionKind {
        OptionKind { aliases, ..self }
    }

    const fn alone(self) -> OptionKind {
        OptionKind {
            alone: true,
            ..self
        }
    }
}

/// All options with what becomes of them: those that a key names as its own are honoured, whatever the table says.
pub fn options(keys: &Keys) -> Vec<OptionKind> {
    let of_key = |option: &OptionKind| {
        keys.all()
            .iter()
            .filter_map(|key| key.traits.fio.as_ref())
            .any(|fio| fio.is_read_as_it_is && fio.name == option.name)
    };
    OPTIONS
        .iter()
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

const OFF: &[&str] = &["0"];
const NONE: &[&str] = &[];

const ZONES: &str = "plumb has no zones: offsets = strided:STEP goes over parts of a target, and zoned devices need fio";
const TRIMS: &str = "plumb cannot know what a trimmed block holds: make a job with rw=randtrim beside the verified one";
const TRACES: &str =
    "plumb reads no block traces: write them as one iolog of version 3 and name it with read_iolog";
const PRIORITY: &str = "plumb does not change priorities: start it with ionice or nice";
const GROUPS: &str =
    "plumb does not change control groups: start it with systemd-run --scope and its properties";
const USER: &str = "plumb does not change its user: start it with sudo -u";
const COMMANDS: &str =
    "a job file that runs commands is not to be trusted: run them yourself before and after plumb";
const FLOOR: &str = "plumb has no lower limit that ends a job: compare runs afterwards with plumb compare --fail-if 'iops < -10%'";
const HERE_NOT: &str = "it belongs to an engine of fio that plumb does not have; `plumb run --help` tells the engines and targets there are";
const REQUEST_PRIORITY: &str =
    "plumb gives all operations the same priority: make two jobs, and start plumb with ionice";
const REQUEST_FLAGS: &str = "plumb sets no such flags on single operations: leave it out";

/// All options: those of `fio --cmdhelp` of fio 3.33 in its order, some of other versions, and those of engines.
const OPTIONS: &[OptionKind] = &[
    honoured("description"),
    honoured("name"),
    refused("wait_for", NONE, "write stonewall into this section: it then waits for all sections above it"),
    honoured("filename"),
    refused("lockfile", &["none"], "plumb locks no files during the load: leave it out"),
    honoured("directory"),
    honoured("filename_format"),
    idle("unique_filename"),
    refused("opendir", NONE, "plumb works on one file for each job: write filename"),
    honoured("rw").or(&["readwrite"]),
    honoured("bs").or(&["blocksize"]),
    honoured("ba").or(&["blockalign"]),
    honoured("bsrange").or(&["blocksize_range"]),
    honoured("bssplit"),
    refused("bs_unaligned", OFF, "block sizes are multiples of the smallest: write bssplit with such sizes")
        .or(&["blocksize_unaligned"])
        .alone(),
    refused("bs_is_seq_rand", OFF, "make one job of the sequential part and one of the random part"),
    honoured("randrepeat"),
    honoured("randseed"),
    honoured("norandommap").alone(),
    idle("softrandommap"),
    idle("ignore_error"),
    refused("rw_sequencer", &["sequential"], "an offset that is used several times: write a larger block, or random_distribution=zipf"),
    honoured("ioengine"),
    honoured("iodepth"),
    honoured("iodepth_batch").or(&["iodepth_batch_submit"]),
    idle("iodepth_batch_complete_min").or(&["iodepth_batch_complete"]),
    idle("iodepth_batch_complete_max"),
    refused(
        "iodepth_low",
        NONE,
        "plumb submits again as soon as an operation ends: leave it out, or use thinktime with thinktime_blocks for bursts",
    ),
    refused("serialize_overlap", OFF, "with verify plumb never has two writes to one place in flight: write verify=crc32c"),
    idle("io_submit_mode"),
    honoured("size"),
    honoured("io_size").or(&["io_limit"]),
    refused("fill_device", OFF, "plumb never fills a file system: write the size").or(&["fill_fs"]),
    honoured("filesize"),
    refused("file_append", OFF, "plumb writes over files of a fixed size: leave it out"),
    honoured("offset").or(&["fileoffset"]),
    honoured("offset_increment"),
    refused("offset_align", OFF, "offsets are multiples of the smallest block from offset on: write an offset that is aligned"),
    honoured("number_ios"),
    idle("random_generator"),
    honoured("random_distribution"),
    honoured("percentage_random"),
    honoured("allrandrepeat"),
    honoured("nrfiles").or(&["nr_files"]),
    idle("file_service_type"),
    idle("openfiles"),
    idle("fallocate"),
    idle("fadvise_hint").or(&["fadvise"]),
    honoured("fsync"),
    honoured("fdatasync"),
    refused("write_barrier", OFF, "write fsync=N: a flush after every N writes"),
    refused("sync_file_range", NONE, "write fsync=N: a flush after every N writes"),
    honoured("direct"),
    refused("atomic", OFF, "write direct=1 and sync=dsync"),
    honoured("buffered"),
    honoured("overwrite"),
    honoured("loops"),
    honoured("numjobs"),
    honoured("startdelay"),
    honoured("runtime").or(&["timeout"]),
    honoured("time_based").alone(),
    refused("verify_only", OFF, "plumb checks what it wrote itself: write a job with rw=write and verify, which is read back after it")
        .alone(),
    honoured("ramp_time"),
    idle("clocksource"),
    idle("mem").or(&["iomem"]),
    honoured("verify"),
    honoured("do_verify"),
    idle("verify_interval"),
    idle("verify_offset"),
    honoured("verify_pattern"),
    idle("verify_fatal"),
    idle("verify_dump"),
    idle("verify_async"),
    idle("verify_async_cpus"),
    idle("verify_backlog"),
    idle("verify_backlog_batch"),
    idle("experimental_verify"),
    refused("verify_state_load", OFF, "plumb checks what it wrote in the same run: leave it out"),
    idle("verify_state_save"),
    refused("trim_percentage", OFF, TRIMS),
    refused("trim_verify_zero", OFF, TRIMS),
    refused("trim_backlog", OFF, TRIMS),
    refused("trim_backlog_batch", OFF, TRIMS),
    refused("write_iolog", NONE, "plumb records intervals with histograms, not single operations: leave it out"),
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
    refused("exec_prerun", NONE, COMMANDS),
    refused("exec_postrun", NONE, COMMANDS),
    refused("ioscheduler", NONE, "plumb does not change the system: write the name to /sys/block/DEVICE/queue/scheduler yourself"),
    refused("zonemode", &["none"], ZONES),
    refused("zonesize", OFF, ZONES),
    refused("zonecapacity", OFF, ZONES),
    refused("zonerange", OFF, ZONES),
    refused("zoneskip", OFF, ZONES),
    refused("read_beyond_wp", OFF, ZONES),
    refused("max_open_zones", OFF, ZONES),
    refused("job_max_open_zones", OFF, ZONES),
    refused("ignore_zone_limits", OFF, ZONES),
    refused("zone_reset_threshold", OFF, ZONES),
    refused("zone_reset_frequency", OFF, ZONES),
    refused("lockmem", OFF, "to take memory from the page cache write direct=1, or start plumb with systemd-run -p MemoryMax="),
    honoured("rwmixread"),
    honoured("rwmixwrite"),
    refused("nice", OFF, PRIORITY),
    refused("prio", OFF, PRIORITY),
    refused("prioclass", OFF, PRIORITY),
    honoured("thinktime"),
    refused("thinktime_spin", OFF, "plumb sleeps until shortly before the next operation: leave it out"),
    honoured("thinktime_blocks"),
    idle("thinktime_blocks_type"),
    refused("thinktime_iotime", OFF, "plumb counts operations between pauses: write thinktime_blocks"),
    honoured("rate"),
    refused("rate_min", OFF, FLOOR).or(&["ratemin"]),
    honoured("rate_process"),
    idle("rate_cycle").or(&["ratecycle"]),
    idle("rate_ignore_thinktime"),
    honoured("rate_iops"),
    refused("rate_iops_min", OFF, FLOOR),
    refused("max_latency", OFF, "plumb does not end a job for one slow operation: it records it; leave it out"),
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
    refused("create_only", OFF, "write ioengine=filecreate to measure the creation of files"),
    refused("allow_file_create", &["1"], "plumb makes a file that is missing: name one that exists with filename"),
    idle("allow_mounted_write"),
    refused("pre_read", OFF, "write ramp_time, or a job before it that reads the file with direct=0"),
    honoured("cpumask"),
    honoured("cpus_allowed"),
    honoured("cpus_allowed_policy"),
    honoured("numa_cpu_nodes"),
    refused("numa_mem_policy", &["default", "local"], "plumb's memory is that of the node its workers run on: write numa_cpu_nodes"),
    honoured("end_fsync"),
    honoured("fsync_on_close"),
    honoured("unlink"),
    idle("unlink_each_loop"),
    honoured("exitall").alone(),
    idle("exit_what"),
    idle("exitall_on_error").alone(),
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
    refused("dedupe_mode", &["repeat"], "blocks of plumb repeat earlier ones: write dedupe_percentage alone"),
    idle("dedupe_working_set_percentage"),
    idle("dedupe_global"),
    idle("clat_percentiles"),
    idle("lat_percentiles"),
    idle("slat_percentiles"),
    idle("percentile_list"),
    idle("significant_figures"),
    idle("disk_util"),
    idle("gtod_reduce"),
    idle("disable_lat"),
    idle("disable_clat"),
    idle("disable_slat"),
    idle("disable_bw_measurement").or(&["disable_bw"]),
    idle("gtod_cpu"),
    idle("unified_rw_reporting"),
    idle("continue_on_error"),
    idle("error_dump"),
    refused("profile", NONE, "plumb has plans of its own: `plumb plans` lists them"),
    refused("cgroup", NONE, GROUPS),
    idle("cgroup_nodelete"),
    refused("cgroup_weight", OFF, GROUPS),
    refused("uid", NONE, USER),
    refused("gid", NONE, USER),
    honoured("kb_base"),
    idle("unit_base"),
    idle("hugepage-size"),
    idle("flow_id"),
    refused("flow", OFF, "plumb holds no jobs to a ratio: give each its rate_iops"),
    idle("flow_sleep"),
    idle("flow_watermark"),
    honoured("steadystate").or(&["ss"]),
    honoured("steadystate_duration").or(&["ss_dur"]),
    honoured("steadystate_ramp_time").or(&["ss_ramp"]),
    honoured("steadystate_check_interval").or(&["ss_interval"]),
    // Options of engines: io_uring, libaio, pvsync2, mmap, filestat.
    honoured("hipri").alone(),
    honoured("sqthread_poll").alone(),
    honoured("fixedbufs").alone(),
    honoured("registerfiles").alone(),
    idle("sqthread_poll_cpu"),
    idle("nonvectored"),
    idle("userspace_reap").alone(),
    idle("thp"),
    idle("stat_type"),
    refused("hipri_percentage", &["100"], "write hipri=1 for all operations"),
    refused("uncached", OFF, "write direct=1"),
    refused("nowait", OFF, REQUEST_FLAGS),
    refused("force_async", OFF, REQUEST_FLAGS),
    refused("readfua", OFF, REQUEST_FLAGS),
    refused("writefua", OFF, "write sync=dsync"),
    refused("cmdprio_percentage", OFF, REQUEST_PRIORITY),
    refused("cmdprio_class", OFF, REQUEST_PRIORITY),
    refused("cmdprio", OFF, REQUEST_PRIORITY),
    refused("cmdprio_bssplit", NONE, REQUEST_PRIORITY),
    // Options of engines that plumb does not have.
    refused("cmd_type", NONE, HERE_NOT),
    refused("cpuload", NONE, HERE_NOT),
    refused("cpuchunks", NONE, HERE_NOT),
    refused("cpumode", NONE, HERE_NOT),
    refused("exit_on_io_done", NONE, HERE_NOT),
    refused("hostname", NONE, "network tests go to a peer: `plumb run network-stream tcp://HOST`"),
    refused("port", NONE, "network tests go to a peer: `plumb run network-stream tcp://HOST:PORT`"),
    refused("protocol", NONE, HERE_NOT),
    refused("nodelay", NONE, HERE_NOT),
    refused("listen", NONE, "the other side of a network test is `plumb serve-net`"),
    refused("pingpong", NONE, "`plumb run netpipe tcp://HOST` exchanges messages"),
    refused("interface", NONE, HERE_NOT),
    refused("ttl", NONE, HERE_NOT),
    refused("window_size", NONE, HERE_NOT),
    refused("mss", NONE, HERE_NOT),
    refused("program", NONE, COMMANDS),
    refused("arguments", NONE, COMMANDS),
    refused("grace_time", NONE, COMMANDS),
    refused("std_redirect", NONE, COMMANDS),
    refused("donorname", NONE, HERE_NOT),
    refused("inplace", NONE, HERE_NOT),
    refused("volume", NONE, HERE_NOT),
    refused("brick", NONE, HERE_NOT),
    refused("single-instance", NONE, HERE_NOT),
    refused("skip_bad", NONE, HERE_NOT),
    refused("sg_write_mode", NONE, HERE_NOT),
    refused("stream_id", NONE, HERE_NOT),
    refused("uri", NONE, HERE_NOT),
    refused("bindname", NONE, HERE_NOT),
    refused("verb", NONE, "`plumb run rdma rdma://HOST` reads, writes and sends over RDMA"),
    refused("clustername", NONE, HERE_NOT),
    refused("pool", NONE, HERE_NOT),
    refused("clientname", NONE, HERE_NOT),
    refused("conf", NONE, HERE_NOT),
    refused("busy_poll", NONE, HERE_NOT),
    refused("touch_objects", NONE, HERE_NOT),
    refused("rbdname", NONE, HERE_NOT),
];
