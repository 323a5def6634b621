//! Does the verdict say what the run shows, and nothing else?

use plumb_model::environment::Fact;
use plumb_model::results::summary::Sentence;
use plumb_model::run::step_end::StopReason;
use plumb_model::run::{Event, Run};
use plumb_model::statement::{Argument, Unit};
use plumb_model::units::Bytes;
use plumb_model::workload::{Direct, Offsets, Workload};
use plumb_words::Words;

use crate::figures::summarise::summarise;
use crate::synthetic::{Builder, Interval, ladder, step};

fn texts(run: &Run) -> Vec<String> {
    let words = Words::english();
    let text = |sentence: &Sentence| {
        let text = words.sentence(&sentence.statement);
        assert!(
            text.ends_with('.') && !["NaN", "inf", "{"].iter().any(|odd| text.contains(odd)),
            "{text}"
        );
        assert!(!sentence.evidence.is_empty(), "rests on nothing: {text}");
        for evidence in &sentence.evidence {
            let [what, value] = [&evidence.what, &evidence.value].map(|part| words.argument(part));
            let odd = ["NaN", "inf", "{"]
                .iter()
                .any(|odd| (what.clone() + &value).contains(odd));
            assert!(
                !what.is_empty() && !value.is_empty() && !odd,
                "{what}: {value}"
            );
        }
        text
    };
    summarise(run).verdict.iter().map(text).collect()
}

/// A server of ten places of 100 us each: saturated from depth 10 on.
fn ladder_run(kind: &str, depths: &[u32], rounds: u32) -> Run {
    let mut builder = Builder::new(ladder(kind, depths));
    for round in 0..rounds {
        for (number, depth) in depths.iter().enumerate() {
            let iops = 10_000.0 * f64::from((*depth).min(10));
            let latency_ns = f64::from(*depth) / iops * 1e9 / 1.14;
            builder.execute(
                number as u32,
                round,
                &vec![
                    Interval {
                        iops,
                        latency_ns,
                        ..Interval::default()
                    };
                    3
                ],
            );
        }
    }
    builder.finish()
}

#[test]
fn evidence_keeps_its_numbers_and_says_them_with_their_units() {
    let run = ladder_run("read", &[1, 8, 16, 32], 2);
    let verdict = summarise(&run).verdict;
    let rests_on = &verdict[1].evidence;
    let words = Words::english();
    let found: Vec<String> = rests_on
        .iter()
        .map(|evidence| {
            format!(
                "{} = {}",
                words.argument(&evidence.what),
                words.argument(&evidence.value)
            )
        })
        .collect();
    assert_eq!(found[0], "IOPS at depth 16 = 100,000 IOPS");
    assert!(
        found
            .iter()
            .any(|found| found.starts_with("response time, median = 141 us")),
        "{found:?}"
    );
    let Argument::Statement(rate) = &rests_on[0].value else {
        panic!("{rests_on:?}");
    };
    let rate = &rate.arguments["rate"];
    let exact = Argument::Quantity {
        value: 100_000.0,
        unit: Unit::PerSecond,
    };
    assert_eq!(*rate, exact);
}

#[test]
fn a_ladder_with_a_knee() {
    let sentences = texts(&ladder_run("read", &[1, 4, 16, 64], 3));
    assert_eq!(sentences.len(), 2, "{sentences:?}");
    let first = "Random 4 KiB reads, one at a time: about 10,000 IOPS, mean 9";
    assert!(
        sentences[0].starts_with(first)
            && sentences[0].contains("us (median 8")
            && sentences[0].contains("us, 99 % under"),
        "{}",
        sentences[0]
    );
    assert!(
        sentences[1].starts_with("Random 4 KiB reads: about 100,000 IOPS at depth 16 (median 1"),
        "{}",
        sentences[1]
    );
    assert!(
        sentences[1].ends_with("more depth only adds latency."),
        "{}",
        sentences[1]
    );
}

/// A limit on the rate lets most operations through at once: 39.7 of them a second stood under a median of 123 us.
/// 1,000 per second of somewhat more than 1 ms each keep one operation in flight, whatever depth was asked for.
#[test]
fn a_depth_that_was_not_there_is_told_with_what_was_in_flight() {
    let mut builder = Builder::new(ladder("read", &[32]));
    let interval = Interval {
        iops: 1000.0,
        latency_ns: 1e6,
        ..Interval::default()
    };
    builder.execute(0, 0, &vec![interval; 10]);
    let run = builder.finish();
    let sentences = texts(&run);
    assert!(
        sentences
            .iter()
            .any(|text| text.contains(" at depth 32, 1.13 in flight (")),
        "{sentences:?}"
    );
}

