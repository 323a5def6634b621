//! Does the view show what keys ask for, in any size, and never a value that there is not?

use plumb_model::results::watch::{WatchColumn, WatchInterval, WatchRow, WatchTable};
use plumb_model::statement::Unit;
use plumb_words::{Language, Words};

use super::frame;
use super::history::History;
use super::*;

/// A row of a disk: name, what it does, and its bytes per second.
type Row = (&'static str, &'static str, Option<f64>);

/// The second before `end_s`, with these rows of disks, and one table more.
pub(super) fn interval(end_s: u64, rows: &[Row]) -> WatchInterval {
    let row = |instance: &'static str, kind: &'static str, values: Vec<Option<f64>>| WatchRow {
        instance: instance.into(),
        kind,
        label: match kind {
            "read" => "label-watch-read",
            "write" => "label-watch-write",
            _ => "",
        },
        is_active: values.iter().flatten().any(|value| *value > 0.0),
        values,
        largest: Vec::new(),
    };
    let column = |id, label, unit| WatchColumn { id, label, unit };
    let disks = rows
        .iter()
        .map(|(name, kind, value)| row(name, kind, vec![*value, Some(3.0)]));
    let bandwidth = column(
        "bytes_per_second",
        "label-watch-bandwidth",
        Some(Unit::BytesPerSecond),
    );
    let outstanding = column("outstanding", "label-watch-outstanding", None);
    let busy = column("busy_percent", "label-watch-busy", Some(Unit::Percent));
    WatchInterval {
        begin_ns: (end_s - 1) * 1_000_000_000,
        end_ns: end_s * 1_000_000_000,
        tables: vec![
            WatchTable {
                group: "disk",
                label: "label-watch-disks",
                columns: vec![bandwidth, outstanding],
                rows: disks.collect(),
            },
            WatchTable {
                group: "cpu",
                label: "label-watch-cores",
                columns: vec![busy],
                rows: vec![row("cpu0", "", vec![Some(50.0)])],
            },
        ],
    }
}

fn view(subject: Subject) -> WatchView {
    let clock = Box::new(|time_ns: i64| format!("12:00:{:02}", time_ns / 1_000_000_000));
    WatchView::new(subject, clock, Words::english())
}

const LIVE: Subject = Subject::Live {
    interval_ns: 1_000_000_000,
    is_recorded: true,
};

/// Ten seconds, of each of which a disk reads as many MB as the second has in its name.
fn watched() -> WatchView {
    let mut view = view(LIVE);
    for second in 1..=10 {
        let value = Some(second as f64 * 1e6);
        view.push(interval(
            second,
            &[("vda", "read", value), ("vda", "write", Some(2e6))],
        ));
    }
    view
}

fn text(view: &WatchView, width: u16, height: u16) -> String {
    view.lines(width, height, false)
        .join("\n")
        .replace("\x1b[0;7m", "[")
        .replace("\x1b[0m", "]")
}

#[track_caller]
fn has(view: &WatchView, expected: &[&str]) {
    let text = text(view, 100, 30);
    for expected in expected {
        assert!(text.contains(expected), "{expected:?} is not in\n{text}");
    }
}

fn press(view: &mut WatchView, keys: &[Key]) {
    for key in keys {
        assert!(!view.press(*key));
    }
}

#[test]
fn a_figure_is_picked_by_its_row_and_column() {
    let mut view = watched();
    has(
        &view,
        &[
            "disk vda read · bandwidth",
            "▸ vda read     [10 MB/s]",
            "highest 10 MB/s",
        ],
    );
    press(
        &mut view,
        &[Key::RowBelow, Key::ColumnAfter, Key::ColumnAfter],
    );
    has(
        &view,
        &[
            "disk vda write · outstanding",
            "▸ vda write     2 MB/s            [3]",
        ],
    );
    // The last row of all is of the other table, which has a column of its own.
    press(&mut view, &[Key::RowBelow, Key::RowBelow, Key::RowBelow]);
    has(&view, &["core cpu0 · busy", "[50 %]"]);
    press(&mut view, &[Key::TableAfter]);
    has(&view, &["disk vda read · bandwidth"]);
    press(&mut view, &[Key::TableBefore]);
    has(&view, &["core cpu0 · busy"]);
    assert!(view.press(Key::End));
}

