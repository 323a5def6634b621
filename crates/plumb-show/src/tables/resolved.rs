//! What is the value and the origin of each key of a plan?

use plumb_model::plan::{Origin, Plan};
use plumb_model::workload::Job;
use serde_json::Value;

/// One key of one job with its value and origin.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    pub key: String,
    pub value: String,
    pub origin: Origin,
}

/// A plan's settings: those shared by all jobs, and for each job (step, job name, settings) those that differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    pub shared: Vec<Setting>,
    pub differing: Vec<(String, String, Vec<Setting>)>,
}

/// Lists all keys of all jobs. The keys are those of the stored job, so that new keys appear automatically.
pub fn resolve(plan: &Plan) -> Resolved {
    let mut jobs = Vec::new();
    for step in &plan.steps {
        for (place, job) in step.jobs.iter().enumerate() {
            let origins = step.origins.get(place);
            let origin = |key: &str| {
                origins
                    .and_then(|origins| origins.get(key))
                    .copied()
                    .unwrap_or(Origin::Default)
            };
            let settings: Vec<Setting> = keys(job)
                .into_iter()
                .map(|(key, value)| Setting {
                    origin: origin(&key),
                    key,
                    value,
                })
                .collect();
            jobs.push((step.name.clone(), job.name.clone(), settings));
        }
    }
    let everywhere = |setting: &Setting| {
        jobs.iter()
            .all(|(_, _, settings)| settings.contains(setting))
    };
    let shared: Vec<Setting> = jobs
        .first()
        .map(|(_, _, settings)| settings.iter().filter(|s| everywhere(s)).cloned().collect())
        .unwrap_or_default();
    let differing = jobs
        .iter()
        .map(|(step, job, settings)| {
            (
                step.clone(),
                job.clone(),
                settings
                    .iter()
                    .filter(|s| !shared.contains(s))
                    .cloned()
                    .collect(),
            )
        })
        .collect();
    Resolved { shared, differing }
}

/// All keys of a job with their values as text: target, then engine, then workload.
fn keys(job: &Job) -> Vec<(String, String)> {
    let mut keys = vec![("target".to_string(), job.target.to_string())];
    for part in [
        serde_json::to_value(&job.engine),
        serde_json::to_value(&job.workload),
    ] {
        // Both are plain structs of strings and numbers: they always have a JSON form.
        if let Ok(Value::Object(map)) = part {
            keys.extend(map.into_iter().map(|(key, value)| (key, plain(&value))));
        }
    }
    keys
}

/// A value without JSON quotes.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
