//! Threads whose times are known by construction.

use plumb_model::explain::account::{DeviceUse, Part, Question, TimeAccount};
use plumb_model::trace::events::{
    Activity, Answered, Call, CallClass, OffCpu, ThreadLife, TraceEvent,
};
use plumb_model::trace::facts::{DeviceLoad, IoLimit, IoLimitKind, MemoryLimit};
use plumb_model::trace::receiver::TraceReceiver;
use proptest::prelude::*;

use super::AccountTally;
use super::devices::devices;
use super::proof::reads_were_cold;
use super::what_if::{verdict, what_if};
use crate::english::in_english;

const MS: u64 = 1_000_000;
const FILE: u64 = 7;

/// A thread: its life, and its periods off the CPU in milliseconds.
type Thread<'a> = (u64, u64, &'a [(u64, u64, Activity)]);

fn account_of(threads: &[Thread<'_>]) -> TimeAccount {
    let mut tally = AccountTally::default();
    tally.mount("/", "ext4", "/dev/vda");
    tally.mount("/mnt/slow", "nfs4", "server:/x");
    tally.name(FILE, "/mnt/slow/file");
    for (lane, (begin, end, periods)) in threads.iter().enumerate() {
        let lane = lane as u32;
        tally.name_lane(lane, &format!("{}", 100 + lane));
        for (from, to, activity) in *periods {
            let call = Call {
                name: "pread64",
                class: CallClass::Read,
                at_ns: from * MS,
                lane,
                file: Some(FILE),
                offset: None,
                bytes: Some(4096),
                closes: false,
            };
            if activity.is_storage() {
                tally.take(TraceEvent::Made(call));
                tally.take(TraceEvent::Answered(Answered {
                    call,
                    at_ns: to * MS,
                    moved_bytes: Some(4096),
                    status: None,
                    round_trip_ns: None,
                    was_pending: false,
                }));
            }
            tally.take(TraceEvent::OffCpu(OffCpu {
                lane,
                begin_ns: from * MS,
                end_ns: to * MS,
                activity: *activity,
                file: Some(FILE),
            }));
        }
        tally.take(TraceEvent::Ended(ThreadLife {
            lane,
            begin_ns: begin * MS,
            end_ns: end * MS,
        }));
    }
    tally.account((0, u64::MAX)).expect("threads were seen")
}

fn share(account: &TimeAccount, activity: Activity) -> f64 {
    let of = account
        .program
        .iter()
        .filter(|part| part.activity == activity);
    of.map(|part| part.share).sum()
}

fn questions(account: &TimeAccount) -> Vec<Question> {
    what_if(account).iter().map(|of| of.question).collect()
}

/// Alternates: so long of one, so long of the other on the CPU.
fn repeated(activity: Activity, wait: u64, work: u64, until: u64) -> Vec<(u64, u64, Activity)> {
    let step = wait + work;
    (0..until / step)
        .map(|at| (at * step, at * step + wait, activity))
        .collect()
}

#[test]
fn one_thread_has_the_time_for_itself() {
    let reads = repeated(Activity::Read, 9, 1, 1000);
    let account = account_of(&[(0, 1000, &reads)]);
    assert!((share(&account, Activity::Read) - 0.9).abs() < 1e-9);
    assert!((share(&account, Activity::Cpu) - 0.1).abs() < 1e-9);
    assert_eq!(account.program[0].storage.as_deref(), Some("/mnt/slow"));
    let requests = &account.requests[0];
    assert_eq!(
        (requests.count, requests.waited, requests.bytes),
        (100, 100, 409_600)
    );
    assert_eq!((requests.at_once, requests.at_once_max), (Some(1.0), 1));
    let found = what_if(&account);
    assert_eq!(found[0].question, Question::OneAtATime);
    // Half of 90 % gone is 1.82 times; all but an eighth of it 4.71.
    let [twice, at_once] = &found[0].gains[..] else {
        panic!("{found:?}")
    };
    assert!(
        twice.low < 1.818 && twice.high > 1.818 && twice.high < 2.05,
        "{twice:?}"
    );
    assert!(at_once.low <= 1.0 && at_once.high > 4.705, "{at_once:?}");
    assert_eq!(verdict(&account).id, "why-verdict-storage");
}

#[test]
fn threads_that_wait_for_a_lock_leave_the_time_to_the_one_that_has_it() {
    // One of four reads at any time, in turn; the others wait.
    let periods = |own: u64| -> Vec<(u64, u64, Activity)> {
        (0..100)
            .map(|turn| {
                let activity = match turn % 4 == own {
                    true => Activity::Read,
                    false => Activity::Lock,
                };
                (turn * 10, turn * 10 + 10, activity)
            })
            .collect()
    };
    let all: Vec<_> = (0..4).map(periods).collect();
    let threads: Vec<Thread<'_>> = all.iter().map(|of| (0, 1000, &of[..])).collect();
    let account = account_of(&threads);
    assert!((share(&account, Activity::Read) - 1.0).abs() < 1e-9);
    assert_eq!(share(&account, Activity::Lock), 0.0);
    let locks = account.locks.as_ref().unwrap();
    assert_eq!(locks.threads, 4);
    assert!((locks.share - 0.75).abs() < 1e-9);
    assert_eq!(locks.meanwhile[0].activity, Activity::Read);
    assert_eq!(
        questions(&account)[..2],
        [Question::Lock, Question::OneAtATime]
    );
    let gain = &what_if(&account)[0].gains[0];
    assert!(gain.high >= 4.0, "four read at once: {gain:?}");
}

#[test]
fn a_thread_that_looks_after_others_has_no_time_of_its_own() {
    let reads = repeated(Activity::Read, 9, 1, 1000);
    // It wakes for a hundredth of its time.
    let sleeps: Vec<_> = (0..10)
        .map(|at| (at * 100, at * 100 + 99, Activity::Sleep))
        .collect();
    let account = account_of(&[(0, 1000, &reads), (0, 1000, &sleeps)]);
    assert_eq!(share(&account, Activity::Sleep), 0.0);
    assert_eq!(questions(&account)[0], Question::OneAtATime);
    // As a pause after each read it has.
    let mut pauses = Vec::new();
    for at in 0..50 {
        pauses.push((at * 20, at * 20 + 10, Activity::Read));
        pauses.push((at * 20 + 10, at * 20 + 20, Activity::Sleep));
    }
    let account = account_of(&[(0, 1000, &pauses)]);
    assert!((share(&account, Activity::Sleep) - 0.5).abs() < 1e-9);
    let mut found = questions(&account);
    found.sort_by_key(|of| *of as u32);
    assert_eq!(found, [Question::OneAtATime, Question::Pauses]);
}

#[test]
fn nobody_in_the_program_works_so_it_waits_for_others() {
    let waits = [(0, 1000, Activity::Child)];
    let sleeps = [(10, 900, Activity::Sleep)];
    let account = account_of(&[(0, 1000, &waits), (0, 1000, &sleeps)]);
    // The sleeping child counts, not its parent.
    assert!((share(&account, Activity::Sleep) - 0.89).abs() < 1e-9);
    assert!((share(&account, Activity::Cpu) - 0.11).abs() < 1e-9);
}

#[test]
fn what_is_served_from_memory_is_no_wait() {
    let account = account_of(&[(0, 1000, &[])]);
    assert_eq!(share(&account, Activity::Cpu), 1.0);
    assert_eq!(questions(&account), [Question::Computing]);
    assert_eq!(verdict(&account).id, "why-verdict-not-storage");
}

#[test]
fn phases_are_cut_where_the_program_does_something_else() {
    let mut periods = vec![(300, 310, Activity::Sleep)];
    periods.extend((0..60).map(|at| (400 + at * 10, 409 + at * 10, Activity::Read)));
    let account = account_of(&[(0, 1000, &periods)]);
    let phases: Vec<_> = account
        .phases
        .iter()
        .map(|of| (of.begin_ns / MS, of.end_ns / MS, of.program[0].activity))
        .collect();
    assert_eq!(
        phases,
        [(0, 400, Activity::Cpu), (400, 1000, Activity::Read)]
    );
}

#[test]
fn durable_writes_and_names_have_findings_of_their_own() {
    for (activity, question) in [
        (Activity::Flush, Question::Durability),
        (Activity::SyncWrite, Question::Durability),
        (Activity::Metadata, Question::Metadata),
        (Activity::Fault, Question::PageFaults),
        (Activity::Ready, Question::NoCpu),
        (Activity::Socket, Question::Peer),
        (Activity::Pipe, Question::OtherProcess),
    ] {
        let waits = repeated(activity, 8, 2, 1000);
        let account = account_of(&[(0, 1000, &waits)]);
        assert_eq!(questions(&account)[0], question, "{activity:?}");
    }
}

#[test]
fn without_switches_calls_are_all_that_is_known() {
    let mut tally = AccountTally::default();
    for at in 0..10u64 {
        let call = Call {
            name: "read",
            class: CallClass::Read,
            at_ns: at * 10 * MS,
            lane: 0,
            file: None,
            offset: None,
            bytes: None,
            closes: false,
        };
        tally.take(TraceEvent::Made(call));
        tally.take(TraceEvent::Answered(Answered {
            call,
            at_ns: (at * 10 + 5) * MS,
            moved_bytes: Some(1),
            status: None,
            round_trip_ns: None,
            was_pending: false,
        }));
    }
    let account = tally.account((0, u64::MAX)).unwrap();
    assert!(!account.has_switches);
    // Ten reads of 5 ms in 95 ms.
    assert!((share(&account, Activity::Read) - 50.0 / 95.0).abs() < 1e-9);
    assert_eq!(share(&account, Activity::Cpu), 0.0);
    assert_eq!(verdict(&account).id, "why-verdict-calls");
}

proptest! {
    #![proptest_config(crate::laws())]

    /// The parts of each thread are its life, and those of the program the span.
    #[test]
    fn parts_sum_to_the_time(threads in prop::collection::vec((0u64..50, 51u64..200, prop::collection::vec((0u64..200, 1u64..40, 0usize..16), 0..12)), 1..6)) {
        let threads: Vec<_> = threads
            .into_iter()
            .map(|(begin, end, periods)| {
                let mut cursor = begin;
                let mut kept = Vec::new();
                for (gap, length, activity) in periods {
                    let from = cursor + gap % 20;
                    let to = (from + length).min(end);
                    if from < to {
                        kept.push((from, to, Activity::ALL[activity]));
                        cursor = to;
                    }
                }
                (begin, end, kept)
            })
            .collect();
        let borrowed: Vec<Thread<'_>> = threads.iter().map(|(b, e, p)| (*b, *e, &p[..])).collect();
        let account = account_of(&borrowed);
        for thread in &account.threads {
            let sum: u64 = thread.parts.iter().map(|part| part.ns).sum();
            prop_assert!(sum.abs_diff(thread.span_ns) as f64 <= 0.01 * thread.span_ns as f64);
        }
        // Where threads leave a gap between them there is nothing to account for.
        let alive = |at: u64| threads.iter().any(|(b, e, _)| (*b..*e).contains(&at));
        let begin = threads.iter().map(|of| of.0).min().unwrap();
        let end = threads.iter().map(|of| of.1).max().unwrap();
        let lived = (begin..end).filter(|at| alive(*at)).count() as u64 * MS;
        let sum: u64 = account.program.iter().map(|part| part.ns).sum();
        prop_assert!(sum.abs_diff(lived) as f64 <= 0.01 * lived as f64, "{} of {}", sum, lived);
        for finding in what_if(&account) {
            for gain in &finding.gains {
                prop_assert!(gain.low <= gain.high && gain.low >= 1.0 - 1e-9, "{:?}", gain);
            }
        }
    }
}

/// 90 reads one after another in a second, 0.9 of its time; a disk behind them that read this many bytes for the program.
fn on_a_disk(read_bytes: u64) -> TimeAccount {
    let reads = repeated(Activity::Read, 10, 1, 1000);
    let mut account = account_of(&[(0, 1000, &reads)]);
    account.devices = vec![DeviceUse {
        load: DeviceLoad {
            device: "sda1".into(),
            mounts: vec!["/mnt/slow".into()],
            reads: 90,
            read_bytes,
            writes: 0,
            write_bytes: 0,
            request_ns: 1e6,
            flushes: 0,
            flush_ns: 0.0,
            busy_share: 0.1,
            outstanding: 0.1,
            own_read_bytes: Some(read_bytes),
            own_write_bytes: Some(0),
        },
        storages: vec!["/mnt/slow".into()],
        others_share: Some(0.0),
        reads: None,
    }];
    account
}

#[test]
fn a_limit_on_memory_stands_before_the_reads_that_it_causes() {
    let limited = |refaulted_bytes| {
        let mut account = on_a_disk(1000);
        account.memory_limits = vec![MemoryLimit {
            file: "/sys/fs/cgroup/a b/memory.max".into(),
            limit_bytes: 300,
            refaulted_bytes,
        }];
        account
    };
    let found = what_if(&limited(600));
    let questions: Vec<Question> = found.iter().map(|of| of.question).collect();
    assert_eq!(questions, [Question::MemoryLimit, Question::OneAtATime]);
    // 0.6 of 0.91 of the time is for what it had read before.
    assert!((found[0].share - 0.545).abs() < 0.01, "{}", found[0].share);
    let truth = 1.0 / (1.0 - 0.545);
    assert!(found[0].gains[0].low < truth && truth < found[0].gains[0].high);
    // 400 bytes were read for the first time.
    let advice = in_english(&found[0].advice);
    let command = "echo 700 > '/sys/fs/cgroup/a b/memory.max'";
    assert!(advice.contains(command), "{advice}");
    // Of little that is read again, memory is not the cause.
    let other = what_if(&limited(200));
    assert!(other.iter().all(|of| of.question != Question::MemoryLimit));
}

#[test]
fn a_limit_on_the_rate_is_a_finding_where_it_is_reached() {
    let limited = |kind, per_second, device: &str, file: &str| {
        let mut account = on_a_disk(1000);
        account.io_limits = vec![IoLimit {
            file: format!("/sys/fs/cgroup/x/{file}"),
            device: device.into(),
            number: "8:0".into(),
            kind,
            per_second,
        }];
        what_if(&account)
    };
    // 90 reads of 1,000 bytes in all, in a second of which 0.91 was for them; 0.6 of a limit is enough.
    use IoLimitKind::{ReadBytes, Reads, WriteBytes, Writes};
    for (kind, per_second, file, command) in [
        (
            Reads,
            100,
            "io.max",
            "echo '8:0 riops=200' > /sys/fs/cgroup/x/io.max",
        ),
        (
            Reads,
            160,
            "io.max",
            "echo '8:0 riops=320' > /sys/fs/cgroup/x/io.max",
        ),
        (
            ReadBytes,
            1100,
            "io.max",
            "echo '8:0 rbps=2200' > /sys/fs/cgroup/x/io.max",
        ),
        (
            ReadBytes,
            1100,
            "bps",
            "echo '8:0 2200' > /sys/fs/cgroup/x/bps",
        ),
    ] {
        let found = limited(kind, per_second, "sda", file);
        let questions: Vec<Question> = found.iter().map(|of| of.question).collect();
        assert_eq!(questions, [Question::RateLimit]);
        let advice = in_english(&found[0].advice);
        assert!(advice.contains(command), "{advice}");
        // Half of 0.91 of the time.
        let gain = &found[0].gains[0];
        assert!(gain.low < 1.83 && 1.83 < gain.high, "{gain:?}");
        assert!(
            (1.35..1.5).contains(&gain.low) && gain.high < 2.01,
            "{gain:?}"
        );
    }
    for (kind, per_second, device) in [
        (Reads, 170, "sda"),
        (Reads, 100, "sd"),
        (Reads, 100, "sdb"),
        (ReadBytes, 1900, "sda"),
        (Writes, 1, "sda"),
        (WriteBytes, 1, "sda"),
    ] {
        let found = limited(kind, per_second, device, "io.max");
        assert_eq!(found[0].question, Question::OneAtATime, "{device} {kind:?}");
    }
}

#[test]
fn the_state_of_the_kernel_is_no_storage_to_make_faster() {
    let reads = repeated(Activity::Read, 10, 1, 1000);
    let mut account = account_of(&[(0, 1000, &reads)]);
    assert_eq!(questions(&account), [Question::OneAtATime]);
    for storage in &mut account.storages {
        storage.file_system = Some("cgroup2".into());
    }
    assert_eq!(questions(&account), []);
}

#[test]
fn a_steady_rate_is_no_sign_of_a_limit_while_a_cpu_is_waited_for() {
    let first = |ready: f64| {
        let mut account = on_a_disk(1000);
        for calls in &mut account.requests {
            calls.steady_rate = Some(90.0);
            (calls.p50_ns, calls.p99_ns) = (Some(MS), Some(50 * MS));
        }
        account.program.push(Part {
            activity: Activity::Ready,
            storage: None,
            ns: (ready * 1e9) as u64,
            share: ready,
        });
        what_if(&account).first().map(|of| of.question)
    };
    assert_eq!(first(0.02), Some(Question::RateLimit));
    assert_eq!(first(0.08), Some(Question::OneAtATime));
}

#[test]
fn what_the_device_read_for_the_reads_shows_whether_they_were_cold() {
    let of = |read_bytes: u64| {
        let account = on_a_disk(read_bytes);
        let loads: Vec<DeviceLoad> = account.devices.iter().map(|of| of.load.clone()).collect();
        let used = devices(&account, &loads);
        let account = TimeAccount {
            devices: used,
            ..account
        };
        let reads = account.devices[0].reads.clone().expect("reads");
        assert_eq!((reads.count, reads.waited), (90, 90));
        assert_eq!((reads.bytes, reads.device_bytes), (90 * 4096, read_bytes));
        reads_were_cold(&account, "/mnt/slow")
    };
    assert!(of(90 * 4096));
    assert!(!of(40 * 4096), "less than half came from the device");
    // Without a device, by the calls that waited: all of them.
    let mut account = on_a_disk(0);
    account.devices.clear();
    assert!(reads_were_cold(&account, "/mnt/slow"));
    assert!(!reads_were_cold(&account, "/"));
    for calls in &mut account.requests {
        calls.waited = calls.count / 2 - 1;
    }
    assert!(!reads_were_cold(&account, "/mnt/slow"));
    // What the program moved is not known of one of several busy devices: of reads ahead, few calls wait, and they wait for most of the time.
    for (read_bytes, waited_ns, is_cold) in [
        (90 * 4096, 900, true),
        (90 * 4096, 90, false),
        (40 * 4096, 900, false),
    ] {
        let mut account = on_a_disk(read_bytes);
        for device in &mut account.devices {
            device.reads = None;
        }
        for calls in &mut account.requests {
            (calls.waited, calls.waited_ns, calls.cpu_ns) = (2, waited_ns, 100);
        }
        assert_eq!(
            reads_were_cold(&account, "/mnt/slow"),
            is_cold,
            "{read_bytes} {waited_ns}"
        );
    }
}
