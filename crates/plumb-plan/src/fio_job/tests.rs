//! Do typical job files become equivalent plans?

mod surroundings;
mod values;

use std::collections::BTreeSet;

use super::*;
use crate::{JobFile, Overrides, PlanKind, StepFile, resolve};
use plumb_model::keys::{KeyForm, KeyUnit};
use plumb_model::units::Nanos;

/// Reads with these files to include and `${SIZE}` set.
fn read_with(text: &str, files: &[(&str, &str)]) -> Result<FioJob, PlanError> {
    let mut include = |name: &str| {
        let found = files
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, text)| text.to_string());
        found.ok_or_else(|| format!("there is no {name}"))
    };
    let variable = |name: &str| (name == "SIZE").then(|| "64m".to_string());
    let keyword = |name: &str| {
        Some(if name == "pagesize" { 4096 } else { 8 }).filter(|_| name != "mb_memory")
    };
    read(
        text,
        "dir/my.fio",
        &mut Surroundings {
            include: &mut include,
            variable: &variable,
            pattern: &|name| match name {
                "dir/bytes" => Ok(vec![0, 0xab, 0x7f]),
                _ => Err("no file".into()),
            },
            keyword: &keyword,
        },
    )
}

fn job(text: &str) -> FioJob {
    read_with(text, &[]).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

fn refused(text: &str) -> String {
    read_with(text, &[]).expect_err(text).to_string()
}

/// The keys of a job as `key=value`, sorted.
fn keys(job: &JobFile) -> Vec<String> {
    let mut keys: Vec<String> = job
        .entries
        .iter()
        .map(|entry| format!("{}={}", entry.key, entry.text))
        .collect();
    keys.sort();
    keys
}

/// The keys of the first step's main job.
fn main_keys(text: &str) -> Vec<String> {
    keys(&job(text).plan.steps[0].main)
}

#[test]
fn a_basic_job_is_one_step() {
    let job = job(
        "; comment\n[random-read]\nrw=randread\nbs=4k ; four\nsize=128m\niodepth=16\nioengine=libaio\ndirect=1\nruntime=60\ntime_based\n",
    );
    assert_eq!(job.plan.name, "my");
    let [step] = job.plan.steps.as_slice() else {
        panic!("one step")
    };
    assert_eq!(step.main.name, "random-read");
    assert_eq!(
        keys(&step.main),
        [
            "batch=1",
            "block=4k",
            "depth=16",
            "direct=true",
            "engine=libaio",
            "mix=read",
            "offsets=random",
            "reap=1",
            "size=128m",
            "submission-latency=true",
            "target=.",
            "time=1m"
        ]
    );
    assert!(
        !job.remarks.iter().any(|remark| remark.contains("libaio")),
        "it is the same engine: {:?}",
        job.remarks
    );
}

/// Supported options, and a key that results. A test ensures that every supported option is here.
const SUPPORTED: &[(&[&str], &str, &str)] = &[
    (&["read_iolog"], "read_iolog=some.log", "replay=some.log"),
    (
        &["read_iolog"],
        "read_iolog=a\\:b.log\nfilename=x",
        "replay=a:b.log",
    ),
    (
        &["read_iolog", "replay_redirect"],
        "read_iolog=some.log\nreplay_redirect=/dev/sdz\nfilename=x\ndirectory=y",
        "target=/dev/sdz",
    ),
    (
        &["read_iolog", "replay_redirect"],
        "read_iolog=some.log\nreplay_redirect=/dev/sdz",
        "replay-files=together",
    ),
    (
        &["read_iolog", "replay_no_stall"],
        "read_iolog=some.log\nreplay_no_stall=1\nreplay_time_scale=50",
        "replay-pace=none",
    ),
    (
        &["read_iolog", "replay_time_scale"],
        "read_iolog=some.log\nreplay_time_scale=50",
        "replay-speed-percent=50",
    ),
    (
        &["read_iolog", "replay_scale"],
        "read_iolog=some.log\nreplay_scale=8",
        "replay-divisor=8",
    ),
    (
        &["read_iolog", "replay_align"],
        "read_iolog=some.log\nreplay_align=4096",
        "replay-align=4k",
    ),
    (
        &["read_iolog", "replay_skip"],
        "read_iolog=some.log\nreplay_skip=trim,sync",
        "replay-skip=trim,sync",
    ),
    (&["rw"], "rw=randwrite", "mix=write"),
    (&["rw"], "rw=read:8k\nbs=4k", "zone-skip=8k"),
    (&["rw"], "rw=read:512k\nbs=1m", "align=512k"),
    (&["rw"], "rw=read:-8k\nbs=4k", "offsets=reverse"),
    (&["rw"], "readwrite=randtrim", "mix=trim"),
    (
        &["rwmixread"],
        "rw=randrw\nrwmixread=70",
        "mix=read:70,write:30",
    ),
    (
        &["rwmixwrite"],
        "rw=randrw\nrwmixread=70\nrwmixwrite=40",
        "mix=read:60,write:40",
    ),
    (
        &["rwmixwrite"],
        "rw=randrw\nrwmixwrite=40\nrwmixread=70",
        "mix=read:70,write:30",
    ),
    (
        &["rwmixread"],
        "rw=rw\nrwmixread=75",
        "access=4k share 75 reads 100 random 0 after same align 4k; 4k share 25 reads 0 random 0 after same align 4k",
    ),
    (&["bs"], "bs=8k", "block=8k"),
    (&["bs"], "rw=randwrite\nbs=8k,16k", "block=16k"),
    (
        &["bs"],
        "rw=randrw\nbs=8k,16k",
        "access=8k share 50 reads 100 random 100 after same align 8k; 16k share 50 reads 0 random 100 after same align 16k",
    ),
    (
        &["bssplit"],
        "rw=rw\nrwmixread=80\nbssplit=4k/25:8k/75,64k/100",
        "access=4k share 20 reads 100 random 0 after same align 4k; 8k share 60 reads 100 random 0 after same align 4k; 64k share 20 reads 0 random 0 after same align 64k",
    ),
    (&["ba"], "rw=randread\nbs=8k\nba=512", "align=512"),
    (&["flow"], "flow=8", "flow-weight=8"),
    (&["flow_id"], "flow=1\nflow_id=3", "flow-group=3"),
    (&["flow_sleep"], "flow=1\nflow_sleep=1000", "flow-pause=1ms"),
    (&["max_latency"], "max_latency=10", "max-latency=10us"),
    (&["rate_min"], "rate_min=4m", "min-rate=bandwidth 4m"),
    (
        &["rate_cycle"],
        "rate_min=4m\nrate_cycle=500",
        "interval=500ms",
    ),
    (&["rate_iops_min"], "rate_iops_min=100", "min-rate=iops 100"),
    (
        &["iodepth_low"],
        "ioengine=libaio\niodepth=16\niodepth_low=4",
        "refill-at=4",
    ),
    (
        &["iodepth_batch_complete_min"],
        "ioengine=libaio\niodepth=16\niodepth_batch_complete_min=8",
        "refill-at=8",
    ),
    (&["bsrange"], "bsrange=1k-4k", "block=1k-4k"),
    (
        &["bssplit"],
        "bssplit=4k/10:64k/50:32k/",
        "block=4k:10,64k:50,32k:40",
    ),
    (&["kb_base"], "kb_base=1000\nbs=4k", "block=4000"),
    (
        &["norandommap"],
        "rw=randread\nnorandommap",
        "offsets=random-with-replacement",
    ),
    (
        &["inplace"],
        "rw=write\nioengine=e4defrag\ndonorname=d\ninplace=1\nsize=1m",
        "donor-each=true",
    ),
    (&["time_based"], "rw=read\nsize=1m\ntime_based", "bytes=1m"),
    (
        &["verify_only"],
        "rw=write\nverify=md5\nverify_only\nsize=1m\nio_size=3m",
        "bytes=1m",
    ),
    (
        &["sprandom", "spr_op", "spr_num_regions", "spr_cs"],
        "rw=randwrite\nsprandom=1\nspr_op=0.28\nspr_num_regions=50\nspr_cs=64m\nsize=1g",
        "offsets=precondition:28/50/64m",
    ),
    (
        &["random_distribution"],
        "rw=randread\nrandom_distribution=zipf:1.2",
        "offsets=zipf:1.2",
    ),
    (
        &["random_distribution"],
        "rw=randread\nrandom_distribution=pareto:0.3",
        "offsets=pareto:0.3",
    ),
    (
        &["random_distribution"],
        "rw=randread\nrandom_distribution=zoned:80/20:20/80",
        "offsets=hot-spot:80/20",
    ),
    (
        &["zonesize"],
        "rw=read\nzonemode=strided\nzonesize=256m",
        "zone-size=256m",
    ),
    (
        &["zonerange"],
        "rw=read\nzonesize=256m\nzonerange=1g",
        "zone-range=1g",
    ),
    (
        &["zoneskip"],
        "rw=read\nzonesize=256m\nzoneskip=2g",
        "zone-skip=2g",
    ),
    (
        &["percentage_random"],
        "rw=randread\npercentage_random=0",
        "offsets=sequential",
    ),
    (
        &["percentage_random"],
        "rw=randread\npercentage_random=50",
        "access=4k reads 100 random 50 places once after same align 4k",
    ),
    (
        &["percentage_random"],
        "rw=randrw\npercentage_random=50,100",
        "access=4k share 50 reads 100 random 50 places once after same align 4k; 4k share 50 reads 0 random 100 places once after same align 4k",
    ),
    (
        &["rate_iops"],
        "rw=randrw\nbs=4k,8k\nrate_iops=300,100",
        "rate=400",
    ),
    (&["rate"], "rw=randrw\nbs=4k,8k\nrate=4k,8k", "rate=2"),
    (&["rw"], "rw=rw:4k\nverify=md5", "zone-skip=4k"),
    (&["randseed"], "randseed=77", "seed=77"),
    (&["randrepeat"], "rw=randread\nrandrepeat=1", "seed=1"),
    (
        &["allrandrepeat"],
        "rw=randread\nrandrepeat=0\nallrandrepeat=1",
        "seed=1",
    ),
    (&["ioengine"], "ioengine=mmap", "engine=mmap"),
    (&["ioengine"], "ioengine=sync", "positioned=false"),
    (&["ioengine"], "ioengine=sync", "engine=sync"),
    (&["ioengine"], "ioengine=null", "target=null:"),
    (
        &["ioengine"],
        "ioengine=filecreate\nnrfiles=50\nnumjobs=2",
        "mix=create",
    ),
    (
        &["ioengine"],
        "ioengine=dirstat\nnrfiles=50",
        "file-size=directory",
    ),
    (
        &["ioengine"],
        "ioengine=dirdelete\nnrfiles=50",
        "mix=delete",
    ),
    (
        &["nrfiles"],
        "ioengine=filecreate\nnrfiles=50\nnumjobs=2",
        "files=100",
    ),
    (&["iodepth"], "ioengine=io_uring\niodepth=32", "depth=32"),
    (
        &["iodepth_batch"],
        "ioengine=io_uring\niodepth=32\niodepth_batch_submit=8",
        "batch=8",
    ),
    (&["hipri"], "ioengine=io_uring\nhipri", "iopoll=true"),
    (
        &["hipri"],
        "ioengine=pvsync2\nhipri\ndirect=1",
        "hipri=true",
    ),
    (&["nowait"], "ioengine=pvsync2\nnowait=1", "nowait=true"),
    (&["uncached"], "ioengine=pvsync2\nuncached", "uncached=true"),
    (
        &["atomic"],
        "ioengine=pvsync2\ndirect=1\natomic=1",
        "atomic=true",
    ),
    (
        &["atomic"],
        "ioengine=libaio\niodepth=4\ndirect=1\natomic=1",
        "engine=libaio",
    ),
    (
        &["pingpong"],
        "ioengine=net\nrw=write\nhostname=far\nport=8890\npingpong=1\nsize=1m",
        "mix=ping-pong",
    ),
    (
        &["sqthread_poll"],
        "ioengine=io_uring\nsqthread_poll=1",
        "sqpoll=true",
    ),
    (
        &["fixedbufs"],
        "ioengine=io_uring\nfixedbufs",
        "registered=true",
    ),
    (
        &["registerfiles"],
        "ioengine=io_uring\nregisterfiles=0",
        "registered=false",
    ),
    (&["size"], "size=${SIZE}", "size=64m"),
    (&["size"], "size=${SIZE}", "bytes=64m"),
    (&["filesize"], "filesize=1m\nnrfiles=4", "size=4m"),
    (&["io_size"], "size=1m\nio_size=8m", "bytes=8m"),
    (
        &["number_ios"],
        "size=1m\nnumber_ios=9\nnumjobs=2",
        "operations=18",
    ),
    (&["offset"], "size=1m\noffset=2m", "start=2m"),
    (
        &["offset_increment"],
        "filename=x\nsize=1m\nnumjobs=4\noffset_increment=1m",
        "layout=own",
    ),
    (
        &["offset_increment"],
        "filename=x\nsize=1m\nnumjobs=4\noffset_increment=1m",
        "size=4m",
    ),
    (&["numjobs"], "numjobs=4\nsize=1m", "workers=4"),
    (&["numjobs"], "numjobs=4\nsize=1m", "layout=own"),
    (&["numjobs"], "numjobs=4\nsize=1m", "bytes=4m"),
    (
        &["filename"],
        "filename=/dev/nvme0n1",
        "target=/dev/nvme0n1",
    ),
    (&["filename"], "filename=a\\:b", "target=a:b"),
    (&["prio"], "prio=3", "io-priority=best-effort:3"),
    (&["prioclass"], "prioclass=3", "io-priority=idle"),
    (
        &["file_service_type"],
        "filename=x:y\nfile_service_type=sequential",
        "path-order=one-by-one",
    ),
    (&["directory"], "directory=/mnt/x", "target=/mnt/x/"),
    (
        &["directory", "filename"],
        "directory=/mnt/x\nfilename=y",
        "target=/mnt/x/y",
    ),
    (
        &["filename_format"],
        "filename_format=shared.$filenum\nnumjobs=2",
        "target=shared.0",
    ),
    (&["fsync"], "rw=write\nfsync=8", "fsync-every=8"),
    (&["fsync"], "rw=write\nfsync=8", "flush-metadata=true"),
    (&["fdatasync"], "rw=write\nfdatasync=4", "fsync-every=4"),
    (&["direct"], "direct=1", "direct=true"),
    (&["buffered"], "direct=1\nbuffered=1", "direct=false"),
    (&["sync"], "sync=dsync", "sync=dsync"),
    (&["end_fsync"], "rw=write\nend_fsync=1", "flush-at-end=true"),
    (
        &["fsync"],
        "rw=write\nbs=4k\nsize=66k\nfsync=4",
        "last-flush=true",
    ),
    (
        &["end_fsync"],
        "rw=write\nbs=4k\nsize=16k\nloops=3\nend_fsync=1",
        "pass-flushes=1",
    ),
    (
        &["fsync_on_close"],
        "rw=write\nbs=4k\nsize=16k\nloops=3\nfsync_on_close=1",
        "pass-flushes=2",
    ),
    (
        &["fsync", "fdatasync"],
        "rw=write\nfsync=2\nfdatasync=4",
        "flush-metadata=true",
    ),
    (
        &["percentage_random"],
        "rw=randread\nbs=4k\npercentage_random=80",
        "access=4k reads 100 random 80 places once after same align 4k",
    ),
    (
        &["fsync_on_close"],
        "rw=write\nfsync_on_close=1",
        "flush-at-end=true",
    ),
    (&["sync"], "sync=1", "sync=sync"),
    (&["loops"], "size=1m\nloops=3\nruntime=9", "bytes=3m"),
    (
        &["fallocate"],
        "rw=write\nsize=1m\nfallocate=native",
        "preallocate=true",
    ),
    (&["runtime"], "runtime=2m", "time=2m"),
    (
        &["time_based"],
        "size=1m\nruntime=5\ntime_based=1",
        "time=5s",
    ),
    (&["ramp_time"], "ramp_time=3", "warm-up=3s"),
    (&["log_avg_msec"], "log_avg_msec=250", "interval=250ms"),
    (&["log_avg_msec"], "log_avg_msec=1", "interval=10ms"),
    (
        &["verify_dump"],
        "rw=write\nverify=md5\nsize=1m\nverify_dump=1",
        "dump-mismatches=.",
    ),
    (
        &["verify_async"],
        "rw=write\nverify=md5\nsize=1m\nverify_async=2",
        "verify-threads=2",
    ),
    (
        &["verify_async_cpus"],
        "rw=write\nverify=md5\nsize=1m\nverify_async=2\nverify_async_cpus=0",
        "verify-pin=0",
    ),
    (
        &["verify_backlog"],
        "rw=write\nverify=md5\nsize=1m\nverify_backlog=8",
        "verify-backlog=8",
    ),
    (
        &["verify_backlog_batch"],
        "rw=write\nverify=md5\nsize=1m\nverify_backlog=8\nverify_backlog_batch=3",
        "verify-backlog-batch=3",
    ),
    (
        &["verify_only"],
        "rw=randwrite\nverify=crc32c\nverify_only\nsize=1m",
        "verify-existing=true",
    ),
    (
        &["bsrange"],
        "rw=randwrite\nbsrange=4k-64k\nsize=1m",
        "offsets=random-map",
    ),
    (
        &["verify", "do_verify"],
        "rw=write\nverify=crc32c\ndo_verify=0\nsize=1m",
        "verify=true",
    ),
    (
        &["do_verify"],
        "rw=write\nverify=crc32c\ndo_verify=0\nsize=1m",
        "read-back=false",
    ),
    (
        &["iodepth_batch_complete_max"],
        "ioengine=libaio\niodepth=16\niodepth_batch_complete_max=8",
        "reap=8",
    ),
    (
        &["iodepth_batch"],
        "ioengine=libaio\niodepth=16\niodepth_batch=0",
        "batch=16",
    ),
    (
        &["verify_pattern"],
        "rw=write\nverify=pattern\nverify_pattern=0xff%o\nsize=1m",
        "verify=true",
    ),
    (
        &["verify_pattern"],
        "rw=write\nverify=pattern\nverify_pattern=0xdeadbeef\nsize=1m",
        "verify-as=pattern pattern=deadbeef",
    ),
    (
        &[
            "verify_interval",
            "verify_offset",
            "verify_pattern_interval",
        ],
        "rw=write\nbs=4k\nverify=pattern_hdr\nverify_pattern=%o\nverify_interval=2k\nverify_offset=512\nverify_pattern_interval=100\nsize=1m",
        "verify-as=pattern_hdr interval=2k header-at=512 pattern=%o pattern-interval=100",
    ),
    (
        &["verify_interval"],
        "rw=write\nbsrange=4k-16k\nverify=md5\nverify_interval=3k\nsize=1m",
        "verify-as=md5",
    ),
    (
        &["verify_only"],
        "rw=randrw\nverify=md5\nverify_only\nsize=1m",
        "verify-as=md5 skip-unmarked",
    ),
    (
        &["verify_only"],
        "rw=randwrite\nnorandommap\nverify=md5\nverify_only\nsize=1m",
        "offsets=sequential",
    ),
    (
        &["verify_fatal"],
        "rw=read\nverify=md5\nverify_fatal=1\nfilename=x",
        "stop-at-mismatch=true",
    ),
    (
        &["verify", "randseed"],
        "rw=randwrite\nrandseed=7\nverify=md5\nsize=1m",
        "seed=7",
    ),
    (&["zero_buffers"], "rw=write\nzero_buffers", "content=zeros"),
    (
        &["refill_buffers"],
        "rw=write\nrefill_buffers",
        "content=random",
    ),
    (
        &["scramble_buffers"],
        "rw=write\nscramble_buffers=0",
        "content=reused",
    ),
    (
        &["scramble_buffers"],
        "rw=write\nscramble_buffers=1",
        "content=scrambled",
    ),
    (
        &["buffer_pattern"],
        "rw=write\nbuffer_pattern=\"ab\"",
        "content=pattern:6162",
    ),
    (
        &["buffer_compress_percentage"],
        "rw=write\nbuffer_compress_percentage=40",
        "compress-percent=40",
    ),
    (
        &["dedupe_percentage"],
        "rw=write\ndedupe_percentage=25",
        "dedupe-percent=25",
    ),
    (&["thinktime"], "thinktime=100", "think-time=100us"),
    (
        &["thinktime_blocks"],
        "thinktime=5ms\nthinktime_blocks=16",
        "burst-operations=16",
    ),
    (
        &["thinktime"],
        "ioengine=libaio\niodepth=4\nthinktime=5ms",
        "burst-pause=5ms",
    ),
    (
        &["rate_ignore_thinktime"],
        "thinktime=300ms\nthinktime_blocks=5\nrate_iops=20\nrate_ignore_thinktime=1",
        "rate-ignores-pauses=true",
    ),
    (&["rate"], "rate=1m\nbs=4k", "rate=256"),
    (&["rate_iops"], "rate_iops=500\nnumjobs=2", "rate=1000"),
    (
        &["rate_iops"],
        "rw=randrw\nrate_iops=300,100",
        "mix=read:300,write:100",
    ),
    (
        &["rate_process"],
        "rate_iops=500\nrate_process=poisson",
        "arrivals=poisson",
    ),
    (&["cpus_allowed"], "cpus_allowed=0-3,8", "pin=0-3,8"),
    (
        &["cpus_allowed_policy"],
        "cpus_allowed=2\ncpus_allowed_policy=split",
        "pin=2",
    ),
    (&["cpumask"], "cpumask=5", "pin=0,2"),
    (&["numa_cpu_nodes"], "numa_cpu_nodes=1", "pin=numa:1"),
    (
        &["disable_slat"],
        "ioengine=libaio\ndisable_slat=1",
        "submission-latency=false",
    ),
    (
        &["gtod_reduce"],
        "ioengine=libaio\ngtod_reduce=1",
        "submission-latency=false",
    ),
    (&["startdelay"], "size=1m\nstartdelay=5", "start-delay=5s"),
    (
        &["latency_target"],
        "latency_target=500",
        "latency-limit=500us",
    ),
    (
        &["latency_target", "latency_percentile"],
        "latency_target=2ms\nlatency_percentile=99.9",
        "latency-limit-percentile=99.9",
    ),
    (
        &["latency_window"],
        "ioengine=libaio\niodepth=8\nlatency_target=2ms\nlatency_window=5s",
        "time=5s",
    ),
    (
        &["latency_target"],
        "ioengine=libaio\niodepth=8\nruntime=60\nlatency_target=2ms",
        "time=10s",
    ),
    (
        &["steadystate"],
        "runtime=5m\nss=iops:2%\nss_dur=30s\nss_ramp=10",
        "until-steady=iops deviation 2% over 30s after 10s",
    ),
    (
        &["steadystate_ramp_time"],
        "runtime=5m\nss=iops:2%\nss_dur=30s\nss_ramp=10",
        "until-steady=iops deviation 2% over 30s after 10s",
    ),
    (
        &["steadystate_duration"],
        "ss=bw_slope:1m\nsteadystate_duration=60",
        "until-steady=bandwidth slope 1m over 1m",
    ),
    (
        &["steadystate_check_interval"],
        "ss=iops_slope:0.1%\nss_dur=5m\nss_interval=30",
        "interval=30s",
    ),
    (&["unlink"], "unlink=0", "keep=true"),
    (&["write_iolog"], "write_iolog=log", "write-iolog=log"),
    (
        &["cmdprio_percentage"],
        "ioengine=libaio\ncmdprio_percentage=20",
        "urgent=read 20% realtime:0",
    ),
    (
        &["cmdprio_class"],
        "ioengine=libaio\ncmdprio_percentage=20\ncmdprio_class=2",
        "urgent=read 20% best-effort:0",
    ),
    (
        &["cmdprio"],
        "ioengine=io_uring\ncmdprio_percentage=20\ncmdprio=3",
        "urgent=read 20% realtime:3",
    ),
    (
        &["cmdprio_bssplit"],
        "ioengine=libaio\nrw=rw\ncmdprio_class=,2\ncmdprio_bssplit=64k/25/1/1:64k/75/3/2:1m/0,4k/30",
        "urgent=read 64k 25% realtime:1, read 64k 75% idle, write 4k 30% best-effort:0",
    ),
    (
        &["dedupe_mode"],
        "rw=write\nsize=1m\ndedupe_percentage=50\ndedupe_mode=working_set",
        "dedupe-set=12",
    ),
    (
        &["dedupe_working_set_percentage"],
        "rw=write\nsize=1m\ndedupe_percentage=50\ndedupe_mode=working_set\ndedupe_working_set_percentage=50",
        "dedupe-set=128",
    ),
    (
        &["dedupe_global"],
        "rw=write\nsize=1m\ndedupe_percentage=50\ndedupe_mode=working_set\ndedupe_global=1",
        "dedupe-set=12 shared",
    ),
    (&["unlink"], "unlink=1", "keep=false"),
    (
        &["random_sequence_stride"],
        "rw=randread\nrandom_distribution=sequence:2,0,1\nrandom_sequence_stride=1",
        "offsets=listed-moving:2,0,1",
    ),
    (
        &["rw_sequencer"],
        "rw=randread:8\nrw_sequencer=identical",
        "offsets=random-repeats:8",
    ),
    (
        &["numa_mem_policy"],
        "numa_mem_policy=prefer:0",
        "memory-policy=prefer:0",
    ),
    (
        &["nfs_url"],
        "ioengine=nfs\nnfs_url=nfs://server/export",
        "target=nfs://server/export/",
    ),
    (
        &["hostname", "port", "protocol"],
        "ioengine=net\nrw=write\nhostname=far\nport=8890\nprotocol=tcp\nsize=1m",
        "target=tcp://far:8890",
    ),
    (
        &["nodelay"],
        "ioengine=net\nrw=write\nhostname=far\nport=8890\nnodelay=1\nsize=1m",
        "no-delay=true",
    ),
    (
        &["window_size"],
        "ioengine=net\nrw=write\nhostname=far\nport=8890\nwindow_size=64k\nsize=1m",
        "window=64k",
    ),
    (
        &["interface", "ttl"],
        "ioengine=net\nrw=write\nhostname=239.0.0.1\nport=8890\nprotocol=udp\nsize=1m\nttl=3\ninterface=10.0.0.1",
        "multicast-ttl=3",
    ),
];

/// Supported options for steps, names and the state of files, which have their own tests.
const OF_STEPS: &[&str] = &[
    "group_reporting",
    "description",
    "name",
    "stonewall",
    "exitall",
    "exitall_on_error",
    "latency_run",
    "invalidate",
    "fadvise_hint",
    "overwrite",
    "percentage_sequential",
    "wait_for",
    "create_only",
    "pre_read",
    "ioscheduler",
    "fill_device",
    "allow_file_create",
    "exec_prerun",
    "exec_postrun",
    "listen",
    "cpuload",
    "cpuchunks",
    "cpumode",
    "exit_on_io_done",
    "program",
    "arguments",
    "grace_time",
    "std_redirect",
    // Reads the same blocks back, in the order of the writes.
    "experimental_verify",
];

#[test]
fn every_honoured_option_gives_a_key() {
    for (options, text, expected) in SUPPORTED {
        let keys = main_keys(&format!("[a]\n{text}\n"));
        assert!(
            keys.iter().any(|key| key == expected),
            "{options:?}: {text}: {keys:?}"
        );
        // Without the option, the key is absent.
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| !options.iter().any(|option| is_of(line, option)))
            .collect();
        assert!(
            lines.len() < text.lines().count(),
            "{options:?} does not stand in {text}"
        );
    }
    let shown: BTreeSet<&str> = SUPPORTED
        .iter()
        .flat_map(|(options, ..)| options.iter().copied())
        .chain(OF_STEPS.iter().copied())
        .collect();
    let known = options(Keys::get());
    let honoured: BTreeSet<&str> = known
        .iter()
        .filter(|option| option.class == Class::Honoured)
        .map(|option| option.name)
        .collect();
    // Options with the same values as keys have their own test below.
    let keys = Keys::get();
    let as_they_are: BTreeSet<&str> = keys
        .all()
        .iter()
        .filter_map(|key| key.traits.fio.as_ref())
        .filter(|fio| fio.is_read_as_it_is)
        .map(|fio| fio.name.as_str())
        .collect();
    assert!(!as_they_are.is_empty());
    let all: BTreeSet<&str> = shown.union(&as_they_are).copied().collect();
    assert_eq!(all, honoured);
}

