//! From which value on does each rule fire? Both sides of each threshold; and how severe is what it finds?

use std::collections::BTreeMap;

use plumb_model::environment::Fact;
use plumb_model::environment::Fact::{Flag, Number, Text};
use plumb_model::results::finding::{Finding, Severity};
use plumb_model::run::Run;
use plumb_model::run::ranks::MachineUse;
use plumb_model::statement::Argument;
use plumb_model::units::Bytes;
use plumb_model::workload::{Direct, Workload};

use crate::rule::Scene;
use crate::rules::RULES;
use crate::synthetic::{Builder, Interval, ladder, step};
use crate::two_hosts::{hosts_that_share, on_busy_hosts, on_two_hosts};

fn judged(rule: &str, scene: &Scene) -> Vec<Finding> {
    let found = RULES.iter().find(|known| known.name == rule);
    scene.judge(found.expect("a rule of this name"))
}

fn facts(facts: &[(&str, f64)]) -> Scene {
    let numbers: Vec<(&str, Fact)> = facts.iter().map(|(id, of)| (*id, Number(*of))).collect();
    Scene::environment(&numbers)
}

/// With one more fact.
fn and(mut scene: Scene, id: &str, fact: Fact) -> Scene {
    scene.environment.set(id, fact);
    scene
}

