//! What changed at which run? The changes of all lines grouped by run, with their texts, for the page and the terminal.

use plumb_model::environment::Fact;
use plumb_model::results::comparison::{Difference, Verdict, compared_metric};
use plumb_model::results::trend::{ChangePoint, Trend, TrendDrift, TrendLine, TrendRun};
use plumb_model::statement::Statement;
use plumb_words::Words;

use crate::wording::comparison::{difference_name, ratio_text, value_text};
use crate::wording::{MISSING, date_text, fact_text, with_micro_sign};

/// All changes at one run.
pub(crate) struct AtRun<'a> {
    /// Index of the run.
    pub run: usize,
    /// Lines with their change there, the largest first.
    pub lines: Vec<(&'a TrendLine, &'a ChangePoint)>,
    /// Differences in the environment, each once.
    pub environment: Vec<&'a Difference>,
}

/// The changes by run, newest first.
pub(crate) fn by_run(trend: &Trend) -> Vec<AtRun<'_>> {
    let mut runs: Vec<AtRun> = Vec::new();
    for line in &trend.lines {
        for change in &line.changes {
            let run = change.run as usize;
            let place = runs.iter().position(|at| at.run == run).unwrap_or_else(|| {
                runs.push(AtRun {
                    run,
                    lines: Vec::new(),
                    environment: Vec::new(),
                });
                runs.len() - 1
            });
            let at = &mut runs[place];
            at.lines.push((line, change));
            for difference in &change.environment {
                // One engine option in twenty steps is one difference.
                if !at
                    .environment
                    .iter()
                    .any(|held| held.what == difference.what && held.values == difference.values)
                {
                    at.environment.push(difference);
                }
            }
        }
    }
    for at in &mut runs {
        at.lines
            .sort_by(|a, b| b.1.ratio.ln().abs().total_cmp(&a.1.ratio.ln().abs()));
    }
    runs.sort_by_key(|at| std::cmp::Reverse(at.run));
    runs
}

/// Lines that drift, the strongest first.
pub(crate) fn drifting(trend: &Trend) -> Vec<(&TrendLine, &TrendDrift)> {
    let mut lines: Vec<_> = trend
        .lines
        .iter()
        .filter_map(|line| Some((line, line.drift.as_ref()?)))
        .collect();
    lines.sort_by(|a, b| b.1.ratio.ln().abs().total_cmp(&a.1.ratio.ln().abs()));
    lines
}

/// Lines that were searched and have neither change nor drift.
pub(crate) fn steady(trend: &Trend) -> Vec<&TrendLine> {
    trend
        .lines
        .iter()
        .filter(|line| {
            line.undecided_because.is_none() && line.changes.is_empty() && line.drift.is_none()
        })
        .collect()
}

/// Lines that were not searched.
pub(crate) fn unjudged(trend: &Trend) -> Vec<&TrendLine> {
    trend
        .lines
        .iter()
        .filter(|line| line.undecided_because.is_some())
        .collect()
}

/// `random-read depth=32, p99`.
pub(crate) fn line_name(line: &TrendLine) -> String {
    let metric = compared_metric(&line.metric).map_or(line.metric.as_str(), |metric| metric.name);
    let kind = line
        .kind
        .as_ref()
        .map(|kind| format!("{kind} "))
        .unwrap_or_default();
    format!("{}, {kind}{metric}", line.step)
}

/// A ratio as a change: `−12 %`, `134 times lower`.
pub(crate) fn change_text(ratio: f64, words: Words) -> String {
    match ratio.is_finite() {
        true => ratio_text(ratio, 0, words),
        false => MISSING.into(),
    }
}

/// `▼`: the mark of a verdict, independent of color.
pub(crate) fn mark(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Better => "▲",
        Verdict::Worse => "▼",
        Verdict::Same => "=",
        Verdict::Undecided => "?",
    }
}

/// `10,000/s → 8,000/s`.
pub(crate) fn from_to(line: &TrendLine, before: f64, after: f64) -> String {
    format!(
        "{} → {}",
        value_text(&line.unit, Some(before)),
        value_text(&line.unit, Some(after))
    )
}

/// `kernel release and version: 6.1 → 6.2`.
pub(crate) fn difference_text(difference: &Difference, words: Words) -> String {
    let value = |fact: Option<&Option<Fact>>| match fact
        .and_then(Option::as_ref)
        .map(|fact| fact_text(&difference.what, fact, words))
    {
        None => words.label("label-trend-not-known"),
        Some(Ok(value)) => with_micro_sign(&value),
        Some(Err(reason)) => {
            words.sentence(&Statement::new("trend-not-known-because").name("reason", reason))
        }
    };
    format!(
        "{}: {} → {}",
        difference_name(difference, words),
        value(difference.values.first()),
        value(difference.values.get(1))
    )
}

/// Date and time without the zone and the seconds: `2026-11-21 10:22`.
pub(crate) fn moment(run: &TrendRun) -> String {
    date_text(&run.started).chars().take(16).collect()
}