#[test]
fn options_of_keys_with_the_same_values_become_these_keys() {
    for key in Keys::get().all() {
        let Some(fio) = key.traits.fio.as_ref().filter(|fio| fio.is_read_as_it_is) else {
            continue;
        };
        let (given, expected) = match (key.unit, key.form) {
            (KeyUnit::Bytes, _) => ("4k", "4k".to_string()),
            (KeyUnit::Nanos, _) => ("3", Nanos(3 * fio.bare_ns).to_string()),
            (KeyUnit::Plain, KeyForm::Flag) => ("1", "true".to_string()),
            _ => ("3", "3".to_string()),
        };
        let text = |option: &str| {
            let job = job(&format!("[a]\nrw=write\nsize=1m\n{option}\n"));
            let entries = &job.plan.steps[0].main.entries;
            let found = entries.iter().find(|entry| entry.key == key.name);
            found.map(|entry| entry.text.clone())
        };
        assert_eq!(text(&format!("{}={given}", fio.name)), Some(expected));
        assert_eq!(text(""), None, "{}: only where it is given", key.name);
    }
    let read = job("[a]\nrw=read\nsize=1m\nend_fsync=1\n");
    let entries = &read.plan.steps[0].main.entries;
    assert!(
        entries.iter().all(|entry| entry.key != "flush-at-end"),
        "as fio, it leaves out what the operations have no use for"
    );
}

