//! Does the advisor find the limit that is there? Scenes whose limit is known, judged by the rules; the matrix of what was found, and how often predictions held.

mod scenes;
mod simulation;

use std::collections::BTreeMap;

use plumb_analyse::explain::conclude::explain;
use plumb_analyse::explain::from_trace::observed_in_trace;
use plumb_analyse::explain::rules::RULES;
use plumb_model::explain::conclusion::Explained;

use scenes::{EACH, FAMILIES, WITHHELD, changes, true_factor};
use simulation::{Scene, simulate};

/// A change that brings less is none that matters; one that brings more is a limit.
const LIMIT_MIN: f64 = 1.2;

/// A scene as it was judged.
struct Judged {
    family: &'static str,
    seed: u64,
    scene: Scene,
    explained: Explained,
    requests_per_s: f64,
}

/// A finding beside the truth.
struct Found {
    family: &'static str,
    seed: u64,
    rule: String,
    low: f64,
    high: f64,
    truth: f64,
    /// Place among the findings of its scene.
    index: usize,
}

impl Found {
    fn is_covered(&self) -> bool {
        (self.low..=self.high).contains(&self.truth)
    }

    /// Whether the claim is true: the change brings what the rule is about.
    fn is_right(&self) -> bool {
        match self.rule.as_str() {
            // Half as many requests, as much done.
            "more_outstanding_than_needed" => self.truth > 0.85,
            // Twice as many, and no more done.
            "path_is_full" => self.truth < LIMIT_MIN,
            _ => self.truth >= LIMIT_MIN,
        }
    }
}

/// All scenes. `PLUMB_TRUTH_LAB_SEED` draws others, to see whether what was found depends on the draw.
fn judged() -> Vec<Judged> {
    let other = std::env::var("PLUMB_TRUTH_LAB_SEED").ok();
    let other = other.and_then(|seed| seed.parse::<u64>().ok()).unwrap_or(0);
    let mut all = Vec::new();
    for (family, scene_of) in FAMILIES {
        for number in 0..EACH {
            let seed = (number + 1) * 7919 + family.len() as u64 * 104_729 + other * 15_485_863;
            let scene = scene_of(seed);
            let outcome = simulate(&scene);
            let mut observed = observed_in_trace(&outcome.trace, 0);
            // As a watch of the client's cores says it.
            observed.processors.busiest_core = Some(outcome.busiest_core);
            let explained = explain(observed, "0");
            all.push(Judged {
                family,
                seed,
                scene,
                explained,
                requests_per_s: outcome.requests_per_s,
            });
        }
    }
    all
}

fn found(all: &[Judged]) -> Vec<Found> {
    let mut found = Vec::new();
    for judged in all {
        for (index, finding) in judged.explained.findings.iter().enumerate() {
            let prediction = &finding.prediction;
            found.push(Found {
                family: judged.family,
                seed: judged.seed,
                rule: finding.rule.clone(),
                low: prediction.low,
                high: prediction.high,
                truth: true_factor(&judged.scene, judged.requests_per_s, &prediction.change),
                index,
            });
        }
    }
    found
}

/// Which finding came first in the scenes of each family.
fn matrix(all: &[Judged]) -> String {
    let mut rows: BTreeMap<&str, BTreeMap<String, usize>> = BTreeMap::new();
    for judged in all {
        let first = match judged.explained.findings.first() {
            Some(finding) => finding.rule.clone(),
            None if !judged.explained.withheld.is_empty() => "(withheld)".into(),
            None if judged.explained.abstained.is_empty() => "(nothing)".into(),
            None => "(abstained)".into(),
        };
        *rows
            .entry(judged.family)
            .or_default()
            .entry(first)
            .or_default() += 1;
    }
    let mut out = String::from("first finding by family of scenes:\n");
    for (family, _) in FAMILIES {
        out += &format!("  {family:34}");
        for (rule, count) in rows.get(family).into_iter().flatten() {
            out += &format!("  {rule} {count}");
        }
        out.push('\n');
    }
    out
}

