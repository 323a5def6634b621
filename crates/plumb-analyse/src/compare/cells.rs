//! What is in the table of a comparison? One cell per figure of each row, with all rounds of all sides and the effects against the baseline.

pub(super) mod against_published;
pub(super) mod anomalies;
pub(super) mod columns;
pub(super) mod failing;
pub(super) mod side_cells;

use std::collections::{BTreeMap, BTreeSet};

use plumb_model::plan::Step;
use plumb_model::results::comparison::side_letter;
use plumb_model::results::comparison::{
    COMPARED_METRICS, Cell, CellSide, ComparedMetric, Condition, Design, Effect, MachineEvidence,
    Refusal, compared_metric,
};
use plumb_model::results::reference::PublishedFigure;
use plumb_model::run::histogram::Histogram;
use plumb_model::statement::Statement;
use plumb_model::text::wildcard::fits;
use plumb_model::workload::OperationKind;

use crate::compare::cells::anomalies::{Anomaly, Trait, anomalies, left_out};
use crate::compare::cells::columns::{cell_side, columns};
use crate::compare::cells::failing::{failing_more, mark_failing};
use crate::compare::effects::{Column, Pending, contrast, widen};
use crate::compare::entrants::Settings;
use crate::compare::failures::{FailingSide, Failures};
use crate::compare::figures::{Measured, Round, cpu_metric, kinds, throughput};
use crate::compare::machine::{Machine, add_evidence, machine_statements, slack};
use crate::compare::matching::StepRow;
use crate::compare::matching::other_code::{Differences, OtherCode};
use crate::figures::counters::Counters;
use crate::figures::executions::Execution;

/// Share of the requested rate that counts as achieved.
const KEPT: f64 = 0.98;

/// All cells with their remarks.
#[derive(Default)]
pub(super) struct Table {
    pub cells: Vec<Cell>,
    /// For each cell what its effects wait for.
    pub pending: Vec<Vec<Pending>>,
    pub failing: Vec<FailingSide>,
    pub anomalies: Vec<Anomaly>,
    /// Rows that have no cell.
    pub refused: Vec<Refusal>,
    /// What of the machine was not the same.
    pub machine: Vec<MachineEvidence>,
}

/// What the making of cells needs to know.
struct Scene<'s, 'a> {
    measured: &'s [Option<Measured<'a>>],
    settings: &'s Settings,
    design: Design,
    /// By side.
    other_code: Vec<OtherCode<'s>>,
    /// The readings of each side that was measured at its own time.
    counters: Vec<Option<Counters<'a>>>,
}

pub(super) fn table(
    measured: &[Option<Measured>],
    rows: &[StepRow],
    settings: &Settings,
    (design, differences): (Design, &Differences),
) -> Table {
    let apart =
        |measured: &Option<Measured<'_>>| design == Design::Independent && measured.is_some();
    let counters = measured.iter().map(|held| {
        held.as_ref()
            .filter(|_| apart(held))
            .map(|held| Counters::of(&held.run.readings))
    });
    let other_code = (0..measured.len())
        .map(|side| differences.of_side(side))
        .collect();
    let scene = Scene {
        measured,
        settings,
        design,
        other_code,
        counters: counters.collect(),
    };
    let mut table = Table::default();
    let mut scratch = Histogram::default();
    for row in rows {
        let before = (table.cells.len(), table.refused.len());
        scene.add_row(row, &mut table, &mut scratch);
        if (table.cells.len(), table.refused.len()) == before {
            table.refused.push(Refusal {
                step: row.name.clone(),
                side: None,
                reason: Statement::new("no-figure-for-all-sides"),
            });
        }
    }
    table
}

