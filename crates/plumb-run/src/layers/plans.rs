//! What does each layer do? The same steps: as reads and writes where there is storage, as messages where there is none.

use std::path::PathBuf;

use anyhow::bail;
use plumb_load::engines::candidates;
use plumb_load::site::Overwrite;
use plumb_model::keys::sugar::expand;
use plumb_model::plan::Plan;
use plumb_model::results::waterfall::LayerKind;
use plumb_model::target::Target;
use plumb_model::units::Bytes;
use plumb_model::workload::operation::OperationKind;
use plumb_model::workload::{Direct, Job, Mix, Offsets};
use plumb_plan::{Overrides, PlanFile, PlanKind, StepFile, resolve};

use crate::named_plan::{NamedPlan, plan_named, print_remarks};

use super::request::LayersRequest;
use super::stack::Layer;

/// The plan as the user requested it, before it is put on a layer.
pub struct RequestedPlan {
    file: PlanFile,
    kind: PlanKind,
    set: Vec<(String, String)>,
    /// Clients that share the load of the layers between them and the server.
    clients: u32,
}

impl RequestedPlan {
    /// Reads the plan. Errors: it does something that not every layer has.
    pub fn of(request: &LayersRequest, size_bytes: u64) -> anyhow::Result<RequestedPlan> {
        let NamedPlan {
            file,
            kind,
            remarks,
        } = plan_named(&request.plan)?;
        print_remarks(&remarks);
        let mut set = Vec::new();
        let streams: Vec<String> = file
            .steps
            .iter()
            .filter(|step| is_stream(step))
            .map(|step| step.main.name.clone())
            .collect();
        for (key, value) in [("block", &request.block), ("depth", &request.depth)] {
            let Some(value) = value else { continue };
            // A plan without streams takes it for all of its steps.
            let keys = if streams.is_empty() {
                vec![key.to_string()]
            } else {
                streams.iter().map(|step| format!("{step}.{key}")).collect()
            };
            set.extend(keys.into_iter().map(|key| (key, value.clone())));
        }
        set.extend(
            request
                .time
                .iter()
                .map(|time| ("time".to_string(), time.clone())),
        );
        let size = request
            .size
            .clone()
            .unwrap_or_else(|| size_bytes.to_string());
        set.push(("size".into(), size));
        set.extend(request.set.iter().cloned());
        let clients = request.clients.len().max(1) as u32;
        let requested = RequestedPlan {
            file,
            kind,
            set,
            clients,
        };
        // Any directory supports all operations: errors are about the plan, not a layer.
        let plain = requested.resolved(".", Direct::Try)?;
        refuse_what_not_every_layer_has(&plain)?;
        Ok(requested)
    }

    fn resolved(&self, target: &str, direct: Direct) -> anyhow::Result<Plan> {
        let mut flags = vec![("target".to_string(), target.to_string())];
        if direct == Direct::No {
            flags.push(("direct".into(), "false".into()));
        }
        Ok(resolve(
            &self.file,
            &Overrides {
                set: self.set.clone(),
                flags,
            },
            self.kind,
        )?)
    }

    /// As many requests in flight, and as many bytes in use, whether a layer is measured by the server alone or by all clients: the server gets the workers of
    /// all of them, each client its part of the bytes.
    fn divide(&self, plan: &mut Plan, layer: &Layer) {
        if self.clients == 1 {
            return;
        }
        for job in plan.steps.iter_mut().flat_map(|step| &mut step.jobs) {
            let workload = &mut job.workload;
            match layer.is_of_clients() {
                true => {
                    let part = |size: Bytes| ((size.0 / u64::from(self.clients)) >> 20) << 20;
                    workload.size = workload.size.map(|size| Bytes(part(size).max(1 << 20)));
                }
                false => workload.workers = workload.workers.saturating_mul(self.clients),
            }
        }
    }

