//! Which data do the charts of a run draw? All of it, derived once.

pub mod curves;
pub mod hosts;
pub mod matrices;
pub mod messages;
pub mod over_time;

use plumb_model::results::series::Plots;
use plumb_model::results::summary::Summary;
use plumb_model::run::Run;

use crate::figures::counters;

/// All lines, curves, bars and maps of a run.
pub fn plots(run: &Run, summary: &Summary) -> Plots {
    let (device_iops, device_bandwidth) = counters::device_rates(run);
    Plots {
        published: Vec::new(),
        over_time: over_time::over_time(run),
        throughput_latency: curves::throughput_latency(summary),
        percentiles: curves::percentiles(run, summary),
        block_bars: curves::block_bars(summary),
        matrices: matrices::matrices(summary),
        message_bandwidth: messages::bandwidth(summary),
        message_latency: messages::one_way(summary),
        file_operation_bars: curves::file_operation_bars(summary),
        cpu_heat_map: counters::cpu_heat_map(run),
        // From the records of the ranks, which whoever reads them adds.
        host_iops: None,
        host_longest: None,
        device_iops,
        device_bandwidth,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::summarise::summarise;
    use crate::synthetic::{Builder, Interval, Random, ladder};
    use plumb_model::run::Event;

    /// One change that a damaged or foreign record could hold and the reader would let through.
    fn damage(run: &mut Run, random: &mut Random) {
        let mut any = |below: usize| (random.next_number() % below.max(1) as u64) as usize;
        let extremes = [0, 1, 1 << 40, u64::MAX];
        let (ticks, notes, readings, steps) = (
            run.ticks.len(),
            run.notes.len(),
            run.readings.len(),
            run.header.plan.steps.len(),
        );
        match any(10) {
            0 => run.ticks[any(ticks)].execution = any(9) as u32,
            1 => run.ticks[any(ticks)].job = u32::MAX,
            2 => run.ticks[any(ticks)].end_ns = u64::MAX,
            3 => run.ticks[any(ticks)].start_ns = extremes[any(3)],
            4 => run.ticks[any(ticks)].kinds.clear(),
            5 => {
                run.notes[any(notes)].event = Event::ExecutionStarted {
                    execution: any(4) as u32,
                    step: u32::MAX,
                    round: u32::MAX,
                }
            }
            6 => run.readings[any(readings)].value = [None, Some(f64::NAN), Some(-1e300)][any(3)],
            7 => run.readings[any(readings)].time_ns = extremes[any(4)],
            8 => run.header.plan.steps[any(steps)].jobs.clear(),
            _ => drop(
                run.header.plan.steps[any(steps)]
                    .swept
                    .insert("depth".into(), ["", "none", "1e999", "-4"][any(4)].into()),
            ),
        }
    }

    #[test]
    fn damaged_runs_are_summarised_and_drawn_without_a_panic() {
        let mut builder =
            Builder::new([ladder("read", &[1, 4, 16]), ladder("write", &[1, 2])].concat());
        for round in 0..2 {
            for step in 0..5 {
                for metric in [
                    "disk.read_bytes",
                    "disk.write_bytes",
                    "cpu.user_ns",
                    "cpu.idle_ns",
                ] {
                    builder.reading(metric, "vda", Some(f64::from(round * 5 + step) * 1e9));
                }
                builder.execute(step, round, &[Interval::default(), Interval::default()]);
            }
        }
        let complete = builder.finish();
        let mut random = Random(5);
        for _ in 0..300 {
            let mut run = complete.clone();
            (0..5).for_each(|_| damage(&mut run, &mut random));
            let summary = summarise(&run);
            let drawn = plots(&run, &summary);
            let numbers = drawn
                .over_time
                .iops
                .iter()
                .chain(&drawn.percentiles)
                .chain(&drawn.device_iops)
                .flat_map(|line| &line.points);
            assert!(
                numbers
                    .flat_map(|(x, y)| [Some(*x), *y])
                    .flatten()
                    .all(f64::is_finite)
            );
            assert!(
                summary
                    .verdict
                    .iter()
                    .all(|sentence| !crate::english::text(sentence).contains("NaN")
                        && !crate::english::text(sentence).contains("inf "))
            );
        }
    }
}