impl Scene<'_, '_> {
    fn add_row(&self, row: &StepRow, table: &mut Table, scratch: &mut Histogram) {
        let failures: Vec<Option<Failures>> = self
            .matches(row)
            .map(|matched| matched.map(|(measured, step)| Failures::of(measured, step)))
            .collect();
        table.failing.extend(failing_more(row, &failures));
        for (side, matched) in self.matches(row).enumerate() {
            table.anomalies.extend(
                matched
                    .into_iter()
                    .flat_map(|(measured, step)| left_out(row, side, measured, step)),
            );
        }
        let Some(row) = self.usable(row, table) else {
            return;
        };
        let matches = self.matches(&row).zip(&self.counters);
        let machines: Vec<Option<Machine>> = matches
            .map(|(matched, counters)| {
                matched
                    .zip(counters.as_ref())
                    .map(|((measured, step), counters)| Machine::of(measured, step, counters))
            })
            .collect();
        for (kind, metrics) in self.figures(&row) {
            let rounds: Vec<Option<Vec<Round>>> = self
                .matches(&row)
                .map(|matched| {
                    matched.map(|(measured, step)| measured.rounds(step, kind, &metrics, scratch))
                })
                .collect();
            for (index, metric) in metrics.iter().enumerate() {
                // Several figures of one reference may speak of the same: one cell for each.
                let fits = |figure: &&&PublishedFigure| {
                    kind.is_none() && figure.metric.as_deref() == Some(metric.id)
                };
                let figures: Vec<Vec<&PublishedFigure>> = row
                    .figures
                    .iter()
                    .map(|figures| figures.iter().filter(fits).copied().collect())
                    .collect();
                let most = figures.iter().map(Vec::len).max().unwrap_or(0).max(1);
                for number in 0..most {
                    let figures: Vec<Option<&PublishedFigure>> = figures
                        .iter()
                        .map(|figures| figures.get(number).copied())
                        .collect();
                    let mut columns = columns(self.design, &rounds, index, metric, &figures);
                    mark_failing(&mut columns, &failures);
                    let name = match figures.iter().flatten().next() {
                        Some(figure) if most > 1 && row.name != figure.name => {
                            format!("{} ({})", row.name, figure.name)
                        }
                        _ => row.name.clone(),
                    };
                    self.add_cell(
                        Frame {
                            row: &row,
                            name,
                            kind,
                            metric,
                            machines: &machines,
                        },
                        &columns,
                        &figures,
                        table,
                    );
                }
            }
        }
    }