#[test]
fn a_mean_far_from_the_median_is_told_with_the_reason() {
    let mut builder = Builder::new(ladder("write", &[1, 4]));
    for number in 0..2 {
        builder.execute(
            number,
            0,
            &vec![
                Interval {
                    iops: 40.0,
                    latency_ns: 123_000.0,
                    ..Interval::default()
                };
                10
            ],
        );
    }
    builder
        .run
        .ticks
        .iter_mut()
        .for_each(|tick| tick.kinds[0].service.record(1_000_000_000));
    let sentences = texts(&builder.finish());
    assert!(
        sentences[0].starts_with("Random 4 KiB writes, one at a time: about 40 IOPS, mean "),
        "{}",
        sentences[0]
    );
    assert!(
        sentences[0].contains(
            "times the median: a few long operations, up to 1 s, take about 99 % of the time"
        ),
        "{}",
        sentences[0]
    );
}

#[test]
fn curves_of_one_plan_are_told_apart() {
    let planned = |workers: u32, depth: u32| {
        let swept = [
            ("workers", workers.to_string()),
            ("depth", depth.to_string()),
        ];
        let swept: Vec<(&str, &str)> = swept
            .iter()
            .map(|(key, value)| (*key, value.as_str()))
            .collect();
        let workload = Workload {
            depth,
            workers,
            ..Workload::default()
        };
        step(
            &format!("read workers={workers} depth={depth}"),
            &format!("read workers={workers}"),
            &swept,
            workload,
        )
    };
    let mut builder = Builder::new(vec![
        planned(1, 2),
        planned(1, 4),
        planned(4, 2),
        planned(4, 4),
    ]);
    for (number, iops) in [20_000.0, 40_000.0, 50_000.0, 90_000.0]
        .into_iter()
        .enumerate()
    {
        builder.execute(
            number as u32,
            0,
            &[Interval {
                iops,
                ..Interval::default()
            }],
        );
    }
    let sentences = texts(&builder.finish());
    assert_eq!(sentences.len(), 2, "{sentences:?}");
    assert!(
        sentences[0].contains("(workers=1): about 40,000 IOPS at depth 4"),
        "{}",
        sentences[0]
    );
    assert!(
        sentences[1].contains("(workers=4): about 90,000 IOPS at depth 4"),
        "{}",
        sentences[1]
    );
}

#[test]
fn a_ladder_that_still_rises() {
    let sentences = texts(&ladder_run("write", &[2, 4, 8], 1));
    assert_eq!(sentences.len(), 1, "{sentences:?}");
    assert!(
        sentences[0].starts_with("Random 4 KiB writes: about 80,000 IOPS at depth 8")
            && sentences[0].contains("still rising"),
        "{}",
        sentences[0]
    );
}

#[test]
fn rounds_that_disagree_make_a_range() {
    let mut builder = Builder::new(vec![step("read", "read", &[], Workload::default())]);
    for (round, iops) in [10_000.0, 20_000.0].into_iter().enumerate() {
        builder.execute(
            0,
            round as u32,
            &[Interval {
                iops,
                ..Interval::default()
            }],
        );
    }
    let sentences = texts(&builder.finish());
    assert!(sentences[0].starts_with("Random 4 KiB reads through the page cache: between 10,000 IOPS and 20,000 IOPS at depth 1"), "{sentences:?}");
}

/// Every step in as many rounds, each faster or slower than the first by `spread`.
fn block_run(kilobytes: &[(u64, f64)], spread: &[f64]) -> Run {
    let block_step = |size: u64| {
        let workload = Workload {
            block: plumb_model::workload::Weighted::only(Bytes(size << 10)),
            offsets: Offsets::Sequential,
            direct: Direct::Yes,
            ..Workload::default()
        };
        step(
            &format!("sequential-read block={size}k"),
            "sequential-read",
            &[("block", &format!("{size}k"))],
            workload,
        )
    };
    let mut builder = Builder::new(
        kilobytes
            .iter()
            .map(|(size, _)| block_step(*size))
            .collect(),
    );
    for (round, factor) in spread.iter().enumerate() {
        for (number, (size, bandwidth)) in kilobytes.iter().enumerate() {
            let iops = bandwidth * factor / (size << 10) as f64;
            builder.execute(
                number as u32,
                round as u32,
                &[Interval {
                    iops,
                    ..Interval::default()
                }],
            );
        }
    }
    builder.finish()
}