fn is_of(line: &str, option: &str) -> bool {
    let name = line.split('=').next().unwrap_or_default();
    options(Keys::get())
        .iter()
        .any(|kind| kind.name == option && (kind.name == name || kind.aliases.contains(&name)))
}

/// The committed list is what fio 3.33 prints.
const FIO_3_33: &str = include_str!("../../../../testdata/fio/cmdhelp-3.33.txt");

#[test]
fn every_option_of_fio_is_in_exactly_one_class() {
    let mut count = 0;
    let known = options(Keys::get());
    for line in FIO_3_33.lines().filter(|line| !line.starts_with('#')) {
        let mut names = line.split(' ');
        let name = names.next().expect("a name");
        let kinds: Vec<&OptionKind> = known.iter().filter(|option| option.name == name).collect();
        let [kind] = kinds.as_slice() else {
            panic!("{name} is in {} classes", kinds.len())
        };
        for alias in names {
            assert!(
                kind.aliases.contains(&alias),
                "{name} is also written {alias}"
            );
        }
        count += 1;
    }
    assert_eq!(count, 217);
    let mut names: Vec<&str> = known
        .iter()
        .flat_map(|option| option.aliases.iter().chain([&option.name]))
        .copied()
        .collect();
    names.sort_unstable();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all, "no name stands for two options");
}