/// The limits that are really there, by carrying out each rule's change: the one that brings the most first.
fn limits(judged: &Judged) -> Vec<(&'static str, f64)> {
    let mut limits: Vec<(&'static str, f64)> = changes(&judged.scene)
        .into_iter()
        .map(|(rule, change)| {
            let factor = true_factor(&judged.scene, judged.requests_per_s, &change);
            (rule, factor)
        })
        .filter(|(_, factor)| *factor >= LIMIT_MIN)
        .collect();
    limits.sort_by(|a, b| b.1.total_cmp(&a.1));
    limits
}

/// Scenes in which this rule's limit is there and was not found: it was silent, or it abstained.
fn overlooked(all: &[Judged], rule: &str) -> (usize, usize) {
    let (mut missed, mut abstained) = (0, 0);
    for judged in all
        .iter()
        .filter(|judged| judged.explained.withheld.is_empty())
    {
        let is_limit = limits(judged).iter().any(|(name, _)| *name == rule);
        let explained = &judged.explained;
        let is_found = explained.findings.iter().any(|of| of.rule == rule);
        let lacks = explained.abstained.iter().any(|of| of.rule == rule);
        missed += usize::from(is_limit && !is_found && !lacks);
        abstained += usize::from(is_limit && lacks);
    }
    (missed, abstained)
}

#[test]
fn the_advisor_finds_the_limits_that_are_there() {
    let all = judged();
    let found = found(&all);
    println!("{}", matrix(&all));
    println!(
        "rule: found, right, of these predicted within the interval; missed and abstained where it is a limit; silent scenes"
    );
    let (mut findings, mut right, mut covered) = (0, 0, 0);
    let mut counts = Vec::new();
    for rule in RULES {
        let of_rule: Vec<&Found> = found
            .iter()
            .filter(|found| found.rule == rule.name)
            .collect();
        let is_right = of_rule.iter().filter(|found| found.is_right()).count();
        let is_covered = of_rule.iter().filter(|found| found.is_covered()).count();
        let (missed, abstained) = overlooked(&all, rule.name);
        let silent = all
            .iter()
            .filter(|judged| judged.explained.silent.iter().any(|name| name == rule.name))
            .count();
        println!(
            "  {:32} {:3} {is_right:3} {is_covered:3}   {missed:3} {abstained:3}   {silent:3}",
            rule.name,
            of_rule.len()
        );
        findings += of_rule.len();
        right += is_right;
        covered += is_covered;
        counts.push((rule.name, of_rule.len(), is_right, silent));
    }
    println!("all: {findings} findings, {right} right, {covered} within the interval");
    for found in found
        .iter()
        .filter(|found| !found.is_covered() || !found.is_right())
    {
        println!(
            "  not so: {} ({}) {} at place {}: predicted {:.2} to {:.2}, true {:.2}",
            found.family, found.seed, found.rule, found.index, found.low, found.high, found.truth
        );
    }
    for (rule, of_rule, is_right, silent) in counts {
        assert!(
            is_right >= 3,
            "{rule}: found rightly in {is_right} scenes only"
        );
        assert!(silent >= 3, "{rule}: silent in {silent} scenes only");
        // A server that does one thing at a time looks like any other while it is asked one thing at a time: that scene is among these.
        assert!(
            is_right * 4 >= of_rule * 3,
            "{rule}: right in {is_right} of {of_rule}"
        );
    }
    assert!(
        right * 10 >= findings * 9,
        "{right} of {findings} findings are right"
    );
    assert!(
        covered * 10 >= findings * 8,
        "{covered} of {findings} predictions held"
    );
}

#[test]
fn the_first_finding_is_a_limit_that_matters_most() {
    let (mut first, mut judged_scenes) = (0, 0);
    for judged in judged() {
        let limits = limits(&judged);
        let (Some(finding), Some((_, most))) = (judged.explained.findings.first(), limits.first())
        else {
            continue;
        };
        judged_scenes += 1;
        // Limits whose changes bring nearly as much are as good.
        let is_first = limits
            .iter()
            .any(|(rule, factor)| *rule == finding.rule && *factor >= 0.6 * most);
        if !is_first {
            println!(
                "  {}: {} first, truly {limits:?}",
                judged.family, finding.rule
            );
        }
        first += usize::from(is_first);
    }
    println!("first finding among the largest limits: {first} of {judged_scenes}");
    assert!(
        first * 10 >= judged_scenes * 7,
        "{first} of {judged_scenes}"
    );
}

#[test]
fn nothing_is_advised_behind_a_closed_gate() {
    for judged in judged() {
        let is_closed = !judged.explained.withheld.is_empty();
        assert_eq!(
            is_closed,
            WITHHELD.contains(&judged.family),
            "{} ({}): {:?}",
            judged.family,
            judged.seed,
            judged.explained.withheld
        );
        assert!(!is_closed || judged.explained.findings.is_empty());
    }
}