#[test]
fn block_sizes() {
    let sentence_of =
        |kilobytes: &[(u64, f64)], spread: &[f64]| texts(&block_run(kilobytes, spread)).remove(0);
    let steady = [1.0, 1.01, 0.99];
    let text = sentence_of(&[(64, 0.9e9), (256, 2.09e9), (1024, 2.1e9)], &steady);
    assert_eq!(
        text,
        "Sequential reads at depth 1: about 2.1 GB/s from 256 KiB blocks up."
    );
    let rising = [(64, 0.9e9), (256, 1.5e9), (1024, 2.1e9)];
    assert_eq!(
        sentence_of(&rising, &steady),
        "Sequential reads at depth 1: about 2.1 GB/s with 1 MiB blocks, still rising with the block size."
    );
    // One round tells nothing of the spread, and rounds that overlap are no rise.
    for spread in [&[1.0] as &[f64], &[1.0, 1.4, 0.7]] {
        assert!(
            sentence_of(&rising, spread)
                .ends_with("with 1 MiB blocks; whether larger blocks give more is undecided."),
            "{spread:?}"
        );
    }
    let text = sentence_of(&[(64, 2.1e9), (256, 2.1e9), (1024, 1.0e9)], &steady);
    assert_eq!(
        text,
        "Sequential reads at depth 1: about 2.1 GB/s even with the smallest blocks (64 KiB); 1 GB/s with 1 MiB blocks."
    );
}

#[test]
fn steps_of_the_same_work_are_told_by_their_names() {
    let planned = |name: &str, block: u64| {
        let workload = Workload {
            block: plumb_model::workload::Weighted::only(Bytes(block << 10)),
            offsets: Offsets::Sequential,
            direct: Direct::Yes,
            ..Workload::default()
        };
        step(
            &format!("{name} block={block}k"),
            name,
            &[("block", &format!("{block}k"))],
            workload,
        )
    };
    let mut builder = Builder::new(vec![
        planned("read", 64),
        planned("read", 1024),
        planned("reread", 64),
        planned("reread", 1024),
    ]);
    for (number, iops) in [10_000.0, 1_000.0, 20_000.0, 2_000.0]
        .into_iter()
        .enumerate()
    {
        builder.execute(
            number as u32,
            0,
            &[Interval {
                iops,
                ..Interval::default()
            }],
        );
    }
    let sentences = texts(&builder.finish());
    assert_eq!(sentences.len(), 2, "{sentences:?}");
    assert!(
        sentences[0].starts_with("Sequential reads at depth 1 ('read'): about 1.05 GB/s"),
        "{}",
        sentences[0]
    );
    assert!(
        sentences[1].starts_with("Sequential reads at depth 1 ('reread'): about 2.1 GB/s"),
        "{}",
        sentences[1]
    );
}

#[test]
fn small_files() {
    let of = |kind: &str| {
        step(
            kind,
            kind,
            &[],
            Workload {
                mix: kind.parse().expect("a mix"),
                ..Workload::default()
            },
        )
    };
    let mut builder = Builder::new(vec![of("create"), of("stat"), of("delete")]);
    for (number, iops) in [12_000.0, 90_000.0, 15_000.0].into_iter().enumerate() {
        builder.execute(
            number as u32,
            0,
            &[Interval {
                iops,
                ..Interval::default()
            }],
        );
    }
    assert_eq!(
        texts(&builder.finish()),
        ["Small files of 4 KiB: 12,000 creates/s, 90,000 stats/s and 15,000 deletes/s."]
    );
}

/// The device's own count of reads tells whether files came from it or from memory; without it nothing is said.
#[test]
fn small_files_from_memory() {
    let sentence_of = |reads_of_device: Option<f64>| {
        let of = |kind: &str| {
            step(
                kind,
                kind,
                &[],
                Workload {
                    mix: kind.parse().expect("a mix"),
                    ..Workload::default()
                },
            )
        };
        let mut builder = Builder::new(vec![of("stat"), of("read-file")])
            .fact("device.name", Fact::Text("vda".into()));
        builder.reading("disk.reads", "vda", Some(1000.0));
        for (number, iops) in [90_000.0, 50_000.0].into_iter().enumerate() {
            builder.execute(
                number as u32,
                0,
                &[Interval {
                    iops,
                    ..Interval::default()
                }],
            );
            builder.reading(
                "disk.reads",
                "vda",
                reads_of_device.map(|reads| 1000.0 + number as f64 * reads),
            );
        }
        texts(&builder.finish())
    };
    assert_eq!(
        sentence_of(Some(40_000.0)),
        [
            "Small files of 4 KiB: 90,000 stats/s and 50,000 full-file reads/s; stats were answered from memory."
        ]
    );
    assert_eq!(
        sentence_of(Some(3.0)),
        [
            "Small files of 4 KiB: 90,000 stats/s and 50,000 full-file reads/s; stats and full-file reads were answered from memory."
        ]
    );
    assert_eq!(
        sentence_of(None),
        ["Small files of 4 KiB: 90,000 stats/s and 50,000 full-file reads/s."]
    );
}