    /// The run and the step of each side of a row.
    fn matches<'r>(
        &'r self,
        row: &'r StepRow,
    ) -> impl Iterator<Item = Option<(&'r Measured<'r>, usize)>> {
        row.steps
            .iter()
            .zip(self.measured)
            .map(|(step, measured)| Some((measured.as_ref()?, (*step)?)))
    }

    /// The row with those sides that have a round that counts; the others are refused. `None` when nothing is left to compare.
    fn usable<'r>(&self, row: &StepRow<'r>, table: &mut Table) -> Option<StepRow<'r>> {
        let mut usable = row.clone();
        for (side, matched) in self.matches(row).enumerate() {
            let Some((measured, step)) = matched else {
                continue;
            };
            if measured.complete_rounds(step).next().is_some() {
                continue;
            }
            let error = measured
                .executions(step)
                .iter()
                .find_map(|execution| execution.failed);
            let reason = match (error, measured.executions(step).is_empty()) {
                (Some(error), _) => {
                    Statement::new("step-could-not-run-on").part("error", error.clone())
                }
                (None, true) => Statement::new("step-never-ran-on"),
                (None, false) => Statement::new("no-round-ended-as-it-should"),
            }
            .name("side", side_letter(side));
            table.refused.push(Refusal {
                step: row.name.clone(),
                side: Some(side as u32),
                reason,
            });
            if let Some(matched) = usable.steps.get_mut(side) {
                *matched = None;
            }
        }
        let baseline = usable.steps.first().is_some_and(Option::is_some)
            || usable
                .figures
                .first()
                .is_some_and(|figures| !figures.is_empty());
        (baseline && usable.is_comparison()).then_some(usable)
    }

    /// Kinds of operation with the metrics that are compared for each; no kind for all together.
    fn figures(&self, row: &StepRow) -> Vec<(Option<OperationKind>, Vec<&'static ComparedMetric>)> {
        let steps: Vec<&Step> = row
            .steps
            .iter()
            .zip(self.measured)
            .filter_map(|(step, measured)| measured.as_ref()?.step((*step)?))
            .collect();
        let kinds: BTreeSet<OperationKind> = steps.iter().flat_map(|step| kinds(step)).collect();
        let published: Vec<&'static ComparedMetric> = row
            .figures
            .iter()
            .flatten()
            .filter_map(|figure| compared_metric(figure.metric.as_deref()?))
            .collect();
        let chosen = |kind: Option<OperationKind>| -> Vec<&'static ComparedMetric> {
            let requested = &self.settings.metrics;
            let mut metrics: Vec<&'static ComparedMetric> =
                match (requested.is_empty(), steps.as_slice()) {
                    (false, _) => requested.clone(),
                    (true, [first, _, ..]) => self.default_metrics(row, first, kind),
                    (true, _) => Vec::new(),
                };
            if requested.is_empty() && kind.is_none() {
                metrics.extend(&published);
            }
            // Conditions apply to the figures that they name, even if these are not compared otherwise.
            let conditions = self
                .settings
                .conditions
                .iter()
                .filter(|condition| fits(&condition.steps, &row.name));
            metrics.extend(conditions.filter_map(|condition| compared_metric(&condition.metric)));
            let moves_data = |kind: &OperationKind| kind.moves_data();
            let data = kind.as_ref().map_or_else(
                || kinds.is_empty() || kinds.iter().any(moves_data),
                moves_data,
            );
            metrics.retain(|metric| metric.id != "bandwidth" || data);
            // In the order of the list, each once.
            COMPARED_METRICS
                .iter()
                .filter(|metric| metrics.iter().any(|chosen| chosen.id == metric.id))
                .collect()
        };
        if kinds.len() < 2 {
            return vec![(None, chosen(None))];
        }
        // CPU time is not known by kind.
        let by_kind = kinds.iter().map(|kind| {
            (
                Some(*kind),
                chosen(Some(*kind))
                    .into_iter()
                    .filter(|metric| !cpu_metric(metric.id))
                    .collect(),
            )
        });
        let mut figures: Vec<(Option<OperationKind>, Vec<&'static ComparedMetric>)> =
            by_kind.collect();
        figures.push((
            None,
            chosen(None)
                .into_iter()
                .filter(|metric| cpu_metric(metric.id))
                .collect(),
        ));
        figures.retain(|(_, metrics)| !metrics.is_empty());
        figures
    }

    /// One figure of throughput, the median and the 99th percentile. An open loop that kept its rate has no throughput to compare: it was given.
    fn default_metrics(
        &self,
        row: &StepRow,
        step: &Step,
        kind: Option<OperationKind>,
    ) -> Vec<&'static ComparedMetric> {
        let workloads = || step.jobs.iter().map(|job| &job.workload);
        let throughput = throughput(step, kind);
        let requested: f64 = workloads()
            .filter_map(|workload| workload.requested_rate())
            .sum();
        let open = workloads()
            .next()
            .is_some_and(|workload| workload.is_open());
        let ids = if self.has_only_means(row) {
            vec!["iops", "bandwidth", "mean"]
        } else if open && self.rate_was_kept(row, requested) {
            vec!["p50", "p99"]
        } else {
            vec![throughput, "p50", "p99"]
        };
        ids.iter().filter_map(|id| compared_metric(id)).collect()
    }

    /// True if each side states rates and mean times only, as counters do.
    fn has_only_means(&self, row: &StepRow) -> bool {
        let only_means = |execution: &Execution| {
            let mut times = execution
                .reported
                .iter()
                .filter_map(|(_, reported)| {
                    reported.response.as_ref().or(reported.service.as_ref())
                })
                .peekable();
            execution.ticks.is_empty()
                && times.peek().is_some()
                && times.all(|times| times.quantiles_ns.is_empty())
        };
        self.matches(row)
            .flatten()
            .all(|(measured, step)| measured.executions(step).iter().all(only_means))
    }

    fn rate_was_kept(&self, row: &StepRow, requested: f64) -> bool {
        let mut scratch = Histogram::default();
        let Some(iops) = compared_metric("iops") else {
            return false;
        };
        self.matches(row).flatten().all(|(measured, step)| {
            // The rate is that of all operations: a flush takes its turn too.
            let kinds = measured.step(step).map(kinds).unwrap_or_default();
            let kinds: Vec<Option<OperationKind>> = if kinds.contains(&OperationKind::Flush) {
                kinds.into_iter().map(Some).collect()
            } else {
                vec![None]
            };
            let mut sums: BTreeMap<usize, f64> = BTreeMap::new();
            for kind in kinds {
                let rounds = measured.rounds(step, kind, &[iops], &mut scratch);
                let rates = rounds
                    .iter()
                    .enumerate()
                    .filter_map(|(at, round)| Some((at, round.values.first().copied().flatten()?)));
                rates.for_each(|(at, rate)| *sums.entry(at).or_default() += rate);
            }
            sums.values().all(|rate| *rate >= KEPT * requested)
        })
    }

    fn add_cell(
        &self,
        frame: Frame,
        columns: &[Column],
        figures: &[Option<&PublishedFigure>],
        table: &mut Table,
    ) {
        let Frame {
            row, kind, metric, ..
        } = frame;
        let name = frame.name.clone();
        let reported =
            |column: &Column| column.too_few == 0 && column.rounds.iter().any(Option::is_some);
        let comparable =
            columns.first().is_some_and(reported) && columns.iter().skip(1).any(reported);
        let conditional =
            |condition: &Condition| condition.metric == metric.id && fits(&condition.steps, &name);
        if !comparable
            && self.settings.metrics.is_empty()
            && !self.settings.conditions.iter().any(conditional)
        {
            // It was not requested by name: one remark over all steps is enough.
            if columns.iter().any(|column| column.too_few > 0) {
                table.anomalies.push(Anomaly {
                    side: None,
                    step: name,
                    kind: Trait::TooFew(metric),
                });
            }
            return;
        }
        let Some(baseline) = columns.first() else {
            return;
        };
        let mut sides: Vec<CellSide> = columns.iter().map(cell_side).collect();
        for (side, figure) in sides.iter_mut().zip(figures) {
            side.remarks
                .extend(figure.and_then(|figure| Some(Statement::verbatim(figure.note.clone()?))));
        }
        for (index, side) in sides.iter_mut().enumerate() {
            let measured = self
                .measured
                .get(index)
                .and_then(Option::as_ref)
                .zip(row.steps.get(index).copied().flatten());
            for found in anomalies(&side.rounds, measured, kind, metric) {
                side.remarks.push(found.of_cell());
                table.anomalies.push(Anomaly {
                    side: Some(index),
                    step: name.clone(),
                    kind: found,
                });
            }
        }
        let (effects, pending) = self.effects(&frame, baseline, columns, &sides, table);
        for effect in effects
            .iter()
            .filter(|effect| effect.widened >= crate::compare::cells::anomalies::WIDENED)
        {
            table.anomalies.push(Anomaly {
                side: Some(effect.side as usize),
                step: name.clone(),
                kind: Trait::Widened(effect.widened),
            });
        }
        table.cells.push(Cell {
            step: name,
            group: row.group.clone(),
            swept: row.swept.clone(),
            kind: kind.map(|kind| kind.word().to_string()),
            metric: metric.id.into(),
            unit: metric.unit.into(),
            better: metric.better,
            sides,
            effects,
        });
        table.pending.push(pending);
    }

    /// The effects against the baseline, widened by what differences of the machine may explain.
    fn effects(
        &self,
        frame: &Frame,
        baseline: &Column,
        columns: &[Column],
        sides: &[CellSide],
        table: &mut Table,
    ) -> (Vec<Effect>, Vec<Pending>) {
        let confidence = self.settings.confidence;
        let contrasts = columns
            .iter()
            .enumerate()
            .skip(1)
            .map(|(index, column)| contrast(baseline, column, index, self.design, confidence));
        let (mut effects, mut pending): (Vec<_>, Vec<_>) = contrasts.unzip();
        for (effect, held) in effects.iter_mut().zip(&mut pending) {
            let side = effect.side as usize;
            let machine = |index: usize| {
                Some((
                    frame.machines.get(index)?.as_ref()?,
                    sides.get(index)?.value,
                ))
            };
            let Some((a, b)) = machine(0).zip(machine(side)) else {
                continue;
            };
            let same_code = self
                .other_code
                .get(side)
                .is_some_and(|other| other.is_same(&frame.row.name));
            let slack = slack(a, b, frame.metric, same_code);
            let why = machine_statements(&slack.evidence, &side_letter(0), &side_letter(side));
            widen(effect, held, (slack.below, slack.above), why, confidence);
            add_evidence(&mut table.machine, slack.evidence, side, &frame.row.name);
        }
        (effects, pending)
    }
}

/// Which cell it is.
struct Frame<'r, 'a> {
    row: &'r StepRow<'a>,
    name: String,
    kind: Option<OperationKind>,
    metric: &'static ComparedMetric,
    /// By side; missing where a side was not measured, or not at its own time.
    machines: &'r [Option<Machine>],
}
