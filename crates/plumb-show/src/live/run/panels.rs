//! What is shown besides the charts? Current figures, cores, background jobs, steps, and keys.

use plumb_model::run::step_end::{StepEnd, StopReason};
use plumb_model::statement::Statement;
use plumb_words::numbers::show_bytes;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};

use super::style::{QUIET, STRONG, put, take_lines, whole_words};
use super::view::RunView;
use crate::chart::or_dash;
use crate::figure::{Quantity, percent_text};
use crate::live::state::{FinishedStep, LiveHost, LivePoint};
use crate::terminal::{printable, shortened, width};

/// Columns of the bar of a core.
const BAR: usize = 8;
/// Eighths of a block, from empty to full.
const BLOCKS: [char; 9] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/// Lays out parts one after the other, wrapping between parts; none is cut.
fn flow(parts: Vec<Vec<Span<'static>>>, columns: u16) -> Vec<Line<'static>> {
    let mut lines: Vec<Vec<Span>> = Vec::new();
    let mut used = 0;
    for part in parts {
        let wanted: usize = part.iter().map(Span::width).sum();
        match lines.last_mut() {
            Some(line) if used + 2 + wanted <= usize::from(columns) => {
                line.push(Span::raw("  "));
                line.extend(part);
                used += 2 + wanted;
            }
            _ => {
                lines.push(part);
                used = wanted;
            }
        }
    }
    lines.into_iter().map(Line::from).collect()
}

/// Operations, queue depth, bytes transferred so far, and errors.
pub(super) fn figures(view: &RunView, columns: u16) -> Vec<Line<'static>> {
    let (state, words) = (&view.state, view.words);
    let mut parts = vec![vec![
        Span::styled(words.label("label-live-operations") + " ", QUIET),
        Span::styled(
            or_dash(Quantity::OperationsPerSecond, state.now.iops),
            STRONG.fg(Color::Blue),
        ),
    ]];
    if let Some(depth) = state.depth {
        let in_flight = state.now.in_flight.map_or_else(
            || crate::wording::MISSING.to_string(),
            |mean| format!("{mean:.1}"),
        );
        let statement = Statement::new("live-queue")
            .count("depth", depth)
            .name("in-flight", in_flight);
        parts.push(vec![Span::raw(words.sentence(&statement))]);
    }
    let moved = Statement::new("live-moved")
        .name("read", show_bytes(state.read_bytes as f64))
        .name("written", show_bytes(state.written_bytes as f64));
    parts.push(vec![Span::styled(words.sentence(&moved), QUIET)]);
    let errors = Statement::new("live-errors").count("count", state.errors);
    let style = if state.errors > 0 {
        STRONG.fg(Color::Red)
    } else {
        QUIET
    };
    parts.push(vec![Span::styled(words.sentence(&errors), style)]);
    flow(parts, columns)
}

/// A bar for each core; without room, a block for each.
pub(super) fn cores(view: &RunView, columns: u16, most: u16) -> Vec<Line<'static>> {
    let cores = &view.state.cores;
    if cores.is_empty() {
        return Vec::new();
    }
    let colour = |busy: f64| match busy {
        busy if busy >= 0.9 => Color::Red,
        busy if busy >= 0.6 => Color::Yellow,
        _ => Color::Green,
    };
    let mean = cores.iter().map(|core| core.busy).sum::<f64>() / cores.len() as f64;
    let title = vec![
        Span::styled(view.words.label("label-live-cores") + " ", QUIET),
        Span::styled(percent_text((mean * 100.0).round()), STRONG),
    ];
    let mut parts = vec![title.clone()];
    parts.extend(cores.iter().map(|core| {
        let percent = format!("{:>6}", percent_text((core.busy * 100.0).round()));
        vec![
            Span::styled(format!("{:>2} ", printable(&core.name)), QUIET),
            Span::styled(bar(core.busy), Style::new().fg(colour(core.busy))),
            Span::styled(percent, QUIET),
        ]
    }));
    let lines = flow(parts, columns);
    if lines.len() <= usize::from(most) {
        return lines;
    }
    let block = |busy: f64| {
        let level = (busy.clamp(0.0, 1.0) * 8.0).round() as usize;
        ['▁', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'][level]
    };
    let mut parts = vec![title];
    parts.extend(cores.chunks(8).map(|eight| {
        eight
            .iter()
            .map(|core| {
                Span::styled(
                    block(core.busy).to_string(),
                    Style::new().fg(colour(core.busy)),
                )
            })
            .collect()
    }));
    let mut lines = flow(parts, columns);
    lines.truncate(usize::from(most.max(2)));
    lines
}