/// Rounds of a step that writes 512 MiB/s, in some of them only for six seconds.
fn write_run(falls: &[bool]) -> Run {
    let block = plumb_model::workload::Weighted::only(Bytes(1 << 20));
    let workload = Workload {
        mix: "write".parse().expect("a mix"),
        block,
        offsets: Offsets::Sequential,
        ..Workload::default()
    };
    let mut builder = Builder::new(vec![step("write", "write", &[], workload)]);
    for (round, falls) in falls.iter().enumerate() {
        let level = |i: u32| {
            if i < 6 || !falls {
                512.0 + f64::from(i % 2)
            } else {
                200.0 + f64::from(i % 3)
            }
        };
        let each: Vec<Interval> = (0..30)
            .map(|i| Interval {
                iops: level(i),
                ..Interval::default()
            })
            .collect();
        builder.execute(0, round as u32, &each);
    }
    builder.finish()
}

#[test]
fn a_write_cache() {
    let sentence =
        "Writes ('write') are absorbed by a cache or a burst credit up to 3 GiB, then 211 MB/s.";
    for falls in [vec![true], vec![true, false], vec![true, true, false]] {
        assert!(
            texts(&write_run(&falls))
                .iter()
                .any(|text| text == sentence),
            "{falls:?}"
        );
    }
    for falls in [vec![false], vec![true, false, false]] {
        assert!(
            !texts(&write_run(&falls))
                .iter()
                .any(|text| text.contains("absorbed")),
            "one bad round is no cache: {falls:?}"
        );
    }
}

#[test]
fn an_open_loop_says_what_was_kept() {
    let of = |rate: f64| {
        step(
            &format!("read rate={rate}"),
            "read",
            &[("rate", &rate.to_string())],
            Workload {
                rate: Some(rate),
                ..Workload::default()
            },
        )
    };
    let mut builder = Builder::new(vec![of(1000.0), of(5000.0), of(20_000.0)]);
    for (number, iops) in [1000.0, 4990.0, 9000.0].into_iter().enumerate() {
        builder.execute(
            number as u32,
            0,
            &[Interval {
                iops,
                ..Interval::default()
            }],
        );
    }
    let sentences = texts(&builder.finish());
    assert!(
        sentences[0].contains("5,000/s are sustained (median")
            && sentences[0].ends_with("of 20,000/s requested, 9,000/s are reached."),
        "{sentences:?}"
    );
}