#[test]
fn what_is_picked_first_has_a_value() {
    let mut view = view(LIVE);
    view.push(interval(1, &[("vda", "read", None)]));
    has(&view, &["disk vda read · outstanding", "[3]"]);
    // On the way to it a row is passed that has none: there is nothing to draw, and no axis.
    press(&mut view, &[Key::ColumnBefore]);
    has(&view, &["[-]", "no value in this time"]);
    assert!(!text(&view, 100, 30).contains("0 B/s"));
}

#[test]
fn what_is_picked_stays_picked_when_rows_come_and_go() {
    let mut view = watched();
    press(&mut view, &[Key::RowBelow]);
    view.push(interval(
        11,
        &[("sda", "read", Some(1.0)), ("vda", "write", Some(7e6))],
    ));
    has(
        &view,
        &["disk vda write · bandwidth", "▸ vda write     [7 MB/s]"],
    );
    // It is gone: there is no value, and its line ends where it was known last.
    view.push(interval(12, &[("sda", "read", Some(1.0))]));
    let lines = view.lines(100, 30, false);
    let title = lines[1].replace("\x1b[0m", "");
    assert!(
        title.contains("disk vda write · bandwidth") && title.contains("  -  highest 7 MB/s"),
        "{title}"
    );
    press(&mut view, &[Key::RowAbove]);
    has(&view, &["▸ cpu0"]);
}

#[test]
fn the_view_stands_still_while_intervals_come_and_goes_back_through_them() {
    let mut view = watched();
    press(&mut view, &[Key::Pause]);
    has(
        &view,
        &["12:00:10  paused, 0:00 behind; recording continues"],
    );
    view.push(interval(11, &[("vda", "read", Some(44e6))]));
    has(
        &view,
        &[
            "12:00:10  paused, 0:01 behind",
            "[10 MB/s]",
            "highest 10 MB/s",
        ],
    );
    press(&mut view, &[Key::Earlier, Key::Earlier]);
    has(&view, &["12:00:08  paused, 0:03 behind", "[8 MB/s]", "┊"]);
    press(&mut view, &[Key::Oldest, Key::Earlier]);
    has(&view, &["12:00:01  paused, 0:10 behind", "[1 MB/s]"]);
    press(&mut view, &[Key::Later]);
    has(&view, &["12:00:02  paused"]);
    press(&mut view, &[Key::MuchLater, Key::MuchLater, Key::MuchLater]);
    has(
        &view,
        &[
            "12:00:11",
            "[44 MB/s]",
            "every 1 s · recorded · back to 12:00:01",
        ],
    );
    press(&mut view, &[Key::Earlier, Key::Newest]);
    has(&view, &["[44 MB/s]"]);
}

#[test]
fn the_interval_that_the_view_stands_at_goes_when_there_is_no_room() {
    let mut view = watched();
    view.history = History::new(1);
    view.push(interval(20, &[("vda", "read", Some(1e6))]));
    press(&mut view, &[Key::Pause]);
    view.push(interval(21, &[("vda", "read", Some(2e6))]));
    has(&view, &["12:00:21  paused, 0:00 behind", "[2 MB/s]"]);
}

#[test]
fn a_row_that_was_never_active_is_shown_when_asked_for() {
    let mut view = view(LIVE);
    view.push(interval(1, &[("vda", "read", Some(1e6))]));
    let idle = WatchInterval {
        tables: interval(2, &[]).tables,
        ..interval(2, &[])
    };
    view.push(idle);
    view.history = History::new(usize::MAX);
    let mut quiet = interval(3, &[("vda", "read", Some(0.0))]);
    quiet.tables[0].rows[0].values[1] = Some(0.0);
    quiet.tables[0].rows[0].is_active = false;
    view.push(quiet);
    assert!(!text(&view, 100, 30).contains("▸ vda read"));
    press(&mut view, &[Key::IdleRows]);
    has(&view, &["▸ vda read", "[0 B/s]"]);
}

