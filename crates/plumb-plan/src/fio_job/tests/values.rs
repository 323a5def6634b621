//! How are option values translated to a plan? Those seen in command lines and scripts.

use super::*;

/// Options, and a resulting key.
const VALUES: &[(&str, &str)] = &[
    ("rw=randread:8", "offsets=random-runs:8"),
    (
        "rw=randread:8\nrw_sequencer=identical",
        "offsets=random-repeats:8",
    ),
    ("rw=randread:1", "offsets=random"),
    (
        "rw=randrw\nrandom_distribution=sequence:7,1",
        "offsets=listed:7,1",
    ),
    (
        "rw=randread\nnorandommap\nrandom_generator=lfsr",
        "offsets=random",
    ),
    (
        "rw=randread\nnorandommap\nrandom_generator=tausworthe",
        "offsets=random-with-replacement",
    ),
    // A write has the size of the trim before it.
    ("rw=randtrimwrite\nbs=4k,4k,8k\nioengine=null", "block=8k"),
    // The last block that fits ends within the file, and another would not fit behind the hole.
    ("rw=read:512k\nbs=1m\nsize=128m\nioengine=null", "bytes=85m"),
    (
        "rw=write\nbuffer_pattern='dir/bytes'-1",
        "content=pattern:00ab7fffffffff",
    ),
    (
        "rw=read\nverify=pattern\nverify_pattern=0xabcd\nfilename=x",
        "verify-as=pattern pattern=abcd",
    ),
    ("ioengine=filestat\nfilename=d/x:d/y:d/z", "files=3"),
    ("ioengine=filestat\nfilename=d/x:d/y:d/z", "target=d"),
    ("rw=read\nthinktime=100\nrate_iops=100", "rate=100"),
    (
        "rw=read\nthinktime=100ms\nrate_iops=100",
        "burst-pause=100ms",
    ),
    (
        "rw=read\nthinktime=300ms\nthinktime_blocks=5\nrate_iops=20\nrate_ignore_thinktime=1",
        "burst-operations=5",
    ),
    ("numa_cpu_nodes=0-1", "pin=numa:0-1"),
    ("numa_mem_policy=bind:0-1", "memory-policy=bind:0-1"),
    (
        "ioengine=net\nrw=write\nhostname=far\nport=8890\nsize=1m",
        "target=tcp://far:8890",
    ),
    (
        "ioengine=net\nrw=read\nhostname=::1\nport=8890\nsize=1m",
        "mix=receive",
    ),
    (
        "ioengine=net\nrw=write\nhostname=far\nport=8890\nprotocol=udp\nsize=1m",
        "target=udp://far:8890",
    ),
    (
        "ioengine=net\nrw=read\nport=8890\nprotocol=udp\nsize=1m",
        "target=udp://0.0.0.0:8890",
    ),
    (
        "ioengine=net\nrw=read\nport=8890\nprotocol=udpv6\nsize=1m",
        "target=udp://[::]:8890",
    ),
    (
        "ioengine=net\nrw=read\nhostname=239.0.0.0\nport=8890\nprotocol=udp\nsize=1m",
        "target=udp://239.0.0.0:8890",
    ),
    (
        "ioengine=net\nrw=read\npingpong=1\nport=8890\nprotocol=udp\nsize=1m",
        "answer=true",
    ),
    (
        "ioengine=net\nrw=write\npingpong=1\nhostname=far\nport=8890\nprotocol=udp\nsize=1m",
        "mix=ping-pong",
    ),
    (
        "ioengine=nfs\nnfs_url=nfs://server/export\nrw=read\nsize=1m\nfilename=x",
        "target=nfs://server/export/x",
    ),
    ("rw=write:4k", "zone-size=4k"),
    (
        "rw=randread\nrandom_distribution=normal:5",
        "offsets=normal:5",
    ),
    (
        "rw=randread\nrandom_distribution=zipf:1.2/0.3",
        "offsets=zipf:1.2",
    ),
    (
        "rw=randread\nrandom_distribution=zipf:1.2:0.3",
        "offsets=zipf:1.2",
    ),
    (
        "rw=randread\nrandom_distribution=zoned:60/10:30/20:8/30:2/40",
        "offsets=zoned:60/10:30/20:8/30:2/40",
    ),
    (
        "rw=randread\nrandom_distribution=zoned:60/10:40/",
        "offsets=hot-spot:60/10",
    ),
    (
        "rw=randread\nrandom_distribution=zoned_abs:60/1g:40/1g\nsize=4g",
        "offsets=zoned:60/25:40/25:0/50",
    ),
    (
        "rw=randread\npercentage_sequential=100",
        "offsets=sequential",
    ),
    ("size=1g*2/1024", "size=2m"),
    // The rest after the last full block is not accessed.
    ("rw=write\nbs=2300\nsize=4m", "bytes=4192900"),
    ("rw=write\nbs=4k\nsize=4m", "bytes=4m"),
    ("rw=write\nbs=512\nfilesize=4000\nnrfiles=20", "bytes=70k"),
    ("rw=write\nbs=8k\nsize=4k", "bytes=4k"),
    ("runtime=1m30s\nsize=1m", "time=90s"),
    ("runtime=1m30s", "time=90s"),
    ("bssplit=4k/50:8k/50:", "block=4k:50,8k:50"),
    ("bssplit=4k/50:8k/50/", "block=4k:50,8k:50"),
    ("ioengine=libaio\niodepth=64", "engine=libaio"),
    (
        "ss=lat:2%\nss_dur=30",
        "until-steady=latency deviation 2% over 30s",
    ),
    (
        "ss=lat_slope:50us\nss_dur=30",
        "until-steady=latency slope 50us over 30s",
    ),
    ("filename=/dev/sda:/dev/sdb", "paths=/dev/sda:/dev/sdb"),
    ("filename=/dev/sda:/dev/sdb", "target=."),
    ("filename=a:b\\:c\ndirectory=/mnt", "paths=a:b\\:c"),
    ("filename=a:b\ndirectory=/mnt", "target=/mnt/"),
    ("nrfiles=3\nsize=3m", "paths=a.0.0:a.0.1:a.0.2"),
    (
        "nrfiles=2\nfile_service_type=sequential\nsize=3m",
        "path-order=one-by-one",
    ),
    ("iomem_align=4k\nrwmixcycle=5\nbs=8k", "block=8k"),
    ("bs=4k-128k\nrw=read", "block=4k"),
    ("bs=4k-128k\nrw=write", "block=128k"),
    ("rw=randtrim\nbs=4k-8k,16k-32k", "block=32k"),
    ("bsrange=512-1m", "block=512-1m"),
    ("bsrange=4k-1k", "block=1k-4k"),
    ("bsrange=3k-10k", "block=3k-9k"),
    ("rw=randtrim\nbsrange=4k-4g", "block=4k-4194300k"),
    ("rw=trim\nbs=3G", "block=3g"),
    (
        "rw=randread\nbs=8k\nba=512",
        "offsets=random-with-replacement",
    ),
    ("rw=randrw\nbssplit=512/50:8k/50\nba=4k", "align=4k"),
    ("rw=randread\nbs=8k\nba=8k", "block=8k"),
    (
        "rw=randrw\nbs=8k\nba=4k-16k",
        "access=8k share 50 reads 100 random 100 after same align 4k; 8k share 50 reads 0 random 100 after same align 16k",
    ),
    ("rw=randrw\nbs=128k\nrate=,400m", "kind-rates=write:3200"),
    (
        "rw=randrw\nrate_iops=100,\nnumjobs=2\nfilename=f",
        "kind-rates=read:200",
    ),
    ("flow=-8", "flow-weight=4294967288"),
    ("max_latency=50ms", "max-latency=50ms"),
    ("ratemin=4m\nratecycle=500", "interval=500ms"),
    (
        "rate_iops_min=100\nnumjobs=2\nfilename=f",
        "min-rate=iops 200",
    ),
    (
        "ioengine=libaio\niodepth=16\niodepth_batch_complete=8",
        "refill-at=8",
    ),
    (
        "ioengine=libaio\niodepth=16\niodepth_batch_complete=99\niodepth_low=3",
        "refill-at=0",
    ),
    ("filename_format=f$jobnum\nnrfiles=4\nsize=4m", "target=f0"),
    ("filename_format=f$jobnum\nnrfiles=4\nsize=4m", "size=1m"),
    ("filename_format=f$jobnum\nnrfiles=4\nsize=4m", "bytes=4m"),
    (
        "rw=readwrite\nbsrange=512-1m",
        "access=512-1m share 50 reads 100 random 0 after same align 512; 512-1m share 50 reads 0 random 0 after same align 512",
    ),
];