    /// The plan of one layer with the word for its target. Errors: nothing of it is left there.
    pub fn on(&self, layer: &Layer, overwrite: &[PathBuf]) -> anyhow::Result<(Plan, Overwrite)> {
        let target = layer.target.to_string();
        let direct = if matches!(layer.kind, LayerKind::PageCache | LayerKind::Share) {
            Direct::No
        } else {
            Direct::Try
        };
        let (mut plan, word) = match layer.kind {
            LayerKind::Network => (
                as_messages(self.resolved("null:", direct)?, &layer.target),
                Overwrite::No,
            ),
            _ => (
                self.resolved(&target, direct)?,
                permission(layer, overwrite)?,
            ),
        };
        self.divide(&mut plan, layer);
        let existing = !matches!(
            layer.environment.text("target.kind"),
            None | Some("directory")
        );
        if existing && word == Overwrite::No {
            plan.steps
                .retain(|step| !step.jobs.iter().any(|job| job.workload.modifies()));
        }
        if plan.steps.is_empty() {
            bail!(
                "{target}: no step of plan {} can run there{}",
                plan.name,
                if existing {
                    ": it is read-only, and the plan only writes"
                } else {
                    ""
                }
            );
        }
        crate::named_plan::refuse_impossible_engines(&plan)?;
        Ok((plan, word))
    }
}

/// Layers are compared by one job of reads and writes of blocks at a time. Errors: a step does something else.
fn refuse_what_not_every_layer_has(plan: &Plan) -> anyhow::Result<()> {
    for step in &plan.steps {
        let strange = step
            .jobs
            .iter()
            .flat_map(|job| &job.workload.mix.0)
            .map(|(kind, _)| *kind)
            .find(|kind| !is_block(*kind));
        if let Some(kind) = strange {
            bail!(
                "step '{}' uses {kind}, which not every layer supports: layers are compared by reads and writes of blocks (plumb plans layers)",
                step.name
            );
        }
        if step.jobs.iter().any(|job| job.workload.replay.is_some()) {
            bail!(
                "step '{}' replays a log: layers are compared with the same steady load on each (plumb plans layers)",
                step.name
            );
        }
        if step.jobs.len() > 1 {
            bail!(
                "step '{}' has concurrent jobs: layers are compared with one job at a time",
                step.name
            );
        }
    }
    Ok(())
}

fn is_block(kind: OperationKind) -> bool {
    matches!(kind, OperationKind::Read | OperationKind::Write)
}

/// The user's word for a device or file. What a file system or an array lies on is never written.
fn permission(layer: &Layer, overwrite: &[PathBuf]) -> anyhow::Result<Overwrite> {
    let Target::Path(path) = &layer.target else {
        return Ok(Overwrite::No);
    };
    if !overwrite.contains(path) {
        return Ok(Overwrite::No);
    }
    if let Some(used) = layer
        .environment
        .text("device.mounted_at")
        .filter(|used| layer.kind == LayerKind::Device && *used != "no")
    {
        bail!(
            "{}: in use ({used}), and plumb layers never writes to a layer in use: omit --overwrite to measure reads only",
            path.display()
        );
    }
    Ok(Overwrite::Named(path.clone()))
}

/// Reads become messages that are received, writes such that are sent; a request by itself waits for its answer, and so does its message.
fn as_messages(mut plan: Plan, target: &Target) -> Plan {
    plan.steps
        .retain_mut(|step| step.jobs.iter_mut().all(|job| as_message(job, target)));
    plan
}

/// False when the other end cannot do the like.
fn as_message(job: &mut Job, target: &Target) -> bool {
    let [(kind, _)] = job.workload.mix.0.as_slice() else {
        return false;
    };
    let one = job.workload.depth == 1 && job.workload.workers == 1;
    let message = match kind {
        _ if one => OperationKind::PingPong,
        OperationKind::Read => OperationKind::Receive,
        _ => OperationKind::Send,
    };
    job.workload.mix = Mix::only(message);
    (job.workload.size, job.workload.direct, job.target) = (None, Direct::No, target.clone());
    candidates(target, &job.engine, &job.workload).is_ok()
}

/// True for a step that goes through its target in order.
fn is_stream(step: &StepFile) -> bool {
    let sequential = |text: &str| text.parse() == Ok(Offsets::Sequential);
    step.main
        .entries
        .iter()
        .any(|entry| match entry.key.as_str() {
            "offsets" => sequential(&entry.text),
            "pattern" => expand("pattern", &entry.text).is_ok_and(|keys| {
                keys.iter()
                    .any(|(key, text)| *key == "offsets" && sequential(text))
            }),
            _ => false,
        })
}
