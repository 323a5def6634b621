//! Does a run read back as it was written, whatever happens to its folder?

#[path = "../../../testdata/runs/synthetic.rs"]
#[allow(dead_code)]
pub(crate) mod synthetic;

use std::fs;
use std::path::{Path, PathBuf};

use crate::{RecordError, RunWriter, read_run};
use plumb_model::run::{Event, Run};
use plumb_model::statement::Statement;
use synthetic::{Builder, Interval, Random, ladder};

/// A run of two steps in two rounds with counters, some of them missing, and a change of what is watched.
fn example() -> Run {
    let mut builder = Builder::new(ladder("read", &[1, 32]));
    builder.note(Event::Warning {
        text: plumb_model::statement::Statement::verbatim("a line\nof two, and a \"quote\""),
    });
    for round in 0..2 {
        for step in 0..2 {
            for sample in 0..3 {
                let value = f64::from(sample) * 12345.0;
                builder.reading("disk.reads", "vda", Some(value));
                builder.reading(
                    "disk.read_bytes",
                    "vda",
                    (sample != 1).then_some(value * 4096.0),
                );
                if step == 1 {
                    builder.reading("memory.cached_bytes", "", Some(value + 0.125));
                }
                builder.now_ns += 1_000_000;
            }
            builder.execute(
                step,
                round,
                &[
                    Interval::default(),
                    Interval {
                        errors: vec![("EIO", 2)],
                        ..Interval::default()
                    },
                ],
            );
        }
    }
    builder.finish()
}

fn write(run: &Run, folder: &Path) {
    let mut writer = RunWriter::create(folder, &run.header).expect("the folder is new");
    run.ticks
        .iter()
        .for_each(|tick| writer.tick(tick).expect("space for a tick"));
    writer.readings(&run.readings).expect("space for readings");
    run.notes
        .iter()
        .for_each(|note| writer.note(note).expect("space for a note"));
    writer.finish().expect("a sync");
}

fn written() -> (tempfile::TempDir, PathBuf, Run) {
    let place = tempfile::tempdir().expect("a temporary folder");
    let folder = place.path().join("deep/example.plumb");
    let run = example();
    write(&run, &folder);
    (place, folder, run)
}

fn english(doubt: &Statement) -> String {
    plumb_words::Words::english().sentence(doubt)
}

#[test]
fn a_run_reads_back_as_written() {
    let (_place, folder, run) = written();
    assert_eq!(read_run(&folder).expect("a run"), run);
    assert!(!folder.join("run.json.part").exists());
}

#[test]
fn nothing_is_overwritten() {
    let (place, folder, run) = written();
    let error = RunWriter::create(&folder, &run.header).expect_err("not empty");
    assert!(
        matches!(error, RecordError::NotEmpty { .. }) && error.to_string().contains("--output"),
        "{error}"
    );
    assert_eq!(read_run(&folder).expect("untouched"), run);
    let file = place.path().join("file");
    fs::write(&file, "mine").expect("a file");
    let error = RunWriter::create(&file, &run.header).expect_err("a file");
    assert!(matches!(error, RecordError::NotAFolder { .. }), "{error}");
    let empty = place.path().join("empty");
    fs::create_dir(&empty).expect("a folder");
    RunWriter::create(&empty, &run.header).expect("an empty folder is taken");
}

#[test]
fn a_run_is_readable_while_it_is_written() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let (folder, run) = (place.path().join("live"), example());
    let mut writer = RunWriter::create(&folder, &run.header).expect("the folder is new");
    assert_eq!(read_run(&folder).expect("an empty run").ticks.len(), 0);
    for (number, tick) in run.ticks.iter().enumerate() {
        writer.tick(tick).expect("space");
        assert_eq!(read_run(&folder).expect("a run").ticks.len(), number + 1);
    }
    // As after kill -9: the writer never finishes, and nothing is lost.
    std::mem::forget(writer);
    let read = read_run(&folder).expect("a run");
    assert_eq!((read.ticks, read.doubts), (run.ticks, Vec::new()));
}

