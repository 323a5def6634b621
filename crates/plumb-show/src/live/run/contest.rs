//! How do the sides compare so far? The difference of each figure with its interval, which narrows round by round.

use plumb_model::results::comparison::{Cell, Comparison, Effect, Verdict};
use plumb_words::Words;
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};

use super::style::{QUIET, STRONG, whole_words};
use crate::terminal::{printable, shortened, width};
use crate::wording::comparison::{change_text, verdict_mark};

/// Largest and smallest width of a drawn interval, in columns.
const BAR_MAX: usize = 41;
const BAR_MIN: usize = 11;
/// Differences beyond this factor are cut at the edge.
const FACTOR_MAX: f64 = 4.0;

/// One line per difference, throughput first, as many as fit; the first line is the heading.
pub(super) fn contest(
    comparison: &Comparison,
    words: Words,
    columns: u16,
    lines: u16,
) -> Vec<Line<'static>> {
    let columns = usize::from(columns);
    let title = whole_words(&words.label("label-live-closing"), columns);
    let mut out = vec![Line::styled(title, QUIET)];
    let mut rows: Vec<(&Cell, &Effect)> = comparison
        .cells
        .iter()
        .flat_map(|cell| cell.effects.iter().map(move |effect| (cell, effect)))
        .collect();
    rows.sort_by_key(|(cell, _)| !matches!(cell.metric.as_str(), "iops" | "bandwidth"));
    rows.truncate(usize::from(lines).saturating_sub(1));
    let name = |(cell, effect): &(&Cell, &Effect)| {
        let side = match cell.effects.len() {
            0 | 1 => String::new(),
            _ => format!("{} ", char::from(b'A' + (effect.side % 26) as u8)),
        };
        printable(&format!("{side}{} {}", cell.step, cell.metric))
    };
    let texts: Vec<(String, String, String)> = rows
        .iter()
        .map(|row| {
            let mark = verdict_mark(row.1.verdict, words);
            (name(row), change_text(row.1, words), mark)
        })
        .collect();
    let widest = |of: fn(&(String, String, String)) -> &String| {
        texts.iter().map(|text| width(of(text))).max().unwrap_or(0)
    };
    let (names, changes, marks) = (widest(|of| &of.0), widest(|of| &of.1), widest(|of| &of.2));
    let free = columns.saturating_sub(changes + marks + 6);
    // Full names if possible: the drawing only repeats the figures.
    let names = names.min(free);
    let bar = free.saturating_sub(names).min(BAR_MAX);
    let reach = reach(&rows, comparison.method.threshold);
    for ((_, effect), (name, change, mark)) in rows.into_iter().zip(&texts) {
        let pad = |text: &str, columns: usize| {
            format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
        };
        let style = style_of(effect.verdict);
        let mut spans = vec![Span::raw(pad(&shortened(name, names), names) + "  ")];
        if bar >= BAR_MIN {
            spans.push(Span::styled(drawn(effect, reach, bar), style));
            spans.push(Span::raw("  "));
        }
        spans.push(Span::styled(pad(change, changes) + "  ", STRONG));
        spans.push(Span::styled(mark.clone(), style));
        let wanted: usize = spans.iter().map(Span::width).sum();
        out.push(match wanted <= columns {
            true => Line::from(spans),
            // The verdict is more important than the name.
            false => Line::from(whole_words(&format!("{name}  {change}"), columns)),
        });
    }
    out
}

fn style_of(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Better => Style::new().fg(Color::Green),
        Verdict::Worse => Style::new().fg(Color::Red),
        Verdict::Same => Style::new().fg(Color::Blue),
        Verdict::Undecided => Style::new().fg(Color::Yellow),
    }
}

/// Natural logarithm of the factor at the edges.
fn reach(rows: &[(&Cell, &Effect)], threshold: f64) -> f64 {
    let ends = rows.iter().flat_map(|(_, effect)| {
        let (low, high) = effect.interval.unzip();
        [effect.ratio, low, high]
    });
    let far = ends
        .flatten()
        .filter(|ratio| ratio.is_finite() && *ratio > 0.0)
        .map(|ratio| ratio.ln().abs())
        .fold(0.0, f64::max);
    far.clamp(2.0 * (1.0 + threshold).ln(), FACTOR_MAX.ln())
}

/// `···├──●─┤·│······`: the interval with the difference in it, and the mark of no difference.
fn drawn(effect: &Effect, reach: f64, columns: usize) -> String {
    let last = columns.saturating_sub(1) as f64;
    let at = |ratio: f64| {
        let share = (ratio.ln() / reach).clamp(-1.0, 1.0);
        ((share + 1.0) / 2.0 * last).round() as usize
    };
    let mut cells = vec!['·'; columns];
    cells[columns / 2] = '│';
    if let Some((low, high)) = effect.interval.filter(|(low, _)| *low > 0.0) {
        let (low, high) = (at(low), at(high));
        cells[low..=high].fill('─');
        cells[low] = '├';
        cells[high] = '┤';
    }
    if let Some(ratio) = effect.ratio.filter(|ratio| *ratio > 0.0) {
        cells[at(ratio)] = '●';
    }
    cells.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(ratio: Option<f64>, interval: Option<(f64, f64)>) -> Effect {
        let json = serde_json::json!({
            "side": 1, "ratio": ratio, "interval": interval, "p_value": null, "adjusted_p_value": null,
            "verdict": "undecided", "reason": null, "more_rounds": null, "widened": 1.0
        });
        serde_json::from_value(json).expect("an effect")
    }

    #[test]
    fn an_interval_is_drawn_around_no_difference() {
        let check = |ratio, interval, expected: &str| {
            let found = drawn(&effect(ratio, interval), 2f64.ln(), 11);
            assert_eq!(found, expected);
        };
        check(None, None, "·····│·····");
        check(Some(1.0), Some((0.5, 2.0)), "├────●────┤");
        check(Some(0.5), Some((0.1, 0.6)), "●┤···│·····");
        check(Some(1.4), None, "·····│·●···");
    }
}