#[test]
fn options_without_effect_are_named_in_one_list_and_refused_ones_with_what_to_do() {
    for option in options(Keys::get()) {
        let line = format!("[a]\nsize=1m\n{}=17\n", option.name);
        match option.class {
            Class::Honoured => {}
            Class::WithoutEffect => {
                let remarks = job(&line).remark_lines(&[]);
                assert_eq!(
                    remarks.last(),
                    Some(&format!("accepted, without effect here: {}", option.name))
                );
            }
            Class::Refused { unless, instead } => {
                let error = refused(&line);
                assert!(
                    error.contains("dir/my.fio, line 3")
                        && error.contains(option.name)
                        && error.contains(instead),
                    "{error}"
                );
                for off in unless {
                    job(&format!(
                        "[a]\nsize=1m\nzonesize=64k\n{}={off}\n",
                        option.name
                    ));
                }
            }
        }
    }
    let error = refused("[a]\nreed_iolog=x\nopendir=x\nbsx=3\n");
    assert!(
        error.contains("did you mean 'read_iolog'")
            && error.contains("line 3: opendir")
            && error.contains("line 4"),
        "{error}"
    );
}

#[test]
fn a_replay_takes_its_requests_from_the_log() {
    let text = "[a]\nread_iolog=some.log\nrw=randwrite\nbs=8k\nsize=1g\ndirectory=/mnt\nioengine=libaio\niodepth=8\ndirect=1\nnumjobs=2\nruntime=5\n";
    let found = job(text);
    assert_eq!(
        keys(&found.plan.steps[0].main),
        [
            "batch=1",
            "content=scrambled",
            "depth=8",
            "direct=true",
            "engine=libaio",
            "reap=1",
            "replay=some.log",
            "submission-latency=true",
            "target=/mnt/",
            "time=5s",
            "workers=2"
        ]
    );
    let remarked = found.remarks.join("; ");
    assert!(
        remarked.contains("rw, bs, size: read_iolog replaces them")
            && remarked.contains("are not touched"),
        "{remarked}"
    );
    let once = job("[a]\nread_iolog=some.log\nloops=3\nruntime=9\ntime_based\n");
    assert_eq!(
        (
            once.plan.rounds,
            once.remarks
                .iter()
                .filter(|remark| remark.contains("as in fio"))
                .count()
        ),
        (1, 2)
    );
    let idle = job("[a]\nreplay_scale=8\nsize=1m\n")
        .remark_lines(&[])
        .join("; ");
    assert!(
        idle.contains("replay_scale has no effect without read_iolog"),
        "{idle}"
    );
    for (option, expected) in [
        ("read_iolog=a:b", "several logs"),
        ("read_iolog=-", "standard input"),
        (
            "read_iolog=x\nrate_iops=5",
            "takes its requests and their times from the log",
        ),
        ("read_iolog=x\nverify=md5", "remove it"),
        ("read_iolog=x\nioengine=filecreate", "file operations"),
        (
            "read_iolog=x\nreplay_skip=everything",
            "nothing that a replay could leave out",
        ),
    ] {
        let error = refused(&format!("[a]\n{option}\n"));
        assert!(
            error.contains(expected) && error.contains("dir/my.fio, line"),
            "{error}"
        );
    }
}

