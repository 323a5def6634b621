//! What does plumb show? Reports and texts of synthetic runs and comparisons, or the live view: `gallery FOLDER [WIDTH]`, `gallery live`.

#[path = "../tests/synthetic/mod.rs"]
mod synthetic;

#[path = "../tests/synthetic/comparison.rs"]
mod comparisons;

use std::time::Duration;

use plumb_model::statement::Statement;
use plumb_show::chart::Subject;
use plumb_show::charts::CHARTS;
use plumb_show::live::{FinishedStep, LivePoint, LiveState, View};
use plumb_show::terminal::{self, Page};
use plumb_show::{markdown, report, svg};

fn main() -> std::io::Result<()> {
    match std::env::args().nth(1).as_deref() {
        Some("live") => play(),
        Some(folder) => {
            let width = std::env::args()
                .nth(2)
                .and_then(|text| text.parse().ok())
                .unwrap_or(100);
            write(std::path::Path::new(folder), width)?;
            compare(std::path::Path::new(folder), width)?;
        }
        None => eprintln!("usage: gallery FOLDER [WIDTH] | gallery live"),
    }
    Ok(())
}

/// The report, each figure as a file, and the texts.
fn write(folder: &std::path::Path, width: usize) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for (name, run) in [
        ("full", synthetic::full("/srv/data")),
        ("tiny", synthetic::tiny()),
        ("empty", synthetic::empty()),
    ] {
        let subject = Subject {
            run: &run.run,
            summary: &run.summary,
            plots: &run.plots,
            words: plumb_words::Words::english(),
        };
        std::fs::write(
            folder.join(format!("{name}.html")),
            report::report_html(&subject),
        )?;
        for figure in CHARTS.iter().filter_map(|chart| (chart.figure)(&subject)) {
            std::fs::write(
                folder.join(format!("{name}-{}.svg", figure.name)),
                svg::standalone(&figure),
            )?;
        }
        if name == "full" {
            let page = Page {
                width,
                colour: true,
                words: plumb_words::Words::english(),
            };
            println!("{}", terminal::verdict_text(&run.summary, page));
            println!(
                "{}",
                terminal::summary_table(&run.summary, &run.plots.matrices, page)
            );
            println!("{}", terminal::findings_text(&run.summary.findings, page));
            println!(
                "{}",
                terminal::environment_text(&run.summary.environment, page)
            );
            println!("{}", terminal::plan_text(&run.summary.plan, false, page));
        }
    }
    Ok(())
}

/// The comparisons as page, Markdown and text.
fn compare(folder: &std::path::Path, width: usize) -> std::io::Result<()> {
    for (name, comparison) in [
        ("compare", comparisons::full()),
        ("compare-three", comparisons::three()),
        ("compare-reference", comparisons::reference()),
        ("compare-tiny", comparisons::tiny()),
        ("compare-empty", comparisons::empty()),
        ("compare-steps", comparisons::large(2, 1_000, 10)),
        ("compare-sides", comparisons::large(100, 24, 6)),
    ] {
        let plots = comparisons::plots(&comparison);
        let start = std::time::Instant::now();
        let html = report::comparison_html(&comparison, &plots, plumb_words::Words::english());
        println!(
            "{name}: {} bytes in {:.0} ms",
            html.len(),
            start.elapsed().as_secs_f64() * 1e3
        );
        std::fs::write(folder.join(format!("{name}.html")), html)?;
        std::fs::write(
            folder.join(format!("{name}.md")),
            markdown::comparison_markdown(&comparison),
        )?;
        let text = terminal::comparison_text(
            &comparison,
            Page {
                width,
                colour: false,
                words: plumb_words::Words::english(),
            },
        );
        std::fs::write(folder.join(format!("{name}-{width}.txt")), text)?;
    }
    Ok(())
}

/// The live view, ten states a second.
fn play() {
    let run = synthetic::full("/srv/data");
    let mut view = View::choose(false, plumb_words::Words::english());
    let mut state = LiveState {
        plan: "check".into(),
        target: "/srv/data".into(),
        phase: Some(Statement::new("phase-measuring")),
        steps: run.summary.steps.len() as u32,
        rounds: 3,
        round: 1,
        ..LiveState::default()
    };
    let over_time = &run.plots.over_time;
    let seconds = over_time.spans.last().map_or(1.0, |span| span.end_s);
    for (place, (time_s, p50_ns)) in over_time.p50_ns.points.iter().enumerate() {
        let Some(span) = over_time
            .spans
            .iter()
            .rev()
            .find(|span| span.start_s < *time_s)
        else {
            continue;
        };
        let step = &run.summary.steps[span.step as usize];
        if !state.step.is_empty() && state.step != step.name {
            state.finished.push(FinishedStep {
                step: state.step.clone(),
                round: state.round,
                iops: state.now.iops,
                bandwidth_bytes_per_s: state.now.bandwidth_bytes_per_s,
                p50_ns: state.now.p50_ns,
                p99_ns: state.now.p99_ns,
                errors: 0,
                kinds: Vec::new(),
                ended_by: plumb_model::run::step_end::StepEnd::default(),
            });
        }
        state.step = step.name.clone();
        state.load = Some(Statement::verbatim(format!(
            "io_uring, depth {} x 1 worker",
            step.requested_depth.unwrap_or(1.0)
        )));
        (state.step_number, state.round) = (span.step + 1, span.round + 1);
        let iops = p50_ns
            .zip(step.requested_depth)
            .map(|(latency_ns, depth)| depth / latency_ns * 1e9);
        state.now = LivePoint {
            time_s: *time_s,
            iops,
            bandwidth_bytes_per_s: iops.map(|iops| iops * 4096.0),
            p50_ns: *p50_ns,
            p99_ns: over_time.p99_ns.points[place].1,
            ..LivePoint::default()
        };
        state.history.push(state.now);
        state.elapsed_s = *time_s;
        state.left_s = Some(seconds - time_s);
        state.done = Some(time_s / seconds);
        state.read_bytes += 40_000_000;
        state.written_bytes += 10_000_000;
        if place == 60 {
            state.warnings.push(Statement::verbatim(
                "the processor's frequency fell to 2.1 GHz",
            ));
        }
        view.update(&state);
        std::thread::sleep(Duration::from_millis(100));
    }
    view.finish();
}