fn bar(share: f64) -> String {
    let eighths = (share.clamp(0.0, 1.0) * (BAR * 8) as f64).round() as usize;
    let (full, rest) = (eighths / 8, eighths % 8);
    let mut bar = "█".repeat(full);
    if full < BAR {
        bar.push(BLOCKS[rest]);
    }
    while bar.chars().count() < BAR {
        bar.push('·');
    }
    bar.replace(' ', "·")
}

/// The known figures of an interval, none of them cut.
fn figures_of(point: &LivePoint) -> Vec<String> {
    vec![
        or_dash(Quantity::OperationsPerSecond, point.iops),
        or_dash(Quantity::Bandwidth, point.bandwidth_bytes_per_s),
        format!("p50 {}", or_dash(Quantity::Latency, point.p50_ns)),
        format!("p99 {}", or_dash(Quantity::Latency, point.p99_ns)),
    ]
}

/// Each kind of operation of the measured job, one line each, if there are several.
pub(super) fn kinds(view: &RunView, columns: u16) -> Vec<Line<'static>> {
    let kinds = &view.state.kinds;
    let names = kinds
        .iter()
        .map(|kind| width(&kind.name))
        .max()
        .unwrap_or(0);
    let line = |kind: &crate::live::state::LiveKind| {
        let name = format!("  {}", printable(&kind.name));
        row(
            &name,
            names + 2,
            figures_of(&kind.figures),
            columns,
            Style::new(),
        )
    };
    kinds.iter().map(line).collect()
}

/// Background jobs, one line each.
pub(super) fn jobs(view: &RunView, columns: u16, most: u16) -> Vec<Line<'static>> {
    let beside = view.state.jobs.iter().skip(1);
    let line = |job: &crate::live::state::LiveJob| {
        let name = view
            .words
            .sentence(&Statement::new("live-beside").name("job", printable(&job.name)));
        let name = shortened(&name, usize::from(columns));
        row(
            &name,
            width(&name),
            figures_of(&job.now),
            columns,
            Style::new(),
        )
    };
    beside.take(usize::from(most.max(2))).map(line).collect()
}

/// The hosts of a run of many ranks, one line each: those not reporting, then slowest first; without room for all, the fastest is last.
pub(super) fn hosts(view: &RunView, columns: u16, most: u16) -> Vec<Line<'static>> {
    let Some(all) = view
        .state
        .hosts
        .as_ref()
        .filter(|all| !all.hosts.is_empty())
    else {
        return Vec::new();
    };
    let (words, count) = (view.words, all.hosts.len());
    let shown = usize::from(most.saturating_sub(1).max(2)).min(count);
    let slowest = &all.hosts[..shown - 1];
    let chosen: Vec<&LiveHost> = slowest.iter().chain(all.hosts.last()).collect();
    let names = chosen.iter().map(|host| width(&host.name)).max();
    let names = names.unwrap_or(0).min(usize::from(columns) / 2);
    let line = |host: &LiveHost| {
        let (mut style, mut figures) = (Style::new(), host_figures(host));
        if host.is_behind {
            style = style.fg(Color::Yellow);
            figures.push(words.label("label-live-host-behind"));
        }
        if let Some(seconds) = host.silent_s {
            style = style.fg(Color::Red);
            let silent = Statement::new("live-host-silent").count("seconds", seconds);
            figures.push(words.sentence(&silent));
        }
        let name = format!("  {}", shortened(&printable(&host.name), names));
        row(&name, names + 2, figures, columns, style)
    };
    let title = Statement::new("live-hosts")
        .count("hosts", count as u64)
        .count("ranks", u64::from(all.ranks));
    let mut lines = vec![Line::styled(words.sentence(&title), QUIET)];
    lines.extend(chosen.into_iter().map(line));
    lines
}

fn host_figures(host: &LiveHost) -> Vec<String> {
    vec![
        or_dash(Quantity::OperationsPerSecond, host.iops),
        or_dash(Quantity::Bandwidth, host.bandwidth_bytes_per_s),
    ]
}

/// A name and as many of its figures as fit.
fn row(
    name: &str,
    name_columns: usize,
    figures: Vec<String>,
    columns: u16,
    style: Style,
) -> Line<'static> {
    let mut text = format!(
        "{name}{}",
        " ".repeat(name_columns.saturating_sub(width(name)))
    );
    for figure in figures {
        let gap = 11usize.saturating_sub(width(&figure)).max(2);
        if width(&text) + gap + width(&figure) > usize::from(columns) {
            break;
        }
        text += &" ".repeat(gap);
        text += &figure;
    }
    Line::styled(text, style)
}