#[test]
fn sections_are_jobs_of_one_step_until_a_stonewall() {
    let job = job(
        "[global]\nbs=4k\nioengine=libaio\niodepth=4\nsize=1g\ndirect=1\nruntime=60\ndirectory=/mnt\nfilename=ssd.test.file\n\n\
         [seq-read]\nrw=read\nstonewall\n\n[rand-read]\nrw=randread\nstonewall\n\n[seq-write]\nrw=write\nstonewall\n[beside]\nrw=randwrite\nbs=8k\n",
    );
    let names: Vec<(&str, Vec<&str>)> = job
        .plan
        .steps
        .iter()
        .map(|step| {
            (
                step.main.name.as_str(),
                step.beside.iter().map(|job| job.name.as_str()).collect(),
            )
        })
        .collect();
    assert_eq!(
        names,
        [
            ("seq-read", vec![]),
            ("rand-read", vec![]),
            ("seq-write", vec!["beside"])
        ]
    );
    assert!(keys(&job.plan.steps[2].beside[0]).contains(&"block=8k".to_string()));
    // Each ends on its own, as in fio.
    assert!(keys(&job.plan.steps[2].beside[0]).contains(&"to-its-end=true".to_string()));
}

#[test]
fn the_job_that_runs_longest_is_the_main_one() {
    let text = "[a]\nruntime=5\ntime_based\nsize=1m\n[b]\nruntime=9\ntime_based\nsize=1m\n";
    assert_eq!(job(text).plan.steps[0].main.name, "b");
    assert!(
        !job(text)
            .remarks
            .iter()
            .any(|remark| remark.contains("this step ends"))
    );
    let of_all = |more: &str| {
        let step = &job(&text.replace("[b]\n", more)).plan.steps[0];
        let keys = keys(&step.main);
        keys.into_iter().find(|key| key.starts_with("ends-step"))
    };
    assert_eq!(of_all("[b]\n"), None);
    assert_eq!(
        of_all("[b]\nexitall\n").as_deref(),
        Some("ends-step=always")
    );
    let on_error = of_all("[b]\nexitall_on_error=1\n");
    assert_eq!(on_error.as_deref(), Some("ends-step=on-error"));
}

#[test]
fn global_sections_concern_what_is_below_them() {
    let job = job(
        "[global]\nbs=8k\nstonewall\nsize=1m\n[a]\n[global]\nbs=16k\n[b]\n[c]\nbs=32k\nname=d\n",
    );
    let blocks: Vec<String> = job
        .plan
        .steps
        .iter()
        .map(|step| format!("{} {}", step.main.name, keys(&step.main)[1]))
        .collect();
    assert_eq!(blocks, ["a block=8k", "b block=16k", "d block=32k"]);
}

