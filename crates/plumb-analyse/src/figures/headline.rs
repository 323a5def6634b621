//! Which figures of a run does a list of runs show?

use plumb_model::results::headline::{Headline, HeadlineFigure};
use plumb_model::results::summary::StepSummary;
use plumb_model::run::Run;

use crate::figures::summarise::figures;

/// The best figure of each kind. Steps that move no data, such as `stat`, count only where no other step ran: a look at a name is no read. No rule judges the
/// run, which takes a third of the time of a summary.
pub fn headline(run: &Run) -> Headline {
    let summary = figures(run);
    let moves_data = |step: &StepSummary| step.total.bandwidth_bytes_per_s.is_some();
    let any_moves = summary.steps.iter().any(moves_data);
    let best = |figure: fn(&StepSummary) -> Option<f64>, lowest: bool| {
        let steps = summary
            .steps
            .iter()
            .filter(|step| moves_data(step) || !any_moves);
        let known = steps.filter_map(|step| {
            Some((
                figure(step).filter(|value| value.is_finite() && *value > 0.0)?,
                step,
            ))
        });
        let order = |a: &(f64, &StepSummary), b: &(f64, &StepSummary)| a.0.total_cmp(&b.0);
        let found = if lowest {
            known.min_by(order)
        } else {
            known.max_by(order)
        };
        found.map(|(value, step)| HeadlineFigure {
            value,
            step: step.name.clone(),
        })
    };
    Headline {
        bandwidth_bytes_per_s: best(|step| step.total.bandwidth_bytes_per_s, false),
        iops: best(|step| step.total.iops, false),
        p50_ns: best(|step| step.response_ns.p50, true),
        errors: summary.steps.iter().map(|step| step.total.errors).sum(),
    }
}

#[cfg(test)]
mod tests {
    use crate::summarise;
    use crate::synthetic::{Builder, Interval, ladder};

    #[test]
    fn the_best_of_each_kind_is_named_with_its_step() {
        let mut builder = Builder::new(ladder("read", &[1, 8]));
        builder.execute(
            0,
            0,
            &[Interval {
                iops: 1000.0,
                ..Interval::default()
            }],
        );
        builder.execute(
            1,
            0,
            &[Interval {
                iops: 9000.0,
                ..Interval::default()
            }],
        );
        let summary = summarise(&builder.run);
        let headline = super::headline(&builder.run);
        let iops = headline.iops.expect("known");
        assert_eq!(iops.step, summary.steps[1].name);
        assert!((iops.value / 9000.0 - 1.0).abs() < 0.01, "{}", iops.value);
        assert!(headline.bandwidth_bytes_per_s.is_some() && headline.p50_ns.is_some());
        assert_eq!(
            super::headline(&Builder::new(ladder("read", &[1])).run).iops,
            None
        );
    }
}
