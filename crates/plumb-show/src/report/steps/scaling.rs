//! How is scaling shown on the page? One row per ladder, and each step compared with Little's law.

use plumb_model::results::scaling::{ScalabilityLaw, Scaling, ScalingPoint};
use plumb_model::statement::Statement;
use plumb_words::Words;
use plumb_words::numbers::{show_count, show_time_ns};

use crate::figure::{Column, Table};
use crate::report::tables::{folded, html};
use crate::wording::{MISSING, sentence};

pub(in crate::report) fn section(scaling: &[Scaling], words: Words) -> String {
    if scaling.is_empty() {
        return String::new();
    }
    let mut out = html(&ladders(scaling, words));
    out.push_str(&folded(
        &words.label("label-littles-law-at-each-step"),
        &points(scaling, words),
        false,
    ));
    out
}

fn ladders(scaling: &[Scaling], words: Words) -> Table {
    let text = |label: &str| Column::text(words.label(label));
    let number = |label: &str| Column::number(words.label(label));
    let columns = vec![
        text("label-steps"),
        number("label-smallest-for-95"),
        number("label-in-single-rounds"),
        number("label-bounds-meet-at"),
        number("label-serial-part"),
        number("label-coherency-part"),
        number("label-greatest-deviation"),
        text("label-throughput-peak"),
    ];
    let row = |of: &Scaling| {
        let enough = of.enough.as_ref();
        let law = of.law.as_ref();
        let or_missing = |text: Option<String>| text.unwrap_or_else(|| MISSING.into());
        vec![
            of.group.clone(),
            or_missing(enough.map(|enough| format!("{} {}", of.key, enough.label))),
            or_missing(
                enough
                    .and_then(|enough| enough.in_rounds.as_ref())
                    .map(|(low, high)| format!("{low} – {high}")),
            ),
            or_missing(of.bounds.as_ref().map(|bounds| show_count(bounds.knee))),
            or_missing(law.map(|law| show_count(law.contention))),
            or_missing(law.map(|law| show_count(law.coherency))),
            or_missing(law.map(|law| format!("{} %", show_count(law.deviation_percent)))),
            peak(of, law, words),
        ]
    };
    Table {
        columns,
        rows: scaling.iter().map(row).collect(),
        note: words.label("label-scaling-note"),
    }
}

/// `30 – 60`, or the reason why there is none.
fn peak(of: &Scaling, law: Option<&ScalabilityLaw>, words: Words) -> String {
    if let Some((low, high)) = law.and_then(|law| law.peak_interval) {
        return format!("{} – {}", show_count(low), show_count(high));
    }
    if let Some(above) = law.and_then(|law| law.peak_above) {
        let statement = Statement::new("scaling-no-peak-cell").number("above", above);
        return sentence(&statement, words);
    }
    match &of.law_withheld {
        Some(why) => sentence(why, words),
        None => MISSING.into(),
    }
}

/// `52 % (50 – 53)`.
fn efficiency(point: &ScalingPoint) -> String {
    let Some(percent) = point.efficiency_percent else {
        return MISSING.into();
    };
    let rounds = point.efficiency_in_rounds;
    let rounds = rounds.map(|(low, high)| format!(" ({low:.0} – {high:.0})"));
    format!("{percent:.0} %{}", rounds.unwrap_or_default())
}

fn points(scaling: &[Scaling], words: Words) -> Table {
    let number = |label: &str| Column::number(words.label(label));
    let columns = vec![
        Column::text(words.label("label-steps")),
        number("label-load"),
        number("label-asked-in-flight"),
        number("label-operations-per-s"),
        number("label-scaling-efficiency"),
        number("label-time-by-throughput"),
        number("label-littles-law"),
        Column::text(words.label("label-fits")),
    ];
    let rows = scaling.iter().flat_map(|of| {
        of.points.iter().map(|point| {
            let time = point
                .concurrency
                .filter(|_| point.iops > 0.0)
                .map(|n| show_time_ns(n / point.iops * 1e9));
            let fits = point.fits.map(|fits| match fits {
                true => words.label("label-yes"),
                false => words.label("label-no"),
            });
            vec![
                of.group.clone(),
                format!("{} {}", of.key, point.label),
                show_count(point.requested),
                show_count(point.iops),
                efficiency(point),
                time.unwrap_or_else(|| MISSING.into()),
                point.concurrency.map_or_else(|| MISSING.into(), show_count),
                fits.unwrap_or_else(|| MISSING.into()),
            ]
        })
    });
    Table {
        columns,
        rows: rows.collect(),
        note: String::new(),
    }
}