#[test]
fn included_files_variables_and_keywords() {
    let files = [
        ("glob.fio", "bs=8k\ninclude=deeper.fio\n"),
        ("deeper.fio", "# nothing\nrw=randread\n"),
        ("loop.fio", "include loop.fio\n"),
        ("head.fio", "[x]\n"),
    ];
    let job = read_with(
        "[global]\ninclude glob.fio\n[a]\nsize=8*$pagesize\nnumjobs=$ncpus\n",
        &files,
    )
    .expect("a job");
    let keys = keys(&job.plan.steps[0].main);
    for key in [
        "block=8k",
        "mix=read",
        "offsets=random",
        "size=256k",
        "workers=8",
    ] {
        assert!(keys.contains(&key.to_string()), "{key}: {keys:?}");
    }
    for (text, expected) in [
        (
            "[a]\ninclude none.fio",
            "line 2: 'none.fio' cannot be included: there is no none.fio",
        ),
        ("[a]\ninclude loop.fio", "deeper than"),
        (
            "[a]\ninclude head.fio",
            "head.fio, line 1: an included file has a section",
        ),
        ("[a]\nsize=${NOTHING}", "variable NOTHING is not set"),
        ("[a]\nsize=${SIZE", "} is missing"),
        ("[a]\nsize=2*$mb_memory", "unknown on this system"),
        ("size=1m\n[a]", "before the first section"),
        ("[global]\nbs=4k", "it contains no job"),
        ("", "it contains no job"),
        ("[a\nbs=4k", "] is missing"),
        ("[a]\ndirect", "needs a value"),
        ("[a]\nsize=", "size needs a value"),
    ] {
        let error = read_with(text, &files).expect_err(text).to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn what_is_written_with_verify_is_read_back_in_a_step_after_it() {
    let job = job(
        "[write-and-verify]\nrw=randwrite\nbs=4k\nsize=4m\nverify=crc32c\nnumjobs=2\n[beside]\nrw=randread\nsize=1m\n",
    );
    let [written, read_back] = job.plan.steps.as_slice() else {
        panic!("two steps")
    };
    assert_eq!(
        (written.main.name.as_str(), read_back.main.name.as_str()),
        ("write-and-verify", "write-and-verify verify")
    );
    assert_eq!(
        keys(&read_back.main),
        [
            "access-hint=random",
            "block=4k",
            "cold=true",
            "engine=sync",
            "layout=own",
            "mix=read",
            "offsets=random",
            "passes=1",
            "seed=1",
            "size=8m",
            "target=.",
            "verify-as=crc32c",
            "verify=true",
            "workers=2",
            "written-only=true"
        ]
    );
    assert!(read_back.beside.is_empty());
}

/// As under fio, unless randrepeat=0; others only if they request it.
#[test]
fn jobs_that_verify_repeat_their_order() {
    let seeds = |options: &str| -> Vec<Option<String>> {
        let text = format!(
            "[global]\nrw=randwrite\nsize=1m\nverify=md5\n{options}[a]\nnumjobs=2\n[b]\nstonewall\n[c]\nstonewall\nverify=0\n[d]\nstonewall\nverify=0\nrandrepeat=1\n"
        );
        let plan = job(&text).plan;
        let names = ["a", "b", "c", "d"];
        let main = |name: &&str| plan.steps.iter().find(|step| step.main.name == **name);
        let seed = |step: &crate::StepFile| {
            let mut keys = keys(&step.main).into_iter();
            keys.find_map(|key| Some(key.strip_prefix("seed=")?.to_string()))
        };
        let steps = names.iter().map(|name| seed(main(name).expect("a step")));
        steps.collect()
    };
    let own = |numbers: [u64; 4]| numbers.map(|number| (number > 0).then(|| number.to_string()));
    assert_eq!(seeds(""), own([1, 3, 0, 5]));
    assert_eq!(seeds("randrepeat=0\n"), own([0, 0, 0, 5]));
    assert_eq!(seeds("randrepeat=0\nallrandrepeat=1\n"), own([1, 3, 4, 5]));
    assert_eq!(seeds("allrandrepeat=0\n"), own([0; 4]));
    assert_eq!(seeds("randseed=9\n"), own([9, 11, 12, 13]));
}

#[test]
fn loops_are_rounds_where_no_runtime_cuts_them_off() {
    let twice = job("[a]\nsize=1m\nloops=2\n[b]\nsize=1m\nloops=2\nstonewall\n");
    assert_eq!(
        (
            twice.plan.rounds,
            keys(&twice.plan.steps[0].main)[2].as_str()
        ),
        (2, "bytes=1m")
    );
    let unlike = job("[a]\nsize=1m\nloops=2\n[b]\nsize=1m\nstonewall\n");
    assert_eq!(
        (
            unlike.plan.rounds,
            keys(&unlike.plan.steps[0].main)[2].as_str()
        ),
        (1, "bytes=2m")
    );
}

/// fio writes, reads back, and writes again; its next job begins when all loops of the first have ended.
#[test]
fn each_loop_is_read_back_before_the_next_writes() {
    let text = "[a]\nrw=write\nsize=1m\nloops=2\nverify=crc32c\n[b]\nrw=read\nsize=1m\nloops=2\nstonewall\n";
    let plan = resolve(&job(text).plan, &Overrides::default(), PlanKind::File).expect("a plan");
    let names = plan.schedule().into_iter();
    let names: Vec<&str> = names
        .map(|(step, _)| plan.steps[step].name.as_str())
        .collect();
    assert_eq!(names, ["a", "a verify", "a", "a verify", "b", "b"]);
}

#[test]
fn files_enter_a_step_as_under_fio() {
    let has = |text: &str, key: &str| main_keys(&format!("[a]\n{text}")).contains(&key.to_string());
    for text in [
        "size=1m\n",
        "rw=write\nsize=1m\n",
        "rw=write\nverify=crc32c\nsize=1m\n",
        "filename=x\n",
    ] {
        assert!(has(text, "cold=true"), "{text}");
    }
    for text in [
        "size=1m\ninvalidate=0\n",
        "size=1m\ndirect=1\n",
        "ioengine=null\nsize=1m\n",
        "ioengine=filecreate\nnrfiles=3\n",
    ] {
        assert!(!has(text, "cold=true"), "{text}");
    }
    // What fio 3.42 does, by strace: each pass of a job that ends by its time begins without pages, if it goes over each block once.
    for (text, expected) in [
        ("size=1m\ntime_based\nruntime=1\n", true),
        ("rw=randread\nsize=1m\ntime_based\nruntime=1\n", true),
        (
            "rw=randread\nnorandommap\nsize=1m\ntime_based\nruntime=1\n",
            false,
        ),
        ("size=1m\ntime_based\nruntime=1\ninvalidate=0\n", false),
        ("read_iolog=some.log\ntime_based\nruntime=1\n", false),
        ("size=1m\ntime_based\nruntime=1\ndirect=1\n", false),
        ("size=1m\n", false),
    ] {
        assert_eq!(has(text, "cold-passes=true"), expected, "{text}");
    }
    for (text, hint) in [
        ("size=1m\n", Some("sequential")),
        ("rw=randrw\nsize=1m\n", Some("random")),
        (
            "rw=randread\nsize=1m\nfadvise_hint=sequential\n",
            Some("sequential"),
        ),
        ("size=1m\nfadvise_hint=noreuse\n", Some("noreuse")),
        ("size=1m\nfadvise_hint=0\n", None),
        ("size=1m\ndirect=1\n", None),
        ("ioengine=null\nsize=1m\n", None),
    ] {
        let keys = main_keys(&format!("[a]\n{text}"));
        let found = keys.iter().find_map(|key| key.strip_prefix("access-hint="));
        assert_eq!(found, hint, "{text}");
    }
    assert!(has("rw=randwrite\nsize=1m\n", "fresh=true"));
    for text in [
        "rw=write\nsize=1m\nfilename=x\n",
        "rw=write\nsize=1m\nfilename=x\nnumjobs=2\n",
        "rw=write\nsize=1m\nunlink=0\n",
        "rw=write\nsize=1m\nnrfiles=2\nloops=2\n",
        "rw=write\nsize=1m\nfilename=x\nverify=md5\n",
    ] {
        assert!(has(text, "unfilled=true"), "{text}");
    }
    for text in [
        "rw=write\nsize=1m\nfilename=x\noverwrite=1\n",
        "rw=rw\nsize=1m\nfilename=x\n",
        "rw=write\nsize=1m\n",
    ] {
        assert!(!has(text, "unfilled=true"), "{text}");
    }
    for text in ["rw=write\nsize=1m\n", "rw=write\nsize=1m\nfilename=x\n"] {
        assert!(has(text, "preallocate=true"), "{text}");
        for mode in ["none", "keep", "truncate"] {
            let text = format!("{text}fallocate={mode}\n");
            assert!(!has(&text, "preallocate=true"), "{text}");
        }
    }
    assert!(has("rw=randrw\nsize=1m\nunlink=0\n", "reuse=true"));
    assert!(!has(
        "rw=randrw\nsize=1m\nunlink=0\nfilename=x\n",
        "reuse=true"
    ));
    for text in [
        "rw=write\nsize=1m\noverwrite=1\n",
        "rw=write\nsize=1m\nfilename=x\n",
        "rw=write\nsize=1m\nverify=md5\n",
        "rw=write\nsize=1m\noffset=1m\n",
        "rw=write\nsize=1m\nloops=2\n",
        "rw=rw\nsize=1m\n",
        "size=1m\n",
    ] {
        assert!(!has(text, "fresh=true"), "{text}");
    }
    let read_back = &job("[a]\nrw=write\nsize=1m\nverify=md5\n").plan.steps[1].main;
    assert!(keys(read_back).contains(&"cold=true".to_string()));
}

#[test]
fn a_file_whose_size_is_not_said_is_gone_over_once() {
    let passes = |text: &str| {
        main_keys(text)
            .into_iter()
            .find(|key| key.starts_with("passes"))
    };
    assert_eq!(passes("[a]\nfilename=/dev/x\n"), Some("passes=1".into()));
    assert_eq!(
        passes("[a]\nfilename=/dev/x\nnumjobs=3\nloops=2\nruntime=60\n"),
        Some("passes=6".into())
    );
    assert_eq!(
        passes("[a]\nfilename=/dev/x\noffset_increment=1m\nnumjobs=3\n"),
        Some("passes=1".into()),
        "each clone over its own"
    );
    for text in [
        "[a]\nfilename=x\nsize=1m\n",
        "[a]\nfilename=x\nruntime=5\ntime_based\n",
        "[a]\ndirectory=x\n",
        "[a]\nioengine=null\n",
    ] {
        assert_eq!(passes(text), None, "{text}");
    }
}

#[test]
fn clones_at_offsets_that_do_not_follow_each_other_are_jobs() {
    let job =
        job("[a]\nfilename=x\nsize=1m\nnumjobs=3\noffset=1m\noffset_increment=4m\nrate_iops=10\n");
    let step = &job.plan.steps[0];
    let starts: Vec<String> = step
        .beside
        .iter()
        .chain([&step.main])
        .map(|job| {
            format!(
                "{} {:?}",
                job.name,
                keys(job).iter().rfind(|key| key.starts_with("start"))
            )
        })
        .collect();
    assert_eq!(
        starts,
        [
            "a.1 Some(\"start=5m\")",
            "a.2 Some(\"start=9m\")",
            "a.0 Some(\"start=1m\")"
        ]
    );
    assert!(
        keys(&step.main).contains(&"rate=10".to_string())
            && keys(&step.main).contains(&"bytes=1m".to_string())
    );
}

#[test]
fn names_are_unique_and_printable() {
    let job = job(
        "[a\t\u{7}b]\nstonewall\nsize=1m\n[a]\nstonewall\nsize=1m\n[a]\nstonewall\nsize=1m\n[main]\nsize=1m\n[main]\nsize=1m\n[]\nstonewall\nsize=1m\n",
    );
    let names: Vec<&str> = job
        .plan
        .steps
        .iter()
        .map(|step| step.main.name.as_str())
        .collect();
    assert_eq!(names, ["a  b", "a", "a (2)", "job"]);
    let beside: Vec<&str> = job.plan.steps[2]
        .beside
        .iter()
        .map(|job| job.name.as_str())
        .collect();
    assert_eq!(beside, ["main (2)", "main (3)"]);
}

/// fio counts a delay from its own start, regardless of stonewall.
#[test]
fn delays_are_what_is_left_of_them_when_a_step_begins() {
    let text = "[global]\nsize=1m\ntime_based\nruntime=10\n[a]\n[b]\nstartdelay=4\nruntime=3\n[c]\nstonewall\nstartdelay=12\n[d]\nstartdelay=8\n";
    let timed = job(text);
    let delays = |job: &FioJob| -> Vec<String> {
        let jobs = job
            .plan
            .steps
            .iter()
            .flat_map(|step| std::iter::once(&step.main).chain(&step.beside));
        jobs.map(|job| {
            format!(
                "{} {}",
                job.name,
                keys(job)
                    .iter()
                    .find(|key| key.starts_with("start-delay"))
                    .map_or("", String::as_str)
            )
        })
        .collect()
    };
    assert_eq!(
        delays(&timed),
        ["a ", "b start-delay=4s", "c start-delay=2s", "d "]
    );
    assert!(
        timed
            .remarks
            .iter()
            .any(|remark| remark
                .starts_with("[c]: startdelay: fio counts it from its own start; 2s")),
        "{:?}",
        timed.remarks
    );
    let unknown = job(&text.replace("time_based\n", ""));
    assert_eq!(
        delays(&unknown),
        [
            "a ",
            "b start-delay=4s",
            "c start-delay=12s",
            "d start-delay=8s"
        ]
    );
    assert!(unknown.remarks.iter().any(|remark| {
        remark.contains("is unknown, so it is counted from the start of this one")
    }));
    // The job that ends last is the main one, also where it ends last because it begins last.
    assert_eq!(
        job("[a]\ntime_based\nruntime=9\n[b]\ntime_based\nruntime=6\nstartdelay=4\n")
            .plan
            .steps[0]
            .main
            .name,
        "b"
    );
}

const LATENCY_TARGET: &str = "[global]\nrw=randread\nioengine=libaio\niodepth=12\nlatency_target=500\nlatency_percentile=99.9\nlatency_window=5000\nlatency_run=1\nsize=1g\n[a]\n";

#[test]
fn a_latency_target_is_a_ladder_of_depths() {
    let found = job(LATENCY_TARGET);
    let step = &found.plan.steps[0];
    assert_eq!(
        step.sweep,
        [(
            "depth".to_string(),
            ["1", "2", "3", "4", "6", "8", "12"]
                .map(String::from)
                .to_vec()
        )]
    );
    assert_eq!(
        keys(&step.main),
        [
            "access-hint=random",
            "batch=1",
            "block=4k",
            "cold=true",
            "engine=libaio",
            "latency-limit-percentile=99.9",
            "latency-limit=500us",
            "mix=read",
            "offsets=random",
            "reap=1",
            "size=1g",
            "submission-latency=true",
            "target=.",
            "time=1s"
        ]
    );
    for expected in [
        "each of the depths 1, 2, 3, 4, 6, 8, 12 for 1s",
        "latency_run=1: to continue",
    ] {
        assert!(
            found.remarks.iter().any(|remark| remark.contains(expected)),
            "{expected}: {:?}",
            found.remarks
        );
    }
    let plan = resolve(&found.plan, &Overrides::default(), PlanKind::File).expect("plan");
    assert_eq!(
        plan.steps
            .iter()
            .map(|step| step.jobs[0].workload.depth)
            .collect::<Vec<_>>(),
        [1, 2, 3, 4, 6, 8, 12]
    );
    let again =
        PlanFile::parse(&as_toml(&found), "my.toml").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(
        resolve(&again, &Overrides::default(), PlanKind::File).expect("plan"),
        plan
    );
    assert!(
        job("[a]\nsize=1m\nlatency_target=500\n").plan.steps[0]
            .sweep
            .is_empty(),
        "it keeps one operation outstanding"
    );
}

#[test]
fn a_latency_target_beside_another_job_is_a_limit() {
    let two = job(&format!("{LATENCY_TARGET}[b]\n"));
    let beside = &two.plan.steps[0].beside[0];
    assert!(
        keys(beside).contains(&"depth=12".to_string())
            && keys(beside).contains(&"latency-limit=500us".to_string()),
        "{:?}",
        keys(beside)
    );
    assert!(
        two.remarks
            .iter()
            .any(|remark| remark.starts_with("[b]: latency_target: among concurrent jobs")),
        "{:?}",
        two.remarks
    );
}

#[test]
fn a_step_waits_for_the_job_that_is_to_be_steady() {
    let text = "[global]\ntime_based\nruntime=5m\nsize=1m\n[long]\nruntime=9m\n[waits]\nss=iops:2%\nss_dur=30\nnumjobs=2\nlog_avg_msec=100\n";
    let found = job(text);
    let step = &found.plan.steps[0];
    assert_eq!(
        (step.main.name.as_str(), step.beside[0].name.as_str()),
        ("waits", "long")
    );
    for expected in [
        "evaluated and stopped together",
        "log_avg_msec has no effect",
        "this step ends with this job",
    ] {
        assert!(
            found.remarks.iter().any(|remark| remark.contains(expected)),
            "{expected}: {:?}",
            found.remarks
        );
    }
    let both = job(&text.replace("[long]\n", "[long]\nss=bw:1%\nss_dur=30\n"));
    assert!(
        both.remarks
            .iter()
            .any(|remark| remark.contains("among concurrent jobs [long] is evaluated")),
        "{:?}",
        both.remarks
    );
    for (text, expected) in [
        ("runtime=20\nss_dur=30", "ends before one window"),
        ("runtime=20", "without steadystate_duration"),
    ] {
        let found = job(&format!("[a]\nss=iops:2%\n{text}\n"));
        assert!(
            found.remarks.iter().any(|remark| remark.contains(expected)),
            "{expected}: {:?}",
            found.remarks
        );
        assert!(
            !keys(&found.plan.steps[0].main)
                .iter()
                .any(|key| key.starts_with("until-steady"))
        );
    }
}

#[test]
fn the_written_plan_is_the_plan_that_was_read() {
    let text = "[global]\nioengine=libaio\nsize=8m\ngroup_reporting\nstats=1\n[a]\nrw=randrw\nbssplit=4k/60:64k/40\niodepth=8\n[b b]\nrw=write\nverify=md5\nnumjobs=2\n[c]\nstonewall\nloops=1\nrw=randread\nrate_iops=250\nrate_process=poisson\nruntime=1500ms\ncpus_allowed=0\nfilename=/x/\"y\"\n";
    let job = job(text);
    let toml = as_toml(&job);
    assert!(
        toml.starts_with("# Made from fio's job file dir/my.fio.\n")
            && toml.contains("# accepted, without effect here: stats."),
        "{toml}"
    );
    let again = PlanFile::parse(&toml, "my.toml").unwrap_or_else(|error| panic!("{error}\n{toml}"));
    let resolved = |file: &PlanFile| {
        resolve(file, &Overrides::default(), PlanKind::File)
            .unwrap_or_else(|error| panic!("{error}\n{toml}"))
    };
    assert_eq!(resolved(&again), resolved(&job.plan));
}

/// The origin of a value from a job file is the file; the command line overrides it as in any plan.
#[test]
fn the_command_line_overrides_a_job_file() {
    let job = job("[a]\nrw=randread\nsize=1m\nfilename=/x\n[b]\nstonewall\nsize=2m\n");
    let overrides = Overrides {
        set: vec![("b.depth".into(), "9".into())],
        flags: vec![("target".into(), "/else".into())],
    };
    let plan = resolve(&job.plan, &overrides, PlanKind::File).expect("plan");
    assert_eq!(plan.steps[0].jobs[0].target.to_string(), "/else");
    assert_eq!(
        (
            plan.steps[0].jobs[0].workload.depth,
            plan.steps[1].jobs[0].workload.depth
        ),
        (1, 9)
    );
    assert_eq!(
        plan.steps[0].origins[0]["size"],
        plumb_model::plan::Origin::File
    );
}

/// A stateless generator (SplitMix64).
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ (mixed >> 27)
}

/// Truncated, duplicated and noisy job files neither panic nor hang; what is read can be resolved or is refused.
#[test]
fn mangled_job_files_are_read_or_refused() {
    let whole: Vec<String> = SUPPORTED
        .iter()
        .enumerate()
        .map(|(at, (_, text, _))| format!("[job {at}]\n{text}\n"))
        .collect();
    let noise = [
        "=",
        "[",
        "]",
        ":",
        ",",
        "/",
        "%",
        "$",
        "${",
        "}",
        "(",
        ")",
        "-",
        "\\",
        "\"",
        "'",
        ";",
        "#",
        "\n",
        "\0",
        "ü",
        "9",
        "999999999999999999999",
        "0x",
        "k",
        "include x",
        "[a]\n",
        "*",
        "^",
    ];
    let mut state = 1;
    let mut read = 0;
    for _ in 0..6000 {
        let mut text: String = (0..1 + next(&mut state) % 4)
            .map(|_| whole[next(&mut state) as usize % whole.len()].as_str())
            .collect();
        for _ in 0..1 + next(&mut state) % 3 {
            let mut at = next(&mut state) as usize % (text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            match next(&mut state) % 3 {
                0 => text.truncate(at),
                1 => text.insert_str(at, noise[next(&mut state) as usize % noise.len()]),
                _ => text = format!("{}{}", &text[at..], &text[..at]),
            }
        }
        let files = [("x", "include x\nbs=4k\n")];
        match read_with(&text, &files) {
            Ok(job) => {
                read += 1;
                let toml = as_toml(&job);
                PlanFile::parse(&toml, "again")
                    .unwrap_or_else(|error| panic!("{error}\n{text}\n{toml}"));
                drop(resolve(&job.plan, &Overrides::default(), PlanKind::File));
            }
            Err(error) => assert!(!error.message.is_empty()),
        }
    }
    assert!(
        read > 400,
        "only {read} of 6000 were read: too much noise to test anything"
    );
}

#[test]
fn huge_job_files_are_bounded() {
    for text in [
        "[a]\n".repeat(1_000_000),
        "[".repeat(3_000_000),
        format!("[a]\nsize={}", "(".repeat(1_000_000)),
        "[a]\nbs=4k\n".repeat(300_000),
    ] {
        assert!(!refused(&text).is_empty());
    }
    let many = format!(
        "[global]\nsize=1m\n{}",
        "[a]\nrw=randread\nstonewall\n".repeat(4000)
    );
    assert_eq!(job(&many).plan.steps.len(), 4000);
    // A file that includes itself twice would be read 65,536 times.
    let error = read_with("[a]\ninclude x", &[("x", "include x\ninclude x\n")])
        .expect_err("a loop")
        .to_string();
    assert!(error.contains("check for a loop"), "{error}");
    let error = read_with(
        "[a]\ninclude a",
        &[
            ("a", &"include b\n".repeat(3000)),
            ("b", &"include c\n".repeat(3000)),
            ("c", ""),
        ],
    )
    .expect_err("too much")
    .to_string();
    assert!(error.contains("longer than"), "{error}");
}

#[test]
fn a_job_file_is_known_by_its_section_and_its_options() {
    for text in [
        "# fio\n; too\n\n[global]\nrw=read\n[a]\n",
        "  [job]  ; a comment\nsize=1m",
        "[a]\nrw=randread\nsize=1g\nno-such-option=1\n",
        "[a]\ninclude common.fio\n",
    ] {
        assert!(is_job_file(text), "{text}");
    }
    for text in [
        "",
        "rw=read",
        "[[step]]\nname='a'",
        "[defaults]\nblock='4k'\n[[step]]\n",
        "{\"fio version\": 1}",
        "[unclosed",
        "[global]\n  workgroup = WORKGROUP\n  server string = nas\n[share]\n  path = /srv/share\n",
        "[mysqld]\ninnodb_flush_log_at_trx_commit=1\ninnodb_io_capacity=200\n",
        "[run]\nprocs = 640\nversion = io500\n\n[ior-easy-write]\nexe = ./ior -C\nscore = 1.5\n",
        "[Unit]\nDescription=a service\n[Service]\nExecStart=/bin/true\n",
    ] {
        assert!(!is_job_file(text), "{text}");
    }
}
