//! Which values of a step conflict or cannot be carried out anywhere? A table of rules; checks of a single key are next to its field.

pub(crate) mod blocks;
mod by_traits;
mod durability;
mod engine_options;
mod file_set;
mod goals;
mod load;
mod messages;
mod network_options;
mod nowhere;
mod preparation;
mod ranks;
mod replay;
mod rule;
mod smb_options;
mod verification;

use std::collections::BTreeMap;

use plumb_model::keys::Keys;
use plumb_model::plan::{Origin, PlanError, Step};
use plumb_model::workload::Job;

use self::rule::{Group, always};

/// All rules. If several are broken, the first is reported.
const GROUPS: &[Group] = &[
    messages::OF_MESSAGES,
    messages::OF_PEERS,
    messages::OF_DATAGRAMS,
    messages::OF_PING_PONGS_BY_WRITES,
    always(blocks::BLOCKS),
    blocks::OF_ACCESS,
    blocks::OF_RANDOM_MAP,
    blocks::OF_PRECONDITION,
    blocks::OF_ALIGN,
    blocks::OF_ZONES,
    ranks::OF_TOGETHER,
    ranks::OF_FILES_OF,
    ranks::OF_SEGMENTS,
    blocks::OF_START,
    always(load::LIMITS),
    always(blocks::SIZES),
    always(load::ARRIVALS),
    always(load::STOPS),
    always(goals::RULES),
    always(load::CONTENT),
    always(blocks::DIRECT),
    always(durability::RULES),
    preparation::OF_FRESH,
    preparation::OF_UNFILLED,
    preparation::OF_PREALLOCATE,
    preparation::OF_UNTIL_FULL,
    preparation::OF_COLD,
    preparation::OF_COLD_PASSES,
    preparation::OF_ACCESS_HINT,
    preparation::OF_PRE_READ,
    verification::OF_VERIFY,
    verification::OF_VERIFY_AS,
    verification::OF_WRITTEN_ONLY,
    verification::OF_VERIFY_EXISTING,
    verification::OF_PATHS,
    file_set::OF_FILE_OPERATIONS,
    file_set::OF_ORDER,
    always(engine_options::RULES),
    smb_options::ON_OTHERS,
    network_options::OF_BUSY_POLL,
    network_options::OF_SKIP_RX_COPY,
    engine_options::OF_POLLING_PEERS,
    engine_options::OF_POLLING,
];

/// Validates every job of these steps. Unmodified built-in plans are valid, which only the tests check. The error names the step, the key, the origin of its
/// value, and an alternative.
pub(crate) fn refuse_misfits(steps: &[Step], keys: &Keys) -> Result<(), PlanError> {
    steps.iter().try_for_each(|step| refuse_misfit(step, keys))
}

fn refuse_misfit(step: &Step, keys: &Keys) -> Result<(), PlanError> {
    for (job, origins) in step.jobs.iter().zip(&step.origins) {
        if let Some((key, message)) = misfit(job, origins, keys) {
            let name = if job.name.is_empty() || job.name == "main" {
                String::new()
            } else {
                format!(", job '{}'", job.name)
            };
            return Err(PlanError::at(
                format!("step '{}'{name}", step.name),
                format!("{message}{}", source(origins, &key)),
            ));
        }
    }
    goals::refuse_beside(step)
}

/// The first invalid key of a job, and why.
fn misfit(job: &Job, origins: &BTreeMap<String, Origin>, keys: &Keys) -> Option<(String, String)> {
    // The content of a log is validated once it is known.
    let is_known = job.workload.replay.is_none() || job.workload.replay_holds.is_some();
    let of_rules = || {
        let groups = GROUPS.iter().filter(|group| (group.concerns)(job));
        let mut rules = groups.flat_map(|group| group.rules);
        rules.find_map(|rule| Some((rule.key.to_string(), (rule.broken)(job)?)))
    };
    replay::judge(job, origins)
        .map(|(key, message)| (key.to_string(), message))
        .or_else(|| is_known.then(|| by_traits::judge(job, keys)).flatten())
        .or_else(|| is_known.then(|| engine_options::of_another(job)).flatten())
        .or_else(|| is_known.then(of_rules).flatten())
}

