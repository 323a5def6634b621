//! Did a step with `until-steady` become steady, and what are the figures of its window?

use plumb_model::plan::Step;
use plumb_model::results::summary::SteadyEnd;
use plumb_model::run::step_end::StopReason;
use plumb_model::run::tick::Phase;
use plumb_model::workload::SteadyWatch;

use crate::figures::executions::Execution;

/// Each round of the step; empty for a step that does not wait. The load judged the same ticks by the same rule, so that its end is found again here.
pub(crate) fn ends(step: &Step, runs: &[&Execution]) -> Vec<SteadyEnd> {
    let Some((workload, requested)) = step
        .jobs
        .first()
        .and_then(|job| Some((&job.workload, job.workload.until_steady?)))
    else {
        return Vec::new();
    };
    let end = |execution: &&Execution| {
        let ticks = || execution.ticks.iter().filter(|tick| tick.job == 0);
        let mut watch = SteadyWatch::new(requested, workload.interval);
        // Of a long run, early intervals come merged, which are not what the load judged. Every window that was judged last lies in the ones after them:
        // a window that was steady before would have ended the step.
        let merged = ticks()
            .any(|tick| tick.end_ns.saturating_sub(tick.start_ns) >= 2 * workload.interval.0);
        let measured = || ticks().filter(|tick| tick.phase == Phase::Measure);
        if let (true, Some(first), Some(last)) = (merged, measured().next(), measured().next_back())
        {
            watch.begin(first.start_ns);
            let since_ns = last
                .end_ns
                .saturating_sub(requested.judged_ns(workload.interval));
            ticks()
                .filter(|tick| tick.end_ns >= since_ns)
                .for_each(|tick| _ = watch.take(tick));
        } else {
            ticks().for_each(|tick| _ = watch.take(tick));
        }
        let window = watch.window();
        let begun_ns = watch.begun_ns();
        SteadyEnd {
            round: execution.round,
            reached: execution.stopped_by == Some(&StopReason::Steady),
            after_s: window
                .zip(begun_ns)
                .map(|(window, begun_ns)| window.end_ns.saturating_sub(begun_ns) as f64 / 1e9),
            mean: window.map(|window| window.mean),
            deviation_percent: window.and_then(|window| window.deviation_percent()),
            slope_percent: window.and_then(|window| window.slope_percent()),
            values: window
                .map(|window| window.values.clone())
                .unwrap_or_default(),
        }
    };
    runs.iter().map(end).collect()
}

#[cfg(test)]
mod tests {
    use crate::figures::summarise::{figures, summarise};
    use crate::synthetic::{Builder, Interval, step};
    use plumb_model::run::step_end::StopReason;
    use plumb_model::run::{Event, Run};
    use plumb_model::units::Nanos;
    use plumb_model::workload::Workload;

    /// One round for each row of IOPS, ended by this.
    fn run(requested: &str, rounds: &[(&[f64], StopReason)]) -> Run {
        let until_steady = Some(requested.parse().expect("an end"));
        let workload = Workload {
            until_steady,
            time: Some(Nanos(60_000_000_000)),
            ..Workload::default()
        };
        let mut builder = Builder::new(vec![step("settle", "settle", &[], workload)]);
        for (round, (iops, ended_by)) in rounds.iter().enumerate() {
            let intervals: Vec<Interval> = iops
                .iter()
                .map(|iops| Interval {
                    iops: *iops,
                    ..Interval::default()
                })
                .collect();
            builder.execute(0, round as u32, &intervals);
            if let Some(Event::ExecutionEnded { stopped_by, .. }) =
                builder.run.notes.last_mut().map(|note| &mut note.event)
            {
                *stopped_by = ended_by.clone();
            }
        }
        builder.finish()
    }

    const SETTLING: &[f64] = &[50_000.0, 30_000.0, 10_000.0, 10_100.0, 9_900.0, 10_000.0];

    #[test]
    fn the_window_is_that_of_the_end() {
        let found = figures(&run(
            "iops deviation 2% over 4s",
            &[
                (SETTLING, StopReason::Steady),
                (&SETTLING[..5], StopReason::Time),
                (&[1.0; 3], StopReason::Time),
            ],
        ))
        .steps;
        let [steady, missed, short] = found[0].until_steady.as_slice() else {
            panic!("three rounds")
        };
        assert_eq!(
            (steady.reached, steady.after_s, steady.mean),
            (true, Some(6.0), Some(10_000.0))
        );
        assert!(
            steady
                .deviation_percent
                .is_some_and(|percent| (percent - 1.0).abs() < 1e-9),
            "{steady:?}"
        );
        assert!(
            steady
                .slope_percent
                .is_some_and(|percent| (percent + 0.2).abs() < 1e-9),
            "{steady:?}"
        );
        assert_eq!(
            (steady.values.len(), missed.values.len(), missed.reached),
            (4, 4, false)
        );
        assert!(
            missed
                .deviation_percent
                .is_some_and(|percent| (percent - 100.0).abs() < 1e-9),
            "30,000 against a mean of 15,000: {missed:?}"
        );
        assert_eq!(
            (short.reached, short.mean, short.after_s),
            (false, None, None),
            "missing is missing"
        );
    }

    #[test]
    fn the_verdict_says_what_came_of_it() {
        let statement = |rounds: &[(&[f64], StopReason)]| {
            let summary = summarise(&run("iops deviation 2% over 4s", rounds));
            let found = summary
                .findings
                .iter()
                .filter(|finding| finding.rule == "never_became_steady")
                .count();
            (
                crate::english::text(&summary.verdict[0]),
                summary.verdict[0].evidence.len(),
                found,
            )
        };
        let (text, evidence, found) = statement(&[(SETTLING, StopReason::Steady)]);
        assert_eq!(
            text,
            "'settle' was steady after 6 s of at most 1 min 0 s: over the last 4 s mean 10,000 IOPS, with a largest deviation of 1 % (limit 2 %)."
        );
        assert_eq!((evidence, found), (1, 0));
        let (text, _, found) = statement(&[(&SETTLING[..5], StopReason::Time)]);
        assert!(
            text.starts_with(
                "'settle' was NOT steady when time ended it: over the last 4 s mean 15,000 IOPS"
            ),
            "{text}"
        );
        assert!(
            text.contains("deviation of 100 % (limit 2 %)") && found == 1,
            "{text}"
        );
        let (text, _, found) = statement(&[(&[1.0; 3], StopReason::Signal)]);
        assert!(
            text.contains("was not judged: signal ended it before a window of 4 s was complete")
                && found == 0,
            "{text}"
        );
        let (text, ..) = statement(&[
            (SETTLING, StopReason::Steady),
            (&SETTLING[..5], StopReason::Time),
        ]);
        assert!(
            text.starts_with(
                "'settle' was steady in 1 of 2 rounds; round 2 was NOT when time ended it"
            ),
            "{text}"
        );
    }

    #[test]
    fn a_step_that_does_not_wait_has_no_end() {
        let mut builder = Builder::new(vec![step("read", "read", &[], Workload::default())]);
        builder.execute(0, 0, &[Interval::default()]);
        assert!(figures(&builder.finish()).steps[0].until_steady.is_empty());
    }
}