/// Depth 1 for so many seconds of 10,000 reads of 4 KiB, with counters that rise by so much over them.
fn counted(seconds: usize, rises: &[(&'static str, &str, f64)]) -> Builder {
    let mut builder = Builder::new(ladder("read", &[1]));
    for (metric, instance, _) in rises {
        builder.reading(metric, instance, Some(5.0));
    }
    builder.execute(0, 0, &vec![Interval::default(); seconds]);
    for (metric, instance, rise) in rises {
        builder.reading(metric, instance, Some(5.0 + rise));
    }
    builder
}

fn rises(seconds: usize, rises: &[(&'static str, &str, f64)]) -> Scene {
    Scene::run(counted(seconds, rises).finish())
}

fn one_second(iops: f64) -> Run {
    let mut builder = Builder::new(ladder("read", &[1]));
    let interval = Interval {
        iops,
        ..Interval::default()
    };
    builder.execute(0, 0, &[interval]);
    builder.finish()
}

/// What two ranks on a host each complete in the same second.
fn ranks(operations: [u64; 2]) -> Scene {
    Scene::run(on_two_hosts(one_second(10_000.0), operations, 0))
}

/// Two hosts whose clocks differ by so much, known to this.
fn clocks(ahead_ns: i64, known_to_ns: u64) -> Scene {
    let mut run = on_two_hosts(one_second(10_000.0), [1000, 1000], ahead_ns);
    for index in &mut run.header.ranks.as_mut().expect("two ranks").processes {
        index.clock_uncertainty_ns = known_to_ns;
    }
    Scene::run(run)
}

fn busy(cpu_percent: f64) -> Scene {
    Scene::run(on_busy_hosts([Some(10.0), Some(cpu_percent)].map(
        |cpu_percent| MachineUse {
            covered_s: 1.0,
            cpus: 4,
            cpu_percent,
            ..MachineUse::default()
        },
    )))
}

/// Segments that each of two hosts sent again, of so many.
fn lost(again: [f64; 2], sent: f64) -> Scene {
    lost_of(again.map(|again| (again, sent)))
}

fn lost_of(segments: [(f64, f64); 2]) -> Scene {
    Scene::run(on_busy_hosts(segments.map(|(again, sent)| MachineUse {
        covered_s: 1.0,
        segments_sent: Some(sent),
        segments_retransmitted: Some(again),
        ..MachineUse::default()
    })))
}

/// Five seconds of an open loop that should have had 10,000 operations in each.
fn open(iops: f64, backlog: u64) -> Scene {
    let workload = Workload {
        rate: Some(10_000.0),
        ..Workload::default()
    };
    let mut builder = Builder::new(vec![step("read", "read", &[], workload)]);
    let interval = Interval {
        iops,
        backlog: Some(backlog),
        ..Interval::default()
    };
    builder.execute(0, 0, &vec![interval; 5]);
    Scene::run(builder.finish())
}

fn rounds(iops: &[f64]) -> Scene {
    let mut builder = Builder::new(ladder("read", &[1]));
    for (round, iops) in iops.iter().enumerate() {
        let interval = Interval {
            iops: *iops,
            ..Interval::default()
        };
        builder.execute(0, round as u32, &[interval]);
    }
    Scene::run(builder.finish())
}

/// A buffered read of a file of this size on a machine with 8 GB.
fn buffered(size: u64, limit: Option<f64>) -> Scene {
    let workload = Workload {
        size: Some(Bytes(size)),
        direct: Direct::No,
        ..Workload::default()
    };
    let mut scene =
        facts(&[("memory.total_bytes", 8e9)]).planned(vec![step("read", "read", &[], workload)]);
    if let Some(limit) = limit {
        scene = and(scene, "cgroup.memory_limit_bytes", Number(limit));
    }
    scene
}

/// 10,000 operations per second by a worker that is busy for this part of the time, where the null engine reached this.
fn generator(cpu_percent: f64, ceiling: f64) -> Scene {
    let mut builder = Builder::new(ladder("read", &[1]));
    let interval = Interval {
        cpu_percent,
        ..Interval::default()
    };
    let execution = builder.execute(0, 0, &vec![interval; 3]);
    builder.note(plumb_model::run::Event::Ceiling {
        execution,
        job: 0,
        operations_per_s: ceiling,
    });
    Scene::run(builder.finish())
}

/// The device moved so many bytes in this time; 40,960,000 a second are our own.
fn device(seconds: usize, bytes: f64) -> Scene {
    let disk = [
        ("disk.read_bytes", "vda", bytes),
        ("disk.write_bytes", "vda", 0.0),
    ];
    let builder = counted(seconds, &disk).fact("device.name", Text("vda".into()));
    Scene::run(builder.finish())
}

fn queues(speed: f64, top_percent: f64, packets: f64, lines: f64, cpus: f64) -> Scene {
    facts(&[
        ("network.speed_bits_per_s", speed),
        ("network.receive_queues", 8.0),
        ("network.rss_queues", 8.0),
        ("network.interrupts", lines),
        ("network.interrupt_top_percent", top_percent),
        ("network.packets_since_boot", packets),
        ("cpu.threads", cpus),
    ])
}

fn nfs(speed: f64, protocol: &str) -> Scene {
    let scene = facts(&[("network.speed_bits_per_s", speed), ("share.channels", 1.0)]);
    let scene = and(scene, "share.protocol", Text(protocol.into()));
    and(scene, "share.transport", Text("tcp".into()))
}

/// 1 GB/s and this round trip, with a receive buffer of this size.
fn window(round_trip_us: f64, buffer: f64, scaled: bool) -> Scene {
    let scene = facts(&[
        ("network.speed_bits_per_s", 8e9),
        ("network.round_trip_us", round_trip_us),
        ("network.tcp_receive_max_bytes", buffer),
    ]);
    and(scene, "network.tcp_window_scaling", Flag(scaled))
}

fn interfaces(fast: f64, rss: bool) -> Scene {
    let scene = facts(&[
        ("share.channels", 1.0),
        ("share.server_fast_interfaces", fast),
    ]);
    let scene = and(scene, "share.protocol", Text("cifs".into()));
    and(scene, "share.server_rss", Flag(rss))
}

fn errors(packets: f64, errors: f64, drops: f64) -> Scene {
    facts(&[
        ("network.packets_since_boot", packets),
        ("network.errors_since_boot", errors),
        ("network.drops_since_boot", drops),
    ])
}

fn segments(sent: f64, again: f64) -> Scene {
    rises(
        3,
        &[
            ("tcp.segments_sent", "", sent),
            ("tcp.segments_retransmitted", "", again),
        ],
    )
}

/// Rule, what it stands at, just enough, and just not.
type Threshold = (&'static str, &'static str, Scene, Scene);

fn of_the_environment() -> Vec<Threshold> {
    let mtu = |mtu, speed| {
        facts(&[
            ("network.mtu_bytes", mtu),
            ("network.speed_bits_per_s", speed),
        ])
    };
    let free = |free, total| facts(&[("mount.free_bytes", free), ("mount.total_bytes", total)]);
    let speed = |speed| facts(&[("network.speed_bits_per_s", speed)]);
    let size = |read, write| {
        facts(&[
            ("share.read_max_bytes", read),
            ("share.write_max_bytes", write),
        ])
    };
    let one = |id: &'static str, value| facts(&[(id, value)]);
    vec![
        (
            "machine_was_busy",
            "a quarter of all CPUs",
            one("activity.cpu_busy_percent", 25.0),
            one("activity.cpu_busy_percent", 24.99),
        ),
        (
            "low_free_space",
            "a tenth is free",
            free(0.999e11, 1e12),
            free(1e11, 1e12),
        ),
        (
            "low_free_space",
            "a size that is known",
            free(0.0, 1.0),
            free(0.0, 0.0),
        ),
        ("link_is_slow", "10 Gbit/s", speed(9.999e9), speed(10e9)),
        (
            "link_is_slow",
            "a speed that is known",
            speed(1.0),
            speed(0.0),
        ),
        (
            "mtu_is_small_for_the_link",
            "1500 bytes",
            mtu(1500.0, 10e9),
            mtu(1501.0, 10e9),
        ),
        (
            "mtu_is_small_for_the_link",
            "10 Gbit/s",
            mtu(1500.0, 10e9),
            mtu(1500.0, 9.999e9),
        ),
        (
            "mtu_is_small_for_the_link",
            "an MTU that is known",
            mtu(1.0, 10e9),
            mtu(0.0, 10e9),
        ),
        (
            "nfs_single_connection",
            "10 Gbit/s",
            nfs(10e9, "nfs"),
            nfs(9.999e9, "nfs"),
        ),
        (
            "nfs_single_connection",
            "NFS",
            nfs(10e9, "nfs"),
            nfs(10e9, "cifs"),
        ),
        // Half of the buffer is the window: 1 MB for 1 GB/s over 1 ms.
        (
            "buffers_below_the_path",
            "the path holds 1 MB",
            window(1000.0, 1.999e6, true),
            window(1000.0, 2e6, true),
        ),
        (
            "buffers_below_the_path",
            "65,535 bytes without scaling",
            window(65.6, 2e6, false),
            window(65.5, 2e6, false),
        ),
        (
            "buffers_below_the_path",
            "half of a small buffer without scaling",
            window(51.0, 1e5, false),
            window(50.0, 1e5, false),
        ),
        (
            "buffers_below_the_path",
            "a buffer that is known",
            window(1000.0, 1.0, true),
            window(1000.0, 0.0, true),
        ),
        (
            "one_queue_takes_all",
            "10 Gbit/s",
            queues(10e9, 95.0, 5e6, 8.0, 8.0),
            queues(9.999e9, 95.0, 5e6, 8.0, 8.0),
        ),
        (
            "one_queue_takes_all",
            "90 % of the interrupts",
            queues(25e9, 90.0, 5e6, 8.0, 8.0),
            queues(25e9, 89.9, 5e6, 8.0, 8.0),
        ),
        (
            "one_queue_takes_all",
            "a million packets",
            queues(25e9, 95.0, 1e6, 8.0, 8.0),
            queues(25e9, 95.0, 999_999.0, 8.0, 8.0),
        ),
        (
            "one_queue_takes_all",
            "two lines",
            queues(25e9, 95.0, 5e6, 2.0, 8.0),
            queues(25e9, 95.0, 5e6, 1.0, 8.0),
        ),
        (
            "one_queue_takes_all",
            "two CPUs",
            queues(25e9, 95.0, 5e6, 8.0, 2.0),
            queues(25e9, 95.0, 5e6, 8.0, 1.0),
        ),
        (
            "share_without_multichannel",
            "two fast interfaces",
            interfaces(2.0, false),
            interfaces(1.0, false),
        ),
        (
            "share_without_multichannel",
            "receive side scaling",
            interfaces(1.0, true),
            interfaces(1.0, false),
        ),
        (
            "small_rsize_or_wsize",
            "512 KiB",
            size(524_287.0, 1e6),
            size(524_288.0, 1e6),
        ),
        (
            "small_rsize_or_wsize",
            "the smaller of both",
            size(1e6, 524_287.0),
            size(0.0, 1e6),
        ),
        (
            "other_io_on_device",
            "4 MB/s",
            one("activity.device_bytes_per_s", 4e6),
            one("activity.device_bytes_per_s", 3.999e6),
        ),
        (
            "other_io_on_device",
            "100 operations per second",
            one("activity.device_operations_per_s", 100.0),
            one("activity.device_operations_per_s", 99.9),
        ),
        (
            "interface_has_errors",
            "1 error of 100,000 packets",
            errors(1e6, 10.1, 0.0),
            errors(1e6, 10.0, 0.0),
        ),
        (
            "interface_has_errors",
            "1 drop of 1,000 packets",
            errors(1e6, 0.0, 1000.1),
            errors(1e6, 0.0, 1000.0),
        ),
        (
            "interface_has_errors",
            "packets that are known",
            errors(1.0, 1.0, 0.0),
            errors(0.0, 1.0, 0.0),
        ),
        (
            "working_set_fits_in_ram",
            "8 GB",
            buffered(7_999_999_999, None),
            buffered(8_000_000_000, None),
        ),
        (
            "working_set_fits_in_ram",
            "the limit of the group",
            buffered(999_999_999, Some(1e9)),
            buffered(1_000_000_000, Some(1e9)),
        ),
    ]
}

fn of_a_run() -> Vec<Threshold> {
    let swapped = |read, written| {
        rises(
            10,
            &[("swap.in_bytes", "", read), ("swap.out_bytes", "", written)],
        )
    };
    let drops = |metric, count| rises(3, &[(metric, "eth0", count)]);
    let stolen = |ns| rises(10, &[("cpu.steal_ns", "0", ns), ("cpu.steal_ns", "1", 0.0)]);
    let throttled = |ns| rises(10, &[("cgroup.cpu_throttled_ns", "", ns)]);
    let hot = |count| rises(10, &[("cpu.throttle_count", "", count)]);
    let mounted = |requests| rises(3, &[("nfs.retransmits", "/mnt/n", requests)]);
    let early = |received, early| {
        rises(
            3,
            &[
                ("tcp.segments_received", "", received),
                ("tcp.out_of_order", "", early),
            ],
        )
    };
    vec![
        // 1 MiB/s over 10 s, in and out together.
        (
            "machine_swapped",
            "1 MiB/s",
            swapped(10_000_000.0, 485_760.0),
            swapped(10_000_000.0, 485_759.0),
        ),
        (
            "interface_has_errors",
            "one in the run",
            drops("network.receive_errors", 1.0),
            drops("network.receive_errors", 0.0),
        ),
        (
            "interface_has_errors",
            "one in the run",
            drops("network.transmit_errors", 1.0),
            drops("network.transmit_errors", 0.0),
        ),
        (
            "interface_has_errors",
            "ten drops in the run",
            drops("network.receive_drops", 10.0),
            drops("network.receive_drops", 9.0),
        ),
        (
            "interface_has_errors",
            "ten drops in the run",
            drops("network.transmit_drops", 10.0),
            drops("network.transmit_drops", 9.0),
        ),
        // 2 % of 10 s; of each of two cores.
        (
            "throttled",
            "0.2 s of 10 s",
            throttled(200_000_001.0),
            throttled(200_000_000.0),
        ),
        (
            "throttled",
            "0.4 s of 10 s of two cores",
            stolen(400_000_001.0),
            stolen(400_000_000.0),
        ),
        ("throttled", "once", hot(1.0), hot(0.0)),
        (
            "retransmits_in_the_run",
            "1 of 1,000",
            segments(1e5, 100.0),
            segments(1e5, 99.0),
        ),
        (
            "retransmits_in_the_run",
            "20 of few",
            segments(1e4, 20.0),
            segments(1e4, 19.0),
        ),
        (
            "retransmits_in_the_run",
            "one request",
            mounted(1.0),
            mounted(0.0),
        ),
        (
            "segments_arrived_out_of_order",
            "1 of 1,000",
            early(1e6, 1000.0),
            early(1e6, 999.0),
        ),
        (
            "segments_arrived_out_of_order",
            "100 of few",
            early(1e4, 100.0),
            early(1e4, 99.0),
        ),
        ("hosts_are_busy", "90 % of all CPUs", busy(90.0), busy(89.9)),
        (
            "one_host_is_slower",
            "four fifths of the others",
            ranks([1000, 799]),
            ranks([1000, 800]),
        ),
        // Jain's index of 2 and 1 is 9/10.
        (
            "ranks_get_unequal_shares",
            "twice as much",
            ranks([1000, 499]),
            ranks([1000, 500]),
        ),
        (
            "clocks_differ",
            "half a second",
            clocks(500_000_001, 0),
            clocks(500_000_000, 0),
        ),
        (
            "clocks_differ",
            "ten times what is known",
            clocks(-1_000_000_001, 100_000_000),
            clocks(-1_000_000_000, 100_000_000),
        ),
        (
            "one_path_loses_segments",
            "1 of 1,000",
            lost([0.0, 100.0], 1e5),
            lost([0.0, 99.0], 1e5),
        ),
        (
            "one_path_loses_segments",
            "20 of few",
            lost([0.0, 20.0], 1e4),
            lost([0.0, 19.0], 1e4),
        ),
        (
            "one_path_loses_segments",
            "ten times the others",
            lost([50.0, 500.0], 1e5),
            lost([51.0, 500.0], 1e5),
        ),
        // 98 % of 50,000 less four times their square root, 48,105.6; 5 % of a second less than 500 and four times its root, 589.4.
        (
            "rate_not_achieved",
            "98 % of the rate",
            open(9_621.0, 0),
            open(9_622.0, 0),
        ),
        (
            "rate_not_achieved",
            "50 ms of the rate",
            open(10_000.0, 590),
            open(10_000.0, 589),
        ),
        // A quarter of the median, 11,429.
        (
            "rounds_disagree",
            "a quarter",
            rounds(&[10_000.0, 12_858.0]),
            rounds(&[10_000.0, 12_857.0]),
        ),
        (
            "rounds_disagree",
            "100 operations",
            rounds(&[100.0, 200.0]),
            rounds(&[99.0, 200.0]),
        ),
        (
            "too_short_for_percentile",
            "1,000 operations",
            Scene::run(one_second(999.0)),
            Scene::run(one_second(1000.0)),
        ),
        (
            "hosts_scale",
            "90 % of what each gets alone",
            Scene::run(hosts_that_share([10e3, 19e3, 36.1e3])),
            Scene::run(hosts_that_share([10e3, 19e3, 35.9e3])),
        ),
        (
            "hosts_scale",
            "a tenth more",
            Scene::run(hosts_that_share([10e3, 19e3, 20.8e3])),
            Scene::run(hosts_that_share([10e3, 19e3, 21e3])),
        ),
        (
            "generator_was_the_limit",
            "95 % of a CPU",
            generator(95.0, 1e9),
            generator(94.9, 1e9),
        ),
        (
            "generator_was_the_limit",
            "four fifths of the ceiling",
            generator(10.0, 12_500.0),
            generator(10.0, 12_501.0),
        ),
        (
            "generator_was_the_limit",
            "a fifth beyond the ceiling",
            generator(10.0, 8_334.0),
            generator(10.0, 8_333.0),
        ),
        // 409,600,000 bytes are our own in 10 s, 40,960,000 in one.
        (
            "other_io_on_device",
            "a quarter more",
            device(10, 512_000_001.0),
            device(10, 512_000_000.0),
        ),
        (
            "other_io_on_device",
            "64 MB",
            device(1, 104_960_001.0),
            device(1, 104_960_000.0),
        ),
    ]
}

#[test]
fn a_host_is_compared_with_the_median_of_the_others() {
    // 500, 700 and 1,000 operations in the same second: of 700 and 1,000 the upper one.
    let mut run = on_two_hosts(one_second(10_000.0), [700, 1000], 0);
    let ranks = run.header.ranks.as_mut().expect("ranks");
    let mut third = ranks.processes[1].clone();
    (third.rank, third.host) = (2, "hostc".into());
    ranks.processes.push(third);
    let mut note = run.notes[run.notes.len() - 1].clone();
    let plumb_model::run::Event::RankEnded { end, .. } = &mut note.event else {
        panic!("the end of a rank");
    };
    (end.rank, end.measured_operations) = (2, 500);
    run.notes.push(note);
    let claimed = claimed("one_host_is_slower", &Scene::run(run));
    assert_eq!(claimed["share"], 50.0);
}

#[test]
fn a_step_of_two_buffered_jobs_is_named_once() {
    let mut scene = buffered(1 << 30, None);
    let plan = scene.plan.as_mut().expect("a plan");
    let other = plan.steps[0].jobs[0].clone();
    plan.steps[0].jobs.push(other);
    assert_eq!(claimed("working_set_fits_in_ram", &scene)["number"], 1.0);
}

#[test]
fn bytes_of_another_step_are_not_those_of_others() {
    // Readings before the first and after the second of two steps enclose both: whose bytes they are is not known.
    let run = |between: bool| {
        let mut builder =
            Builder::new(ladder("read", &[1, 2])).fact("device.name", Text("vda".into()));
        let read = |builder: &mut Builder, bytes: f64| {
            builder.reading("disk.read_bytes", "vda", Some(bytes));
            builder.reading("disk.write_bytes", "vda", Some(0.0));
        };
        read(&mut builder, 0.0);
        builder.execute(0, 0, &vec![Interval::default(); 10]);
        if between {
            read(&mut builder, 8e8);
        }
        builder.execute(1, 0, &vec![Interval::default(); 10]);
        read(&mut builder, 16e8);
        Scene::run(builder.finish())
    };
    assert_eq!(judged("other_io_on_device", &run(true)).len(), 1);
    assert_eq!(judged("other_io_on_device", &run(false)), []);
}

#[test]
fn each_rule_fires_from_its_threshold_on() {
    for (rule, limit, enough, not) in of_the_environment().iter().chain(&of_a_run()) {
        assert!(!judged(rule, enough).is_empty(), "{rule}, {limit}: silent");
        assert_eq!(judged(rule, not), [], "{rule}, {limit}: fires");
    }
}

/// Info leaves the figures valid, a warning says that they may mislead, and a severe finding ends the command with exit code 1.
#[test]
fn how_severe_what_each_rule_finds_is() {
    let mut found: BTreeMap<Severity, Vec<&str>> = BTreeMap::new();
    for rule in RULES {
        let scenes = (rule.examples)().fires;
        let mut severities: Vec<Severity> = scenes
            .iter()
            .flat_map(|scene| scene.judge(rule))
            .map(|finding| finding.severity)
            .collect();
        severities.sort();
        severities.dedup();
        for severity in severities {
            found.entry(severity).or_default().push(rule.name);
        }
    }
    for names in found.values_mut() {
        names.sort_unstable();
    }
    assert_eq!(found.remove(&Severity::Info).unwrap_or_default(), INFO);
    assert_eq!(
        found.remove(&Severity::Warning).unwrap_or_default(),
        WARNING
    );
    assert_eq!(found.remove(&Severity::Severe).unwrap_or_default(), SEVERE);
}

const INFO: &[&str] = &[
    "accelerator_utilization",
    "client_is_server",
    "clocks_differ",
    "compressible_content_on_compressing_file_system",
    "governor_not_performance",
    "hosts_scale",
    "link_is_slow",
    "mtu_is_small_for_the_link",
    "network_file_system",
    "nfs_single_connection",
    "object_store_keeps_versions",
    "operations_were_split",
    "power_plan_saves_power",
    "rdma_available_but_not_used",
    "reads_were_discarded",
    "recycle_bin_keeps_files",
    "share_is_old_dialect",
    "signing_or_encryption_costs",
    "small_rsize_or_wsize",
    "socket_was_polled",
    "tail_of_closed_loop",
    "too_short_for_percentile",
    "virtual_machine",
    "write_cache_volatile",
];

const WARNING: &[&str] = &[
    "antivirus_scans_files",
    "array_not_clean",
    "buffers_below_the_path",
    "compressible_content_on_compressing_file_system",
    "connection_was_lost",
    "credits_limit_the_depth",
    "depth_below_the_path",
    "depth_not_achieved",
    "direct_refused",
    "errors_occurred",
    "fuse_file_system",
    "generator_was_the_limit",
    "hosts_are_busy",
    "interface_has_errors",
    "latency_limit_missed",
    "link_is_slow",
    "logged_in_as_guest",
    "low_free_space",
    "machine_swapped",
    "machine_was_busy",
    "memory_file_system",
    "never_became_steady",
    "not_steady",
    "nothing_completed",
    "object_store_clock_differs",
    "object_store_keeps_versions",
    "one_host_is_slower",
    "one_path_loses_segments",
    "one_queue_takes_all",
    "other_io_on_device",
    "overlay_file_system",
    "ranks_get_unequal_shares",
    "rate_not_achieved",
    "rdma_available_but_not_used",
    "reads_from_cache_below",
    "reads_never_written_blocks",
    "recycle_bin_keeps_files",
    "retransmits_in_the_run",
    "rounds_disagree",
    "segments_arrived_out_of_order",
    "sent_and_not_arrived",
    "share_is_old_dialect",
    "share_without_multichannel",
    "slow_clock_source",
    "small_rsize_or_wsize",
    "socket_was_polled",
    "throttled",
    "workers_read_the_same",
    "working_set_fits_in_ram",
];

const SEVERE: &[&str] = &[
    "connection_was_lost",
    "link_is_slow",
    "rank_was_lost",
    "reads_never_written_blocks",
    "verification_failed",
    "write_back_failed",
];

#[test]
fn severities_at_their_limits() {
    let severity = |rule: &str, scene: &Scene| judged(rule, scene)[0].severity;
    let speed = |speed| facts(&[("network.speed_bits_per_s", speed)]);
    assert_eq!(severity("link_is_slow", &speed(1e9)), Severity::Warning);
    assert_eq!(severity("link_is_slow", &speed(1.001e9)), Severity::Info);
    let size = |size| facts(&[("share.read_max_bytes", size)]);
    assert_eq!(
        severity("small_rsize_or_wsize", &size(65_535.0)),
        Severity::Warning
    );
    assert_eq!(
        severity("small_rsize_or_wsize", &size(65_536.0)),
        Severity::Info
    );
    for (dialect, expect) in [
        ("SMB 1.0", Severity::Severe),
        ("SMB 2.1", Severity::Warning),
        ("SMB 3.0.2", Severity::Info),
        ("NFS 2", Severity::Warning),
        ("NFS 4.0", Severity::Info),
    ] {
        let mounted = Scene::environment(&[("share.dialect", Text(dialect.into()))]);
        assert_eq!(
            severity("share_is_old_dialect", &mounted),
            expect,
            "{dialect}"
        );
    }
    // More than one error in a thousand operations, 10,000 of which were completed.
    let failed = |errors: u64| {
        let mut builder = Builder::new(ladder("read", &[1]));
        let interval = Interval {
            iops: 10_000.0,
            errors: vec![("EIO", errors)],
            ..Interval::default()
        };
        builder.execute(0, 0, &[interval]);
        Scene::run(builder.finish())
    };
    assert_eq!(severity("errors_occurred", &failed(10)), Severity::Warning);
    assert_eq!(severity("errors_occurred", &failed(11)), Severity::Severe);
}

/// The arguments of a claim, numbers and quantities.
fn claimed(rule: &str, scene: &Scene) -> BTreeMap<String, f64> {
    let claim = judged(rule, scene).remove(0).claim;
    let number = |argument: &Argument| match argument {
        Argument::Quantity { value, .. } | Argument::Number(value) => Some(*value),
        Argument::Count(count) => Some(*count as f64),
        _ => None,
    };
    let arguments = claim.arguments.iter();
    arguments
        .filter_map(|(name, argument)| Some((name.to_string(), number(argument)?)))
        .collect()
}

#[test]
fn figures_in_claims_by_hand() {
    let check = |rule: &str, scene: &Scene, expect: &[(&str, f64)]| {
        let claimed = claimed(rule, scene);
        for (name, value) in expect {
            let got = claimed.get(*name).copied().unwrap_or(f64::NAN);
            assert!(
                (got - value).abs() <= 1e-9 * value.abs(),
                "{rule}, {name}: {got}, not {value}; {claimed:?}"
            );
        }
    };
    // 1 GB/s over 1 ms are 1 MB; a window of 500,000 bytes each millisecond are 500 MB/s.
    check(
        "buffers_below_the_path",
        &window(1000.0, 1e6, true),
        &[("path", 1e6), ("window", 5e5), ("rate", 5e8)],
    );
    // 10 Gbit/s by 1538 bytes on the wire.
    let jumbo = facts(&[
        ("network.mtu_bytes", 1500.0),
        ("network.speed_bits_per_s", 10e9),
    ]);
    check(
        "mtu_is_small_for_the_link",
        &jumbo,
        &[("mtu", 1500.0), ("packets", 1.25e9 / 1538.0)],
    );
    // 1448 of 1538 bytes are data.
    let slow = facts(&[("network.speed_bits_per_s", 1e9)]);
    check(
        "link_is_slow",
        &slow,
        &[("speed", 1e9), ("payload", 125e6 * 1448.0 / 1538.0)],
    );
    let full = facts(&[("mount.free_bytes", 5e10), ("mount.total_bytes", 1e12)]);
    check("low_free_space", &full, &[("free", 5e10), ("share", 5.0)]);
    let swapped = rises(
        10,
        &[("swap.in_bytes", "", 6e8), ("swap.out_bytes", "", 3e8)],
    );
    check("machine_swapped", &swapped, &[("swapped", 9e8)]);
    check(
        "one_host_is_slower",
        &ranks([1000, 600]),
        &[("share", 60.0)],
    );
    check(
        "ranks_get_unequal_shares",
        &ranks([1000, 400]),
        &[("share", 40.0)],
    );
    check(
        "hosts_are_busy",
        &busy(95.0),
        &[("cpu", 95.0), ("hosts", 1.0)],
    );
    check(
        "one_path_loses_segments",
        &lost([1.0, 50.0], 10_000.0),
        &[("part", 0.5), ("others", 0.01)],
    );
    // The part counts, not the number: 1 % of a host that sent little.
    check(
        "one_path_loses_segments",
        &lost_of([(50.0, 1e6), (30.0, 3000.0)]),
        &[("part", 1.0), ("others", 0.005)],
    );
    check(
        "clocks_differ",
        &clocks(-3_000_000_000, 0),
        &[("time", 3e9), ("count", 1.0)],
    );
    check("rate_not_achieved", &open(7_000.0, 15_000), &[]);
}
