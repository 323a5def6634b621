//! Which engines exist, and which of their properties does the rest of the program use?
//!
//! Each engine declares its properties in its own file in plumb-load; `./dev docs` generates the table here, and a test of plumb-load fails when it is stale.

pub mod properties;
#[rustfmt::skip]
mod table;

pub use crate::engines::properties::{EngineProperties, SchemeProperties, WhileLost};
pub use crate::engines::table::{ENGINES, Scheme};
use crate::workload::operation::OperationKind;

impl Scheme {
    /// Properties of the protocol.
    pub fn properties(self) -> Option<&'static SchemeProperties> {
        ENGINES
            .iter()
            .flat_map(|engine| engine.schemes)
            .find(|of| of.word == self.word())
    }

    /// True if the protocol has the property.
    pub fn is(self, has: impl Fn(&SchemeProperties) -> bool) -> bool {
        self.properties().is_some_and(has)
    }

    /// Operations that at least one engine supports on this protocol.
    pub fn operations(self) -> &'static [OperationKind] {
        ENGINES
            .iter()
            .find(|engine| engine.supports_scheme(self.word()))
            .map_or(&[], |engine| engine.operations)
    }
}

/// Returns the engine of this name; `None` for `auto` and for engines of other programs.
pub fn named(name: &str) -> Option<&'static EngineProperties> {
    ENGINES.iter().find(|engine| engine.name == name)
}

/// True if the engine of this name has the property; false if no engine has this name.
pub fn is(name: &str, has: impl Fn(&EngineProperties) -> bool) -> bool {
    named(name).is_some_and(has)
}

/// True for an engine that performs no I/O: it measures the load generator itself.
pub fn is_null(name: &str) -> bool {
    is(name, |engine| !engine.does_work)
}

/// The engine that has this option; of several, the one that `auto` takes.
pub fn owner_of(option: &str) -> Option<&'static EngineProperties> {
    let has_it = |engine: &&EngineProperties| engine.own_options.contains(&option);
    let mut owners = ENGINES.iter().filter(has_it);
    owners
        .clone()
        .find(|engine| engine.by_auto)
        .or_else(|| owners.next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scheme_has_properties_and_every_option_one_owner() {
        for scheme in Scheme::ALL {
            assert!(scheme.properties().is_some(), "{scheme}");
            assert!(!scheme.operations().is_empty(), "{scheme}");
        }
        // Both rings can poll, and `auto` takes the first; pvsync2 and libaio write without tearing.
        let of_both = |option: &&&str| !["iopoll", "sqpoll", "atomic"].contains(*option);
        let mut options: Vec<_> = ENGINES
            .iter()
            .flat_map(|engine| engine.own_options)
            .filter(of_both)
            .collect();
        let count = options.len();
        options.sort_unstable();
        options.dedup();
        assert_eq!(options.len(), count, "{options:?}");
    }
}