/// The origin of the key's value, if it was set explicitly.
fn source(origins: &BTreeMap<String, Origin>, key: &str) -> String {
    origins
        .get(key)
        .map(|origin| format!(" ({key} comes from: {origin})"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crate::{Overrides, PlanFile, PlanKind, resolve};

    /// Each invalid input with a part of its message.
    const NONSENSE: &[(&[&str], &str)] = &[
        (&["block=0"], "block size of 0"),
        (&["block=4g"], "larger than one call"),
        (&["block=4k,5k"], "not a multiple of the smallest"),
        (&["size=4k", "block=64k"], "is smaller than one block"),
        (
            &["size=64k", "block=64k", "layout=own", "workers=4"],
            "each of 4 workers",
        ),
        (&["offsets=strided:4k", "block=64k"], "overlap"),
        (&["offsets=strided:1-block", "block=4k:1,64k:1"], "overlap"),
        (&["replay-speed-percent=50"], "there is none"),
        (&["replay=x", "replay-speed-percent=0"], "not between"),
        (
            &["replay=x", "replay-speed-percent=50", "replay-pace=none"],
            "remove one of them",
        ),
        (&["replay=x", "replay-divisor=0"], "divided by 0"),
        (&["replay=x", "replay-align=3k"], "not a power of two"),
        (
            &["replay=x", "replay-skip=read,write,trim,flush"],
            "skip fewer",
        ),
        (&["replay="], "has no file"),
        (
            &[
                "replay=x",
                "replay-holds=requests:1,read:0,written:0,end:1,length:0s,files:1",
            ],
            "determined from the log",
        ),
        (&["replay=x", "block=4k"], "has no effect"),
        (&["replay=x", "access=4k"], "has no effect"),
        (&["replay=x", "think-time=1ms"], "replay-pace = none"),
        (
            &["replay=x", "warm-up=1s"],
            "every request of the log is replayed",
        ),
        (&["replay=x", "fsync-every=4"], "its own flushes"),
        (&["replay=x", "verify=true"], "overlap partially"),
        (&["replay=x", "layout=stream"], "each worker replays"),
        (&["replay=x", "target=rdma://host"], "give a file"),
        (&["access=4k", "layout=stream"], "each worker draws"),
        (&["access=4k", "verify=true"], "overlap partially"),
        (&["access=4k", "passes=1"], "has no end"),
        (
            &["access=4k align 100", "direct=true"],
            "sizes and alignments",
        ),
        (&["access=4k", "target=tcp://host"], "does not support read"),
        (&["depth=0"], "use depth = 1 or more"),
        (&["depth=40000"], "at most 32768"),
        (&["workers=0"], "use workers = 1 or more"),
        (&["workers=100000"], "use workers = 4096 or less"),
        (&["rate=0"], "closed loop"),
        (&["rate=-5"], "closed loop"),
        (&["arrivals=poisson"], "needs a rate"),
        (&["rate=100", "think-time=1ms"], "exclude each other"),
        (&["rate=100", "rate-ignores-pauses=true"], "between bursts"),
        (&["burst-operations=5"], "need each other"),
        (&["prefetch=2"], "set burst-operations"),
        (
            &[
                "prefetch=2",
                "burst-operations=5",
                "burst-pause=1ms",
                "rate=100",
            ],
            "remove rate",
        ),
        (&["burst-samples=7"], "set prefetch"),
        (
            &[
                "prefetch=2",
                "burst-operations=5",
                "burst-pause=1ms",
                "burst-samples=0",
            ],
            "at least 1",
        ),
        (&["serialize-overlap=true", "mix=stat"], "is for blocks"),
        (&["trim-first=true", "mix=write"], "mix = trim:1,write:1"),
        (
            &["urgent=20% realtime:0", "engine=sync"],
            "engine = io_uring",
        ),
        (&["dedupe-set=10", "mix=write"], "use both"),
        (&["time=0"], "before anything is measured"),
        (&["operations=0"], "before anything is measured"),
        (&["bytes=0"], "before anything is measured"),
        (&["interval=1ms"], "at least 10ms"),
        (&["until-steady=iops slope 1% over 2s"], "at least 3"),
        (&["align=0"], "cannot be 0"),
        (&["align=8k", "offsets=sequential"], "random offsets"),
        (&["align=6k", "verify=true"], "not a multiple"),
        (&["kind-rates=write:5", "mix=read"], "limit one of several"),
        (
            &["kind-rates=read:5,write:5", "mix=read:1,write:1"],
            "use rate",
        ),
        (
            &["kind-rates=write:5", "mix=read:1,write:1", "fsync-every=2"],
            "fsync-every",
        ),
        (&["refill-at=4", "depth=4"], "below depth"),
        (&["zone-skip=1m"], "need zone-size"),
        (&["offsets=random-map", "layout=stream"], "its own map"),
        (&["offsets=precondition:15", "mix=read"], "mix = write"),
        (
            &["offsets=precondition:15", "mix=write", "workers=2"],
            "blocks of its own",
        ),
        (
            &["offsets=precondition:15", "mix=write", "block=4k:1,8k:1"],
            "one block size",
        ),
        (&["verify-existing=true", "mix=read"], "set verify"),
        (
            &["same-start=true", "offsets=random"],
            "access one target sequentially",
        ),
        (
            &["same-start=true", "layout=own", "offsets=sequential"],
            "access one target sequentially",
        ),
        (&["zone-size=1m", "offsets=zipf:1.1"], "zones need offsets"),
        (&["zone-size=1m", "layout=stream"], "zones need offsets"),
        (&["zone-size=1m", "zone-skip=5k"], "not a multiple of 4k"),
        (&["ranks=together", "layout=stream"], "within one process"),
        (
            &["ranks=together", "verify=true"],
            "the writes of one process",
        ),
        (&["ranks=together", "keep=true"], "not kept"),
        (&["ranks=together", "paths=a:b"], "not a list of paths"),
        (
            &["ranks=together", "until-full=true"],
            "file system is full",
        ),
        (&["files-of=next-host"], "use ranks = together"),
        (&["segment-block=1m", "layout=own"], "layout = shared"),
        (&["segment-block=1m", "zone-size=1m"], "are its zones"),
        (
            &["segment-block=1m", "offsets=zipf:1.1"],
            "use one of these",
        ),
        (&["segment-block=5k"], "not a multiple of 4k"),
        (
            &["segment-block=1m", "size=3m", "workers=4"],
            "too small for one segment",
        ),
        (
            &["zone-size=1m", "zone-range=4k", "block=4k:1,8k:1"],
            "too small for a block",
        ),
        (&["block=3g"], "larger than one call"),
        (
            &["until-steady=iops slope 1% over 10s after 5s", "time=14s"],
            "before one window of 10s is complete",
        ),
        (
            &["until-steady=bandwidth slope 1% over 10s", "mix=stat"],
            "transfers no data",
        ),
        (&["latency-limit=0s"], "is impossible"),
        (&["latency-limit-percentile=99"], "latency-limit = 2ms"),
        (
            &["latency-limit=1ms", "latency-limit-percentile=0"],
            "above 0 and at most 100",
        ),
        (
            &["latency-limit=1ms", "latency-limit-percentile=101"],
            "above 0 and at most 100",
        ),
        (&["compress-percent=120"], "at most 100"),
        (&["dedupe-percent=-1"], "at least 0"),
        (
            &["dedupe-percent=10", "content=zeros"],
            "remove one of them",
        ),
        (&["direct=true", "block=1000"], "multiples of 512"),
        (&["direct=true", "start=100"], "multiple of 512"),
        (&["direct=true", "engine=mmap"], "page cache"),
        (&["fsync-every=8"], "has none"),
        (&["flush-at-end=true"], "has none"),
        (&["flush-at-end=true", "mix=stat"], "has none"),
        (
            &[
                "flush-at-end=true",
                "mix=create",
                "target=nfs://server/export",
            ],
            "does not support",
        ),
        (&["passes=0"], "before anything is measured"),
        (&["passes=1", "bytes=1m"], "use one of them"),
        (&["passes=1", "mix=send", "target=tcp://host"], "has none"),
        (&["fresh=true"], "nothing to read"),
        (&["fresh=true", "mix=rewrite"], "nothing to rewrite"),
        (
            &["fresh=true", "mix=write", "target=null:"],
            "has none; remove fresh",
        ),
        (
            &["fresh=true", "mix=write", "target=smb://server/share"],
            "only with passes",
        ),
        (
            &[
                "fresh=true",
                "mix=write",
                "target=nfs://server/share",
                "passes=1",
                "time=5s",
            ],
            "only with passes",
        ),
        (&["fresh=true", "mix=write", "start=4k"], "before start"),
        (&["fresh=true", "mix=write", "verify=true"], "discards them"),
        (&["until-full=true"], "mix = write"),
        (
            &["until-full=true", "mix=write", "target=smb://server/share"],
            "local files",
        ),
        (&["cold=true", "target=null:"], "null: has no pages"),
        (
            &["cold=true", "mix=send", "target=tcp://host"],
            "has none there",
        ),
        (&["cold=true", "mix=read-file"], "names and attributes"),
        (&["cold-passes=true"], "set cold = true"),
        (
            &[
                "cold-passes=true",
                "cold=true",
                "offsets=random-with-replacement",
            ],
            "no passes",
        ),
        (&["access-hint=random", "target=null:"], "has none"),
        (&["access-hint=random", "mix=stat"], "has none"),
        (&["pre-read=true", "target=null:"], "has none"),
        (&["pre-read=true", "mix=stat"], "has none"),
        (&["pre-read=true", "cold=true"], "drops"),
        (&["verify=true", "mix=rewrite"], "changes a byte"),
        (
            &["positioned=false", "engine=io_uring"],
            "option of the engine sync",
        ),
        (&["positioned=false", "target=null:"], "not of null:"),
        (
            &["nowait=true", "engine=io_uring"],
            "option of the engine sync",
        ),
        (&["nowait=true", "positioned=false"], "remove positioned"),
        (&["hipri=true", "direct=false"], "needs direct I/O"),
        (&["uncached=true", "direct=true"], "remove uncached"),
        (&["call-size=1", "direct=true"], "remove call-size"),
        (&["call-size=1", "nowait=true"], "choose one of them"),
        (&["call-size=1", "engine=mmap"], "option of the engine sync"),
        (&["atomic=true", "direct=false"], "need direct I/O"),
        (
            &["per-character=true", "engine=sync"],
            "option of the engine stdio",
        ),
        (
            &["donor-each=true", "engine=sync"],
            "option of the engine defragment",
        ),
        (
            &["stdio-buffer=64k", "engine=mmap"],
            "option of the engine stdio",
        ),
        (&["stdio-buffer=2g"], "at most 1g"),
        (
            &["positioned=false", "per-character=true"],
            "choose one of them",
        ),
        (&["file-size=directory", "mix=open"], "needs files"),
        (
            &[
                "file-size=directory",
                "mix=stat",
                "target=smb://server/share",
            ],
            "mount the share",
        ),
        (&["direct=true", "engine=stdio"], "the C library's buffers"),
        (
            &["direct=true", "per-character=true"],
            "the C library's buffers",
        ),
        (&["verify=true", "block=256"], "at least 512"),
        (&["verify-as=md5", "mix=write"], "set verify = true"),
        (&["stop-at-mismatch=true", "mix=write"], "set verify = true"),
        (
            &["verify-backlog=4", "mix=write"],
            "verify-backlog concerns",
        ),
        (&["verify-threads=2", "mix=read"], "verify-threads concerns"),
        (
            &["verify=true", "verify-backlog=4", "mix=read"],
            "a mix with write",
        ),
        (
            &["verify=true", "verify-backlog-batch=4", "mix=write"],
            "a part of verify-backlog",
        ),
        (&["verify=true", "mix=stat"], "file operations"),
        (&["verify=true", "mix=write:1,trim:1"], "trimmed"),
        (&["verify=true", "dedupe-percent=5", "mix=write"], "unique"),
        (&["verify=true", "target=null:"], "nothing can be verified"),
        (&["mix=create", "target=null:"], "give a directory"),
        (&["mix=stat", "files=0"], "files = 1000"),
        (&["mix=create", "files=10", "operations=11"], "once"),
        (
            &["mix=stat", "files=10", "operations=11", "file-order=listed"],
            "once",
        ),
        (&["mix=create", "file-order=shuffled"], "does not apply"),
        (
            &["mix=create:1,stat:1", "file-order=listed"],
            "one kind of operation",
        ),
        (
            &["mix=stat", "file-order=listed", "target=smb://server/share"],
            "file-order = shuffled",
        ),
        (&["file-size=4k"], "has no file operations"),
        (&["folders=4"], "has no file operations"),
        (&["mix=create", "file-size=1k-3g"], "the maximum is"),
        (&["mix=create", "files=3", "folders=4"], "at most 3"),
        (
            &[
                "mix=read-file",
                "file-size=0-4k",
                "target=smb://server/share",
            ],
            "nothing to read",
        ),
        (&["target=null:", "engine=sync"], "only the engine null"),
        (&["iopoll=true", "engine=sync", "direct=true"], "io_uring"),
        (&["iopoll=true", "direct=false"], "needs direct"),
        (&["busy-poll=true"], "or use iopoll"),
        (&["skip-rx-copy=true"], "not of .; remove it"),
        (
            &["skip-rx-copy=true", "target=tcp://host", "mix=ping-pong"],
            "the mix ping-pong has none",
        ),
        (
            &["skip-rx-copy=true", "target=smb://u@h/s", "verify=true"],
            "data that verify needs",
        ),
        (
            &["skip-rx-copy=true", "target=smb://u@h/s", "signing=true"],
            "with signing = true",
        ),
        (
            &[
                "skip-rx-copy=true",
                "target=nfs://h/e",
                "nfs-security=krb5p",
            ],
            "with nfs-security = krb5p",
        ),
        (
            &["busy-poll=true", "target=iperf3://server", "mix=send"],
            "not of iperf3://server: remove it",
        ),
        (
            &["signing=true", "target=nfs://server/export"],
            "signing is an option of smb:// targets",
        ),
        (
            &["encryption=true", "target=nfs://server/export"],
            "sec=krb5i (signed) or krb5p (encrypted)",
        ),
        (
            &["dialect=3.0", "target=nfs://server/export"],
            "dialect is an option of smb:// targets",
        ),
        (
            &["channels=multichannel", "target=nfs://server/export"],
            "channels is an option of smb:// targets",
        ),
        (
            &["encryption=true", "target=s3://bucket"],
            "use an https endpoint",
        ),
        (
            &["endpoint-url=http://store", "target=smb://u@h/s"],
            "endpoint-url is an option of s3:// targets",
        ),
        (
            &["mount-port=2049", "target=smb://u@h/s"],
            "mount-port is an option of nfs:// targets",
        ),
        (
            &["keep-alive=false"],
            "keep-alive is an option of s3:// targets",
        ),
        (
            &["object-checksum=crc32c", "target=nfs://h/e"],
            "object-checksum is an option of s3:// targets",
        ),
        (
            &["region=eu-central-1"],
            "region is an option of s3:// targets",
        ),
        (&["mix=send"], "use tcp://host"),
        (
            &["mix=ping-pong", "target=smb://server/share"],
            "needs a network peer",
        ),
        (&["mix=send:1,read:1", "target=tcp://host"], "use two jobs"),
        (
            &["mix=send=50,receive=50", "target=udp://host"],
            "one job for each",
        ),
        (
            &["mix=send", "answer=true", "target=udp://host"],
            "use mix = receive",
        ),
        (
            &["mix=receive", "answer=true", "target=tcp://host"],
            "answer is an option of udp:// targets",
        ),
        (&["mix=ping-pong", "target=iperf3://host"], "only stream"),
        (
            &["target=tcp://host"],
            "does not support read; use mix = send, receive or ping-pong",
        ),
        (
            &["mix=write", "target=iperf3://host"],
            "use mix = send or receive",
        ),
        (&["mix=create", "target=rdma://host"], "without files"),
        (
            &["mix=send", "verify=true", "target=tcp://host"],
            "nothing is stored",
        ),
        (
            &["mix=ping-pong", "ping-pong-by=write", "target=tcp://host"],
            "use rdma://host",
        ),
        (
            &[
                "mix=ping-pong",
                "ping-pong-by=write",
                "target=rdma://host",
                "depth=2",
            ],
            "one message is in flight at a time",
        ),
        (
            &[
                "mix=ping-pong",
                "ping-pong-by=write",
                "target=rdma://host",
                "block=8:50,4k:50",
            ],
            "messages of one size",
        ),
    ];

    fn set(pairs: &[&str]) -> Overrides {
        let set = pairs
            .iter()
            .filter_map(|pair| pair.split_once('='))
            .map(|(key, text)| (key.into(), text.into()))
            .collect();
        Overrides {
            set,
            flags: Vec::new(),
        }
    }

    #[test]
    fn nonsense_is_refused_with_a_remedy_and_the_origin() {
        for (pairs, expected) in NONSENSE {
            let error = resolve(&PlanFile::ad_hoc(), &set(pairs), PlanKind::AdHoc)
                .expect_err(&format!("{pairs:?}"))
                .to_string();
            assert!(error.contains(expected), "{pairs:?}: {error}");
            assert!(error.starts_with("step '"), "{error}");
        }
        let error = resolve(&PlanFile::ad_hoc(), &set(&["depth=0"]), PlanKind::AdHoc)
            .expect_err("depth")
            .to_string();
        assert!(error.contains("depth comes from: --set"), "{error}");
    }

    #[test]
    fn sense_is_taken() {
        for pairs in [
            &["block=4k:70,64k:30"][..],
            &["offsets=strided:18-blocks", "block=64k"],
            &[
                "access=4k share 50 reads 0; 6k share 50 random 100",
                "direct=true",
            ],
            &["direct=try", "block=1000"],
            &["rate=100000", "arrivals=poisson"],
            &["verify=true", "mix=read:50,write:50", "compress-percent=40"],
            &["engine=null", "target=/tmp"],
            &["mix=write", "fsync-every=8"],
            &["mix=create", "file-size=0", "folders=7", "names=random"],
            &["mix=delete", "file-order=shuffled", "flush-at-end=true"],
            &["mix=rewrite", "fsync-every=8", "flush-at-end=true"],
            &["mix=write", "fresh=true", "flush-at-end=true", "passes=2"],
            &["mix=read", "cold=true", "passes=1", "time=5s"],
            &["until-steady=iops deviation 2% over 3s"],
            &["align=512", "block=8k"],
            &["kind-rates=write:5", "mix=read:1,write:1"],
            &["refill-at=3", "depth=4"],
            &["rate=100", "burst-operations=5", "burst-pause=1ms"],
            &[
                "zone-size=1m",
                "zone-range=2m",
                "zone-skip=4m",
                "offsets=sequential",
            ],
            &["block=3g", "mix=trim", "size=10g"],
            &["block=512-1m", "size=10g"],
            &[
                "until-steady=latency slope 2us over 1s after 1s",
                "interval=100ms",
                "passes=9",
                "start-delay=3s",
            ],
            &["latency-limit=1ms", "latency-limit-percentile=99.99"],
            &["positioned=false"],
            &["positioned=false", "engine=sync", "direct=true"],
            &["call-size=1"],
            &["hipri=true", "engine=sync", "nowait=true"],
            &["uncached=true", "direct=false"],
            &["per-character=true"],
            &["stdio-buffer=64k", "engine=stdio"],
            &["size=64k", "block=64k"],
            &["mix=send", "target=tcp://host"],
            &[
                "mix=send:1,ping-pong:1",
                "block=1:50,64k:50",
                "target=tcp://host",
            ],
            &["mix=receive", "target=iperf3://host"],
            &["mix=read", "target=rdma://host"],
            &["mix=read", "target=rdma://host", "iopoll=true"],
            &["mix=ping-pong", "ping-pong-by=write", "target=rdma://host"],
            &[
                "mix=read",
                "ping-pong-by=write",
                "target=rdma://host",
                "depth=8",
            ],
            &["mix=ping-pong", "target=null:"],
            &[
                "signing=false",
                "encryption=false",
                "target=nfs://server/export",
            ],
            &[
                "signing=true",
                "dialect=3.1.1",
                "channels=multichannel",
                "target=smb://server/share",
            ],
            &[
                "replay=x",
                "replay-pace=none",
                "rate=100",
                "direct=true",
                "fresh=true",
            ],
            &[
                "replay=x",
                "replay-skip=none",
                "replay-divisor=2",
                "replay-align=4k",
                "passes=3",
                "flush-at-end=true",
            ],
        ] {
            resolve(&PlanFile::ad_hoc(), &set(pairs), PlanKind::AdHoc)
                .unwrap_or_else(|error| panic!("{pairs:?}: {error}"));
        }
    }
}