#[test]
fn values_become_these_keys() {
    for (text, expected) in VALUES.iter().copied() {
        let keys = main_keys(&format!("[a]\n{text}\n"));
        assert!(keys.iter().any(|key| key == expected), "{text}: {keys:?}");
    }
}

#[test]
fn a_section_waits_for_another() {
    let text =
        "[global]\nsize=1m\n[a]\nrw=write\n[b]\nrw=read\nwait_for=a\n[c]\nrw=read\nwait_for=a\n";
    let waiting = job(text);
    let names = |step: &StepFile| {
        let beside = step.beside.iter().map(|job| job.name.clone());
        beside
            .chain([step.main.name.clone()])
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(waiting.plan.steps.len(), 2);
    assert_eq!(names(&waiting.plan.steps[0]), ["a".to_string()].into());
    assert_eq!(
        names(&waiting.plan.steps[1]),
        ["b".to_string(), "c".to_string()].into(),
        "both begin when the first ends"
    );
    assert!(
        !waiting
            .remarks
            .iter()
            .any(|remark| remark.contains("wait_for"))
    );
    let more = job("[a]\nsize=1m\n[other]\nsize=1m\n[b]\nsize=1m\nwait_for=a\n");
    assert!(
        more.remarks
            .iter()
            .any(|remark| remark.contains("wait_for"))
    );
}

/// A refused value, and part of the message.
const REFUSED: &[(&str, &str)] = &[
    ("rw=sideways", "not one of read"),
    ("rw=randread:x", "not an integer"),
    (
        "rw=randread:8\nrandom_distribution=zipf:1.2",
        "needs a uniform distribution",
    ),
    ("wait_for=b", "no section above"),
    ("rw=read:-16k", "use :-8k"),
    (
        "rw=rw\nbs=4k,8k\nverify=crc32c",
        "use one job per direction",
    ),
    (
        "rw=randrw\nbs=4k,8k\nrandom_distribution=zipf:1.1",
        "use one job per direction",
    ),
    (
        "rw=randtrim\npercentage_random=50",
        "use one job per direction",
    ),
    ("bs=1.5k", "not support fractions"),
    ("bs=0", "block size of 0"),
    ("bssplit=4k/80:8k/30", "more than 100"),
    ("bsrange=4k", "not a range"),
    ("bsrange=0-1m", "not a range"),
    ("rw=randread\nrandom_distribution=normal:200", "no order"),
    ("rw=randread\nrandom_distribution=zipf:99", "zipf:1.1"),
    (
        "rw=randread\nrandom_distribution=zoned:60/10:30/20:10/60",
        "not to 100",
    ),
    (
        "rw=randread\nrandom_distribution=zoned_abs:60/1g:40/1g",
        "set size",
    ),
    ("ioengine=libiao", "did you mean 'libaio'"),
    ("ioengine=rbd", "mount the storage"),
    ("ioengine=net", "listening host"),
    (
        "ioengine=net\nrw=randread\nhostname=x\nport=1\nsize=1m",
        "have no offsets",
    ),
    (
        "ioengine=net\nrw=rw\nhostname=x\nport=1",
        "sends or receives",
    ),
    ("ioengine=net\nhostname=x\nsize=1m", "port number"),
    ("ioengine=net\nhostname=x\nport=1", "set size"),
    (
        "ioengine=net\nhostname=x\nport=1\nprotocol=vsock",
        "protocol=tcp",
    ),
    (
        "ioengine=net\nrw=read\nhostname=x\nport=1\nprotocol=udp\nsize=1m",
        "multicast group",
    ),
    (
        "ioengine=net\nrw=read\nlisten\nport=1\nprotocol=udp\nsize=1m",
        "the job that reads is the one that listens",
    ),
    (
        "ioengine=net\nrw=write\nhostname=239.0.0.0\nttl=256\nport=1\nprotocol=udp\nsize=1m",
        "0 to 255",
    ),
    ("port=8890", "belongs to ioengine=net"),
    ("ioengine=nfs", "set nfs_url"),
    ("ioengine=nfs\nnfs_url=nfs://a/b?uid=1", "without arguments"),
    ("numa_mem_policy=near", "no memory policy"),
    (
        "rw=write\nfilename=not-there\nallow_file_create=0",
        "not-there does not exist",
    ),
    (
        "rw=randread:4\nrw_sequencer=backward",
        "sequential, identical",
    ),
    ("ioengine=external:/x.so", "external engines"),
    ("nrfiles=2000", "at most 1024"),
    ("filename=x:x", "stands twice"),
    ("size=50%", "to an existing file"),
    ("verify_only", "set verify=crc32c"),
    (
        "rw=randrw\nverify=pattern\nverify_pattern=1\nverify_only",
        "do not tell which",
    ),
    ("rw=randtrim\nverify=md5\nverify_only", "cannot be verified"),
    ("rw=write\nverify=pattern", "needs verify_pattern"),
    ("rw=rw\nrate=1m,", "only one of read and write"),
    ("rate_process=pareto\nrate_iops=5", "linear, poisson"),
    ("cpus_allowed=x", "no pinning"),
    ("direct=2", "neither 0 nor 1"),
    ("kb_base=7", "neither 1000 nor 1024"),
    ("verify=crc33", "not one of meta, md5"),
    (
        "ioengine=filecreate\nrate_iops=5",
        "a plan with mix = create",
    ),
    (
        "ioengine=psync\nhipri",
        "only io_uring and pvsync2 support polled",
    ),
    (
        "ioengine=io_uring\natomic=1",
        "only for ioengine=pvsync2 or libaio",
    ),
    ("rw=readwrite:4k\nsize=1m", "a mix in order with a hole"),
    (
        "ioengine=page_fault\nrw=write\nsize=1m\nverify=md5",
        "use ioengine=mmap with a file on tmpfs",
    ),
    (
        "ioengine=net\nhostname=x\nport=1\nprotocol=vsock",
        "interface of the virtual machine",
    ),
    (
        "ioengine=net\nhostname=x\nport=1\nrw=read\npingpong=1",
        "on the side that writes",
    ),
    ("ioengine=libaio\nnowait=1", "only for ioengine=pvsync2"),
    (
        "filename=x\nsize=1m\nnumjobs=2000\noffset_increment=7m",
        "at most 1024",
    ),
    ("startdelay=5-10", "a random range"),
    ("latency_target=soon", "not a time"),
    (
        "latency_target=2ms\nlatency_percentile=101",
        "from 0 to 100",
    ),
    (
        "rw=write\nsize=1m\nverify=md5\nioengine=libaio\niodepth=4\nlatency_target=2ms",
        "in a separate section",
    ),
    ("ss=iops\nss_dur=30", "not a criterion"),
    ("ss=cpu:2%\nss_dur=30", "iops, bw or lat"),
    ("ss=iops:0%\nss_dur=30", "not a criterion"),
    ("ss=iops:2%\nss_dur=2", "shorter than 3 intervals"),
];

#[test]
fn values_that_cannot_be_carried_out_are_refused_with_what_comes_near() {
    for (text, expected) in REFUSED.iter().copied() {
        let error = refused(&format!("[a]\n{text}\n"));
        assert!(
            error.contains(expected) && error.starts_with("dir/my.fio, line "),
            "{text}: {error}"
        );
    }
}

#[test]
fn files_that_stay_have_the_names_of_fio() {
    let kept = job(
        "[global]\ndirectory=/mnt/x\nrw=write\nsize=1m\nunlink=0\n[a]\nname=other\nnumjobs=2\n[b]\nfilename_format=$jobname-$jobnum.f$filenum\n",
    );
    let step = &kept.plan.steps[0];
    let of = |job: &JobFile, key: &str| {
        let entry = job.entries.iter().find(|entry| entry.key == key);
        entry.map(|entry| entry.text.clone()).unwrap_or_default()
    };
    let mut found: Vec<[String; 3]> = step
        .beside
        .iter()
        .chain([&step.main])
        .map(|job| [of(job, "target"), of(job, "size"), of(job, "bytes")])
        .collect();
    found.sort();
    let expected = ["/mnt/x/a.0.0", "/mnt/x/a.1.0", "/mnt/x/b-0.f0"]
        .map(|path| [path.to_string(), "1m".into(), "1m".into()]);
    assert_eq!(found, expected);
}

#[test]
fn commands_and_sections_that_listen_are_left_to_whoever_runs_the_job() {
    let text = "[global]\nioengine=net\nport=8890\nsize=1m\n[receiver]\nlisten\nrw=read\n[sender]\nhostname=localhost\nrw=write\nexec_prerun=true\n";
    let found = job(text);
    assert_eq!(found.plan.steps.len(), 1);
    let [listener] = found.listeners.as_slice() else {
        panic!("{:?}", found.listeners)
    };
    assert_eq!((listener.name.as_str(), listener.port), ("receiver", 8890));
    let [command] = found.commands.as_slice() else {
        panic!("{:?}", found.commands)
    };
    assert!(command.to_string().contains("--allow-exec"), "{command}");
    // A file that an earlier job makes is there.
    job(
        "[a]\nrw=write\nsize=1m\nfilename=made\n[b]\nstonewall\nfilename=made\nsize=1m\nallow_file_create=0\n",
    );
}

/// Settings of the step that writes and of the one that reads back.
#[test]
fn checks_during_the_load_are_those_of_fio() {
    let steps = |options: &str| {
        let text = format!("[a]\nrw=write\nsize=1m\nverify=crc32c\n{options}\n");
        let job = job(&text);
        let steps = job.plan.steps.iter();
        let of = |key: &str, entries: &[crate::Entry]| {
            let mut entries = entries.iter();
            let found = entries.find(|entry| entry.key == key);
            found.map_or("-".to_string(), |entry| entry.text.clone())
        };
        let keys = [
            "verify-backlog",
            "verify-backlog-batch",
            "verify-threads",
            "verify-pin",
            "dump-mismatches",
        ];
        steps
            .map(|step| keys.map(|key| of(key, &step.main.entries)).join(" "))
            .collect::<Vec<_>>()
    };
    for (options, write, read) in [
        ("", "- - - - -", "- - - - -"),
        ("verify_backlog=8", "8 - - - -", "- - - - -"),
        (
            "verify_backlog=8\nverify_backlog_batch=3",
            "8 3 - - -",
            "- - - - -",
        ),
        (
            "verify_backlog=8\nexperimental_verify=1",
            "- - - - -",
            "- - - - -",
        ),
        (
            "verify_async=2\nverify_async_cpus=0-1\nverify_dump=1",
            "- - 2 0-1 .",
            "- - 2 0-1 .",
        ),
        ("verify_async_cpus=0", "- - - - -", "- - - - -"),
    ] {
        assert_eq!(steps(options), [write, read], "{options}");
    }
    assert_eq!(
        steps("verify_backlog=8\ndo_verify=0"),
        ["- - - - -"],
        "nothing is read back"
    );
}

/// Sections without data of their own are no jobs of the plan; they begin with the step that they stand in.
#[test]
fn cpu_load_and_programs_run_beside_the_jobs() {
    let text = "[load]\nioengine=cpuio\ncpuload=50\ncpuchunks=100\ncpumode=qsort\nnumjobs=2\n[reads]\nrw=read\nsize=1m\n\
                [program]\nstonewall\nioengine=exec\nprogram=/bin/sleep\narguments=%r %n\nruntime=2\ngrace_time=3\n[writes]\nrw=write\nsize=1m\n";
    let found = job(text);
    assert_eq!(found.plan.steps.len(), 2);
    let [load, program] = found.companions.as_slice() else {
        panic!("{:?}", found.companions);
    };
    assert_eq!((load.step, load.clones, load.runtime_ns), (0, 2, None));
    let cpu = CompanionWork::Cpu {
        percent: 50,
        chunk_ns: 100_000,
        sorts: true,
        ends_with_jobs: false,
    };
    assert_eq!(load.work, cpu);
    assert_eq!((program.step, program.runtime_ns), (1, Some(2_000_000_000)));
    let sleep = CompanionWork::Program {
        program: "/bin/sleep".into(),
        arguments: vec!["2".into(), "program".into()],
        grace_ns: 3_000_000_000,
        is_redirected: true,
    };
    assert_eq!(program.work, sleep);
    for (text, why) in [
        ("ioengine=cpuio", "cpuload"),
        ("ioengine=exec", "program"),
        ("rw=read\nsize=1m\ncpuload=5", "ioengine=cpuio"),
    ] {
        let said = refused(&format!("[a]\n{text}\n"));
        assert!(said.contains(why), "{text}: {said}");
    }
}

/// Sets of files of several jobs are not kept: each has a folder of its own.
#[test]
fn sets_of_files_in_one_folder_are_not_kept() {
    let kept = |sections: &str| {
        let text = format!("[global]\nioengine=filecreate\nfilesize=4k\nunlink=0\n{sections}");
        let job = job(&text);
        let jobs = job
            .plan
            .steps
            .iter()
            .flat_map(|step| step.beside.iter().chain([&step.main]));
        let is_kept = |job: &crate::JobFile| {
            let mut entries = job.entries.iter();
            entries.any(|entry| entry.key == "keep" && entry.text == "true")
        };
        jobs.filter(|job| is_kept(job)).count()
    };
    assert_eq!(kept("[a]\n"), 1);
    assert_eq!(kept("[a]\n[b]\n"), 0);
    assert_eq!(kept("[a]\n[b]\ndirectory=d\n"), 2);
}