/// The steps of this round: finished ones with figures, the running one, and those to come, as far as they fit around it.
pub(super) fn steps(view: &RunView, columns: u16, lines: u16) -> Vec<Line<'static>> {
    let state = &view.state;
    let lines = usize::from(lines);
    if lines == 0 || state.plan_steps.is_empty() {
        return Vec::new();
    }
    let running = (state.step_number as usize).checked_sub(1);
    // The newest figures of each step, of any round.
    let figures = |name: &str| -> Option<&FinishedStep> {
        state.finished.iter().rfind(|step| step.step == name)
    };
    let count = state.plan_steps.len();
    let middle = running.unwrap_or(0);
    let from = middle
        .saturating_sub(lines / 2)
        .min(count.saturating_sub(lines));
    let names = state
        .plan_steps
        .iter()
        .map(|name| width(name))
        .max()
        .unwrap_or(0);
    let room = usize::from(columns).saturating_sub(3);
    let names = names.min(room);
    let last = state.finished.last();
    let has_ended = last.is_some_and(|last| last.step == state.step && last.round == state.round);
    let is_running = |at: usize| Some(at) == running && !has_ended;
    (from..count.min(from + lines))
        .map(|at| {
            let name = &state.plan_steps[at];
            let ended = figures(name);
            let mark = match ended {
                _ if is_running(at) => '▶',
                Some(step) if step.errors > 0 || step.ended_by.failure().is_some() => '✗',
                Some(_) => '✓',
                None => '·',
            };
            let style = match mark {
                '▶' => STRONG.fg(Color::Cyan),
                '✗' => Style::new().fg(Color::Red),
                '✓' => Style::new(),
                _ => QUIET,
            };
            let text = format!("{mark} {}", shortened(&printable(name), names));
            let figures = match ended {
                Some(step) if step.ended_by == StepEnd::Stopped(StopReason::Skipped) => {
                    vec![view.words.label("label-live-skipped")]
                }
                Some(step) => figures_of(&LivePoint {
                    iops: step.iops,
                    bandwidth_bytes_per_s: step.bandwidth_bytes_per_s,
                    p50_ns: step.p50_ns,
                    p99_ns: step.p99_ns,
                    ..LivePoint::default()
                }),
                None => Vec::new(),
            };
            row(&text, names + 2, figures, columns, style)
        })
        .collect()
}

/// Key hints, most important first.
pub(super) fn keys(view: &RunView, area: Rect, buffer: &mut Buffer) {
    let mut keys = vec![("q", "label-live-key-stop")];
    if view.wishes.is_some() {
        let pause = match view.is_pause_asked() {
            true => "label-live-key-go-on",
            false => "label-live-key-pause",
        };
        keys.extend([("s", "label-live-key-skip"), ("p", pause)]);
    }
    keys.push(("?", "label-live-key-help"));
    let mut spans: Vec<Span> = Vec::new();
    let mut used = 0;
    for (key, label) in keys {
        let does = format!(" {}", view.words.label(label));
        let gap = if used > 0 { 2 } else { 0 };
        let wanted = gap + width(key) + width(&does);
        if used + wanted > usize::from(area.width) {
            break;
        }
        used += wanted;
        spans.push(Span::raw(" ".repeat(gap)));
        spans.push(Span::styled(key, STRONG));
        spans.push(Span::styled(does, QUIET));
    }
    put(Line::from(spans), area, buffer);
}

/// Help of each key, in a sentence.
pub(super) fn help(view: &RunView, mut left: Rect, buffer: &mut Buffer) {
    let mut statements = vec![Statement::new("live-help-stop")];
    if view.wishes.is_some() {
        statements.push(Statement::new("live-help-skip"));
        statements.push(Statement::new("live-help-pause"));
    }
    statements.push(Statement::new("live-help-suspend"));
    statements.push(Statement::new("live-help-marks"));
    take_lines(&mut left, 1);
    for statements in statements {
        let text = view.words.sentence(&statements);
        let room = usize::from(left.width);
        let wrapped = crate::terminal::sentence_text(
            &text,
            crate::terminal::Page {
                width: room.max(20),
                colour: false,
                words: view.words,
            },
        );
        for line in wrapped.lines() {
            let line = whole_words(line, room);
            put(Line::from(line), take_lines(&mut left, 1), buffer);
        }
    }
}
