//! What is the environment of a run? Facts of host, device, mount and versions, each known or unknown with a reason.

pub mod fact_unit;
mod facts;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use crate::environment::facts::FACTS;

/// One fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Fact {
    /// A text: `ext4`, `mq-deadline`.
    Text(String),
    /// A number in the unit that the id ends in: `memory.total_bytes`.
    Number(f64),
    /// Yes or no: `device.rotational`.
    Flag(bool),
    /// Unknown, with the reason.
    Unknown(String),
}

/// All facts by id. Ids are dotted, lower case, unit last. Groups: `host.`, `cpu.`, `memory.`, `mount.`, `file_system.`, `device.`
/// (the device that carries the target), `parent.` (the disk under a partition), `array.` (RAID level and members), `network.` (the path to a
/// server), `rdma.` (adapters), `share.` (a kernel mount of a share), `smb.` and `s3.` (what the server reports to plumb's own session), `cgroup.`, `clock.`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct Environment {
    pub facts: BTreeMap<String, Fact>,
}

impl Environment {
    /// Sets one fact, replacing an earlier one.
    pub fn set(&mut self, id: impl Into<String>, fact: Fact) {
        self.facts.insert(id.into(), fact);
    }

    /// The text of a fact; `None` when it is missing, unknown or no text.
    pub fn text(&self, id: &str) -> Option<&str> {
        match self.facts.get(id) {
            Some(Fact::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The number of a fact, in the unit its id ends in; `None` when it is missing, unknown or no number.
    pub fn number(&self, id: &str) -> Option<f64> {
        match self.facts.get(id) {
            Some(Fact::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// The flag of a fact; `None` when it is missing, unknown or no flag.
    pub fn flag(&self, id: &str) -> Option<bool> {
        match self.facts.get(id) {
            Some(Fact::Flag(flag)) => Some(*flag),
            _ => None,
        }
    }
}

/// File systems that show the kernel's own state and store nothing.
pub fn is_kernel_view(file_system: &str) -> bool {
    [
        "proc",
        "sysfs",
        "cgroup",
        "cgroup2",
        "devpts",
        "debugfs",
        "tracefs",
        "securityfs",
        "mqueue",
        "bpf",
        "configfs",
        "pstore",
        "efivarfs",
        "binfmt_misc",
        "fusectl",
        "autofs",
        "nsfs",
        "rpc_pipefs",
        "selinuxfs",
    ]
    .contains(&file_system)
}