#[test]
fn a_cut_off_last_line_is_dropped_and_named() {
    let (_place, folder, run) = written();
    for (name, complete) in [
        ("ticks.jsonl", run.ticks.len()),
        ("notes.jsonl", run.notes.len()),
    ] {
        let bytes = fs::read(folder.join(name)).expect("a file");
        for cut in [1, 2, 40] {
            fs::write(folder.join(name), &bytes[..bytes.len() - cut]).expect("a shorter file");
            let read = read_run(&folder).expect("a run");
            let left = if name == "ticks.jsonl" {
                read.ticks.len()
            } else {
                read.notes.len()
            };
            assert_eq!(
                (left, read.doubts.len()),
                (complete - 1, 1),
                "{name} cut by {cut}"
            );
            assert!(
                english(&read.doubts[0]).starts_with(name)
                    && english(&read.doubts[0]).contains("cut off"),
                "{:?}",
                read.doubts
            );
        }
        fs::write(folder.join(name), bytes).expect("the file again");
    }
    fs::remove_file(folder.join("readings.jsonl")).expect("removed");
    let read = read_run(&folder).expect("a run");
    assert_eq!(
        (read.readings.len(), english(&read.doubts[0]).as_str()),
        (0, "readings.jsonl is missing")
    );
}

#[test]
fn samples_without_their_columns_are_never_put_under_wrong_names() {
    let (_place, folder, run) = written();
    let text = fs::read_to_string(folder.join("readings.jsonl")).expect("a file");
    let mut dropped = false;
    let second =
        |line: &&str| !line.starts_with("{\"columns\":2,") || std::mem::replace(&mut dropped, true);
    let kept: Vec<&str> = text.lines().filter(second).collect();
    fs::write(folder.join("readings.jsonl"), kept.join("\n") + "\n").expect("a file");
    let read = read_run(&folder).expect("a run");
    assert!(
        read.readings.len() < run.readings.len()
            && read
                .readings
                .iter()
                .all(|reading| run.readings.contains(reading))
    );
    assert!(
        english(&read.doubts[0]).contains("list of columns is missing"),
        "{:?}",
        read.doubts
    );
}

#[test]
fn a_sample_of_another_length_is_left_out() {
    let (_place, folder, run) = written();
    let path = folder.join("readings.jsonl");
    let text = fs::read_to_string(&path).expect("a file");
    fs::write(&path, text.replacen("\"v\":[0,0]", "\"v\":[0]", 1)).expect("a file");
    let read = read_run(&folder).expect("a run");
    assert_eq!(read.readings.len(), run.readings.len() - 2);
    assert!(
        english(&read.doubts[0]).contains("1 values for 2 columns"),
        "{:?}",
        read.doubts
    );
}

#[test]
fn a_full_disk_keeps_whole_lines() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let mounted = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=96k", "none"])
        .arg(place.path())
        .output();
    if !mounted.is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: a small file system cannot be mounted here (needs root)");
        return;
    }
    let (folder, run) = (place.path().join("full"), example());
    let mut writer = RunWriter::create(&folder, &run.header).expect("the folder is new");
    let mut kept = 0;
    let error = loop {
        match writer.tick(&run.ticks[0]) {
            Ok(()) => kept += 1,
            Err(error) => break error.to_string(),
        }
        assert!(kept < 10_000, "the file system never filled up");
    };
    let read = read_run(&folder);
    drop(writer);
    let unmounted = std::process::Command::new("umount")
        .arg(place.path())
        .status();
    assert!(unmounted.is_ok_and(|status| status.success()));
    assert!(
        error.contains("ticks.jsonl: recording failed") && error.contains("is kept in"),
        "{error}"
    );
    let read = read.expect("a run");
    assert_eq!(
        (read.ticks.len(), read.doubts),
        (kept, Vec::new()),
        "half a line was left behind"
    );
}

#[test]
fn a_folder_without_a_run_is_refused_with_advice() {
    let (place, folder, _) = written();
    let error = read_run(&place.path().join("nowhere")).expect_err("no folder");
    assert!(matches!(error, RecordError::Missing { .. }), "{error}");
    let error = read_run(place.path()).expect_err("no run folder");
    assert!(
        matches!(error, RecordError::NoHeader { .. }) && error.to_string().contains("plumb run"),
        "{error}"
    );
    let error = read_run(&folder.join("run.json")).expect_err("a file");
    assert!(matches!(error, RecordError::NoHeader { .. }), "{error}");
    let header = fs::read_to_string(folder.join("run.json")).expect("the header");
    fs::write(
        folder.join("run.json"),
        header.replacen("\"format\": 3", "\"format\": 4", 1),
    )
    .expect("a newer header");
    let error = read_run(&folder).expect_err("a newer format");
    assert!(
        matches!(error, RecordError::Newer { format: 4, .. })
            && error.to_string().contains("newer plumb"),
        "{error}"
    );
    fs::write(folder.join("run.json"), &header[..header.len() / 2]).expect("half a header");
    assert!(matches!(
        read_run(&folder).expect_err("damaged"),
        RecordError::BadHeader { .. }
    ));
}

