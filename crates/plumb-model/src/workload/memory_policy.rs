//! On which memory nodes do the buffers of a worker lie?

use std::fmt;
use std::str::FromStr;

use crate::text::word::serde_as_text;
use crate::units::UnitError;

/// Nodes above that no kernel counts.
const NODES_MAX: u32 = 1024;

/// Where memory of a worker is taken from (set_mempolicy(2)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemoryPolicy {
    /// The node that the worker runs on.
    Local,
    /// This node, as long as it has room.
    Prefer(u32),
    /// These nodes only.
    Bind(Vec<u32>),
    /// Page by page from these nodes in turn.
    Interleave(Vec<u32>),
}

impl MemoryPolicy {
    /// Nodes that it names.
    pub fn nodes(&self) -> &[u32] {
        match self {
            MemoryPolicy::Local => &[],
            MemoryPolicy::Prefer(node) => std::slice::from_ref(node),
            MemoryPolicy::Bind(nodes) | MemoryPolicy::Interleave(nodes) => nodes,
        }
    }
}

/// `0-2,4`.
fn nodes(text: &str) -> Option<Vec<u32>> {
    let mut nodes = Vec::new();
    for part in text.split(',') {
        let (low, high) = part.split_once('-').unwrap_or((part, part));
        let (low, high): (u32, u32) = (low.trim().parse().ok()?, high.trim().parse().ok()?);
        if low > high || high >= NODES_MAX {
            return None;
        }
        nodes.extend(low..=high);
    }
    Some(nodes)
}

impl FromStr for MemoryPolicy {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (mode, list) = text.trim().split_once(':').unwrap_or((text.trim(), ""));
        let found = match (mode, nodes(list)) {
            ("local", _) if list.is_empty() => Some(MemoryPolicy::Local),
            ("prefer", Some(nodes)) => match nodes.as_slice() {
                [one] => Some(MemoryPolicy::Prefer(*one)),
                _ => None,
            },
            ("bind", Some(nodes)) => Some(MemoryPolicy::Bind(nodes)),
            ("interleave", Some(nodes)) => Some(MemoryPolicy::Interleave(nodes)),
            _ => None,
        };
        found.ok_or_else(|| {
            UnitError(format!(
                "'{text}' is no memory policy: write local, prefer:NODE, bind:NODES or interleave:NODES, with nodes such as 0-1,3"
            ))
        })
    }
}

impl fmt::Display for MemoryPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mode = match self {
            MemoryPolicy::Local => return write!(f, "local"),
            MemoryPolicy::Prefer(_) => "prefer",
            MemoryPolicy::Bind(_) => "bind",
            MemoryPolicy::Interleave(_) => "interleave",
        };
        let nodes: Vec<String> = self.nodes().iter().map(u32::to_string).collect();
        write!(f, "{mode}:{}", nodes.join(","))
    }
}

serde_as_text!(
    MemoryPolicy,
    "MemoryPolicy",
    "local, prefer:NODE, bind:NODES or interleave:NODES, with nodes such as 0-1,3"
);

#[test]
fn policies_are_read_and_written() {
    for (text, written) in [
        ("local", "local"),
        ("prefer:1", "prefer:1"),
        ("bind:0-2,4", "bind:0,1,2,4"),
        ("interleave:0,1", "interleave:0,1"),
    ] {
        let policy: MemoryPolicy = text.parse().expect(text);
        assert_eq!(policy.to_string(), written);
    }
    for nonsense in [
        "",
        "bind",
        "bind:",
        "prefer:0,1",
        "bind:3-1",
        "bind:9999",
        "local:1",
        "near:0",
    ] {
        assert!(nonsense.parse::<MemoryPolicy>().is_err(), "{nonsense}");
    }
}