/// The places of the plot that are drawn on, as the share of its columns from the left.
fn drawn(view: &WatchView) -> Vec<usize> {
    let area = Rect::new(0, 0, 110, 30);
    let mut buffer = Buffer::empty(area);
    frame::draw(view, area, &mut buffer);
    let is_drawn = |x: &u16| {
        (2..12).any(|y| {
            let cell = buffer.cell((*x, y)).map_or(" ", |cell| cell.symbol());
            cell.chars().all(|c| ('\u{2801}'..='\u{28ff}').contains(&c))
        })
    };
    (0..110).filter(is_drawn).map(usize::from).collect()
}

#[test]
fn what_is_not_known_is_a_gap_in_the_line_and_not_0() {
    let rows = |value| [("vda", "read", value)];
    let mut whole = view(LIVE);
    let mut broken = view(LIVE);
    for second in 1..=100 {
        whole.push(interval(second, &rows(Some(5e6))));
        let value = (!(40..60).contains(&second)).then_some(5e6);
        broken.push(interval(second, &rows(value)));
    }
    for view in [&mut whole, &mut broken] {
        // All time: the axis begins with the first interval.
        press(view, &[Key::Longer; 9]);
    }
    let (whole, broken) = (drawn(&whole), drawn(&broken));
    let gap: Vec<usize> = whole
        .iter()
        .copied()
        .filter(|x| !broken.contains(x))
        .collect();
    assert!(whole.len() > 90, "{whole:?}");
    assert!((15..25).contains(&gap.len()), "{gap:?}");
    assert!(gap.windows(2).all(|pair| pair[1] == pair[0] + 1), "{gap:?}");
}

#[test]
fn every_size_and_language_has_a_frame_of_its_size() {
    for language in [Language::English, Language::Chinese, Language::Japanese] {
        let mut view = watched();
        view.words = Words::of(language);
        for stands in [false, true] {
            if stands {
                press(&mut view, &[Key::Earlier, Key::RowBelow, Key::RowBelow]);
            }
            for (width, height) in [(1, 1), (5, 2), (20, 5), (40, 14), (80, 24), (200, 60)] {
                let lines = view.lines(width, height, false);
                assert_eq!(lines.len(), usize::from(height));
                for line in lines {
                    let bare = line.replace("\x1b[0;7m", "").replace("\x1b[0m", "");
                    assert_eq!(
                        crate::terminal::width(&bare),
                        usize::from(width),
                        "{bare:?}"
                    );
                }
            }
        }
    }
    assert_eq!(view(LIVE).lines(80, 24, true).len(), 24);
}

#[test]
fn what_is_picked_is_seen_in_a_low_and_narrow_terminal() {
    let mut view = view(LIVE);
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"];
    let rows: Vec<Row> = names
        .iter()
        .map(|name| (*name, "read", Some(1e6)))
        .collect();
    view.push(interval(1, &rows));
    for _ in 0..9 {
        press(&mut view, &[Key::RowBelow]);
    }
    let text = text(&view, 30, 7);
    assert!(text.contains("disk") && text.contains("▸ j read"), "{text}");
    press(&mut view, &[Key::ColumnAfter]);
    let text = self::text(&view, 24, 7);
    assert!(text.contains("[3]"), "{text}");
}

#[test]
fn a_recording_is_shown_as_a_whole_and_walked() {
    let mut view = view(Subject::Stored);
    for second in 1..=10 {
        view.push(interval(
            second,
            &[("vda", "read", Some(second as f64 * 1e6))],
        ));
    }
    has(
        &view,
        &["12:00:10  interval 10 of 10", "12:00:00", "[10 MB/s]"],
    );
    press(&mut view, &[Key::Earlier]);
    has(
        &view,
        &["12:00:09  interval 9 of 10", "[9 MB/s]", "highest 10 MB/s"],
    );
    press(&mut view, &[Key::Oldest]);
    has(&view, &["interval 1 of 10"]);
}