/// One random change: a flipped byte, a removed or duplicated range, garbage, or a larger digit.
fn mangled(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for _ in 0..=random.next_number() % 4 {
        if out.is_empty() {
            break;
        }
        let at = (random.next_number() % out.len() as u64) as usize;
        let end = (at + (random.next_number() % 64) as usize).min(out.len());
        match random.next_number() % 6 {
            0 => out[at] = random.next_number() as u8,
            1 => drop(out.drain(at..end)),
            2 => out.extend_from_within(at..end),
            3 => out.truncate(at),
            4 => out[at..end].fill(b'9'),
            _ => drop(out.splice(
                at..at,
                b"[[{{\"\\u0000,-1e999,18446744073709551615".iter().copied(),
            )),
        }
    }
    out
}

#[test]
fn thousands_of_mangled_folders_are_survived() {
    let (_place, folder, _) = written();
    let mut random = Random(20_261_121);
    let mut read = 0;
    for name in ["run.json", "ticks.jsonl", "readings.jsonl", "notes.jsonl"] {
        let bytes = fs::read(folder.join(name)).expect("a file");
        for _ in 0..600 {
            fs::write(folder.join(name), mangled(&bytes, &mut random)).expect("a mangled file");
            if let Ok(run) = read_run(&folder) {
                read += 1;
                // Accepted values can be summed: the sums below overflow, and panic here, if the reader accepts impossible ones.
                let mut all = plumb_model::run::histogram::Histogram::default();
                run.ticks
                    .iter()
                    .flat_map(|tick| &tick.kinds)
                    .for_each(|kind| all.merge(&kind.service));
                let _: u64 = run
                    .ticks
                    .iter()
                    .flat_map(|tick| &tick.kinds)
                    .map(|kind| kind.count + kind.bytes)
                    .sum();
            }
        }
        fs::write(folder.join(name), bytes).expect("the file again");
    }
    assert!(
        read > 1200,
        "only {read} of 2400 mangled folders were read at all"
    );
}

#[test]
fn many_steps_and_rounds_come_back() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let folder = place.path().join("large");
    let depths: Vec<u32> = (1..=1000).collect();
    let mut builder = Builder::new(ladder("read", &depths));
    let mut writer = RunWriter::create(&folder, &builder.run.header).expect("the folder is new");
    for round in 0..10 {
        for step in 0..1000 {
            builder.execute(step, round, &[Interval::default()]);
            builder
                .run
                .ticks
                .drain(..)
                .for_each(|tick| writer.tick(&tick).expect("space"));
        }
    }
    builder
        .run
        .notes
        .iter()
        .for_each(|note| writer.note(note).expect("space"));
    writer.finish().expect("a sync");
    let started = std::time::Instant::now();
    let run = read_run(&folder).expect("a run");
    eprintln!("10,000 executions read in {:?}", started.elapsed());
    assert_eq!((run.ticks.len(), run.doubts.len()), (10_000, 0));
}

#[test]
fn an_abandoned_header_is_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let builder = folder.path().join("run.json.part");
    for left in ["", "{", "{\n  \"format\": 1,\n  \"id"] {
        std::fs::write(&builder, left).expect("written");
        let error = read_run(folder.path()).expect_err("no run").to_string();
        assert!(
            error.contains("nothing was measured") && !error.contains("plumb show"),
            "{error}"
        );
        assert!(
            crate::writer::claim(folder.path()).expect("claimed"),
            "{left:?}"
        );
        assert!(!builder.exists());
    }
    // In use by another process, owned by another program, or with other files: not changed.
    std::fs::write(&builder, "{").expect("written");
    let writing = std::fs::File::open(&builder).expect("open");
    writing.lock().expect("locked");
    assert!(matches!(
        crate::writer::claim(folder.path()),
        Err(RecordError::NotEmpty { .. })
    ));
    drop(writing);
    std::fs::write(&builder, "a letter").expect("written");
    assert!(matches!(
        crate::writer::claim(folder.path()),
        Err(RecordError::NotEmpty { .. })
    ));
    std::fs::write(&builder, "")
        .and_then(|()| std::fs::write(folder.path().join("other"), ""))
        .expect("written");
    assert!(matches!(
        crate::writer::claim(folder.path()),
        Err(RecordError::NotEmpty { .. })
    ));
    assert!(builder.exists());
}