#[test]
fn what_was_verified_is_said_where_all_is_well() {
    let verified = |id, checked: u64, undecided: u64, errors: &[(&'static str, u64)]| {
        let mut builder = Builder::new(ladder("read", &[1]));
        let interval = Interval {
            errors: errors.to_vec(),
            ..Interval::default()
        };
        builder.execute(0, 0, &[interval]);
        let text = plumb_model::statement::Statement::new(id);
        let text = text.count("checked", checked).count("undecided", undecided);
        builder.note(Event::Warning { text });
        let sentences = texts(&builder.finish());
        let found = sentences.iter().find(|text| text.contains("erified"));
        found.cloned().unwrap_or_default()
    };
    assert_eq!(
        verified("verified-all", 2048, 0, &[]),
        "Verified: all 2,048 blocks read match what was written."
    );
    assert!(verified("verified-in-part", 9, 2, &[]).contains("none differs; 2 of them"));
    assert_eq!(
        verified("verified-nothing", 0, 0, &[]),
        "Nothing was verified: no block was read."
    );
    assert_eq!(verified("verified-all", 9, 0, &[("mismatch", 1)]), "");
    assert_eq!(verified("another-warning", 9, 0, &[]), "");
}

#[test]
fn troubles_come_first() {
    let mut builder = Builder::new(ladder("read", &[1]));
    let execution = builder.execute(
        0,
        0,
        &[Interval {
            errors: vec![("EIO", 2), ("mismatch", 1)],
            ..Interval::default()
        }],
    );
    builder.note(Event::ExecutionFailed {
        execution,
        error: plumb_model::statement::Statement::verbatim("the device went away"),
    });
    let sentences = texts(&builder.run);
    assert_eq!(
        sentences[0],
        "Data was not read back as written: 1 block differs."
    );
    assert_eq!(
        sentences[1],
        "'random-read depth=1' could not run: the device went away."
    );
    assert_eq!(sentences[2], "2 operations failed.");
    assert!(sentences[3].starts_with("The run was killed or is still running"));
}

#[test]
fn a_step_whose_engine_failed_did_run() {
    let mut builder = Builder::new(ladder("read", &[1]));
    let execution = builder.execute(0, 0, &[Interval::default()]);
    let stopped_by = StopReason::Error(plumb_model::statement::Statement::verbatim(
        "the engine failed: the stream was lost",
    ));
    builder
        .run
        .notes
        .retain(|note| !matches!(note.event, Event::ExecutionEnded { .. }));
    builder.note(Event::ExecutionEnded {
        execution,
        stopped_by,
    });
    let sentences = texts(&builder.finish());
    assert_eq!(
        sentences[0],
        "'random-read depth=1' ended early: the engine failed: the stream was lost."
    );
    assert!(
        sentences.iter().all(|text| !text.contains("could not run")),
        "{sentences:?}"
    );
}

#[test]
fn a_step_that_failed_in_one_round_is_told_by_what_kept_it_and_by_nothing_else() {
    let mut builder = Builder::new(ladder("read", &[1]));
    builder.execute(0, 0, &[Interval::default()]);
    let failed = builder.execute(0, 1, &[]);
    let broken = builder.execute(0, 2, &[Interval::default()]);
    builder.run.notes.retain(|note| {
        !matches!(note.event, Event::ExecutionEnded { execution, .. } if execution >= failed)
    });
    builder.note(Event::ExecutionFailed {
        execution: failed,
        error: plumb_model::statement::Statement::verbatim("error: no such device"),
    });
    builder.note(Event::ExecutionEnded {
        execution: broken,
        stopped_by: StopReason::Error(plumb_model::statement::Statement::verbatim(
            "failed: the stream was lost",
        )),
    });
    let sentences = texts(&builder.finish());
    assert_eq!(
        sentences[..2],
        [
            "'random-read depth=1' could not run in some rounds: error: no such device.",
            "'random-read depth=1' ended early: failed: the stream was lost.",
        ]
    );
    assert!(
        sentences[2..]
            .iter()
            .all(|text| !text.contains("could not run")),
        "{sentences:?}"
    );
}

#[test]
fn nothing_is_said_of_nothing() {
    let sentences = texts(&Builder::new(ladder("read", &[1, 2, 4])).finish());
    assert_eq!(sentences, ["Nothing was measured."]);
}

#[test]
fn a_large_plan_fits_on_a_screen() {
    let mut steps = Vec::new();
    for group in 0..30 {
        let workload = Workload {
            depth: 8,
            direct: Direct::Yes,
            ..Workload::default()
        };
        steps.push(step(
            &format!("group {group}"),
            &format!("group {group}"),
            &[],
            workload,
        ));
    }
    let mut builder = Builder::new(steps);
    for number in 0..30 {
        builder.execute(
            number,
            0,
            &[Interval {
                iops: 500.0,
                ..Interval::default()
            }],
        );
    }
    let sentences = texts(&builder.finish());
    assert_eq!(sentences.len(), super::MOST);
    assert_eq!(
        sentences[super::MOST - 1],
        "17 more results are in the tables."
    );
    assert!(
        sentences[0].contains("too few samples for the 99 % figure"),
        "{}",
        sentences[0]
    );
}

#[test]
fn jobs_of_large_blocks_beside_each_other_state_their_bandwidth() {
    let found = |block: &str| {
        let workload = |mix: &str| Workload {
            mix: mix.parse().expect("a mix"),
            block: block.parse().expect("a block"),
            depth: 128,
            ..Workload::default()
        };
        let mut both = step("both-directions", "both-directions", &[], workload("write"));
        let mut back = both.jobs[0].clone();
        (back.name, back.workload) = ("back".into(), workload("read"));
        both.jobs.push(back);
        both.origins.push(Default::default());
        let mut builder = Builder::new(vec![both]);
        builder.execute(0, 0, &[Interval::default()]);
        texts(&builder.finish())
    };
    let large = found("64k");
    assert!(
        large[0].starts_with("'both-directions', 128 in flight: write 655 MB/s (median "),
        "{large:?}"
    );
    assert!(
        large[1].starts_with(
            "'back' alongside 'both-directions', 128 in flight: read 655 MB/s (median "
        ),
        "{large:?}"
    );
    assert!(
        found("4k")[0].starts_with("'both-directions', 128 in flight: 10,000 write/s (median "),
        "{:?}",
        found("4k")
    );
}