/// Label of a run on an axis: its day, or as much of its time as needed to distinguish runs.
pub(crate) fn axis_names(trend: &Trend) -> Vec<String> {
    let part = |from: usize, until: usize| -> Vec<String> {
        let text = |run: &TrendRun| {
            let date = date_text(&run.started);
            date.chars().skip(from).take(until - from).collect()
        };
        trend.runs.iter().map(text).collect()
    };
    let alike = |names: &[String]| names.windows(2).any(|pair| pair[0] == pair[1]);
    let (days, days_and_minutes, minutes, seconds) =
        (part(0, 10), part(5, 16), part(11, 16), part(11, 19));
    let one_day = days.windows(2).all(|pair| pair[0] == pair[1]);
    match one_day {
        true if alike(&minutes) => seconds,
        true => minutes,
        // Several runs of one day among those of others.
        false if alike(&days) => days_and_minutes,
        false => days,
    }
}

/// `20 runs of plan check on /mnt/data, host box, 2026-11-01 to 2026-11-20`.
pub(crate) fn subject(trend: &Trend, words: Words) -> String {
    let (Some(first), Some(last)) = (trend.runs.first(), trend.runs.last()) else {
        return words.label("label-trend-no-runs");
    };
    let same = |of: fn(&TrendRun) -> Option<&str>, several: &str| {
        let alike = trend.runs.iter().all(|run| of(run) == of(first));
        if alike {
            of(first).map(str::to_string)
        } else {
            Some(words.label(several))
        }
    };
    let day = |run: &TrendRun| date_text(&run.started).chars().take(10).collect::<String>();
    let target = same(|run| Some(&run.target), "label-trend-several-targets").unwrap_or_default();
    let host = same(|run| run.host.as_deref(), "label-trend-several");
    let days = if day(first) == day(last) {
        day(first)
    } else {
        words.sentence(
            &Statement::new("trend-days")
                .name("first", day(first))
                .name("last", day(last)),
        )
    };
    let subject = Statement::new(match host {
        Some(_) => "trend-subject-on-host",
        None => "trend-subject",
    })
    .name("host", host.unwrap_or_default())
    .count("runs", trend.runs.len() as u64)
    .name("plan", &first.plan)
    .name("target", target)
    .name("days", days);
    words.sentence(&subject)
}

/// A trend in which two figures change at the thirteenth run, one drifts, one is constant, and one has too few runs.
#[cfg(test)]
pub(crate) fn example(runs: u32) -> Trend {
    use plumb_model::results::comparison::Direction;
    use plumb_model::results::trend::{TREND_SCHEMA, TrendMethod, TrendPoint};
    use plumb_model::statement::Statement;

    let run = |number: u32| TrendRun {
        id: format!("run-{number}"),
        folder: format!("lib/run-{number}"),
        started: format!("2026-11-{:02}T03:00:00+00:00", number % 28 + 1),
        started_unix_ns: u64::from(number),
        plan: "nightly".into(),
        target: "/srv".into(),
        host: Some("box".into()),
        tags: Vec::new(),
    };
    let value = |number: u32, after: f64| if number < 12 { 10_000.0 } else { after };
    let line = |metric: &str, unit: &str, better: Direction, after: f64| TrendLine {
        step: "random-read".into(),
        kind: None,
        metric: metric.into(),
        unit: unit.into(),
        better,
        points: (0..runs)
            .map(|run| TrendPoint {
                run,
                value: value(run, after),
                range: Some((value(run, after) - 9.0, value(run, after) + 9.0)),
                rounds: 3,
            })
            .collect(),
        changes: Vec::new(),
        drift: None,
        undecided_because: None,
    };
    let kernel = Difference {
        what: "host.kernel".into(),
        meaning: Statement::verbatim("kernel release and version"),
        values: vec![
            Some(Fact::Text("6.1".into())),
            Some(Fact::Text("6.2".into())),
        ],
        steps: Vec::new(),
    };
    let change = |after: f64, verdict: Verdict| {
        let environment = vec![kernel.clone()];
        vec![ChangePoint {
            run: 12,
            before: 10_000.0,
            after,
            ratio: after / 10_000.0,
            p_value: 1e-9,
            verdict,
            environment,
        }]
    };
    let slower = TrendLine {
        changes: change(8000.0, Verdict::Worse),
        ..line("iops", "operations/s", Direction::Higher, 8000.0)
    };
    let quicker = TrendLine {
        changes: change(4000.0, Verdict::Better),
        ..line("p99", "ns", Direction::Lower, 4000.0)
    };
    let drift = TrendDrift {
        first: 10_000.0,
        last: 12_000.0,
        ratio: 1.2,
        p_value: 1e-9,
        verdict: Verdict::Worse,
    };
    let drifting = TrendLine {
        drift: Some(drift),
        ..line("p50", "ns", Direction::Lower, 12_000.0)
    };
    let mut young = TrendLine {
        step: "young".into(),
        ..line("iops", "operations/s", Direction::Higher, 1.0)
    };
    young.points.truncate(3);
    young.undecided_because = Some(Statement::verbatim("3 runs have this figure"));
    Trend {
        schema: TREND_SCHEMA.into(),
        plumb_version: "0.1.0".into(),
        method: TrendMethod {
            name: Statement::verbatim("a method"),
            source: "a paper".into(),
            parameters: Default::default(),
        },
        runs: (0..runs).map(run).collect(),
        lines: vec![
            slower,
            quicker,
            drifting,
            line("mean", "ns", Direction::Lower, 10_000.0),
            young,
        ],
        remarks: vec![Statement::verbatim("Something to keep in mind.")],
    }
}
