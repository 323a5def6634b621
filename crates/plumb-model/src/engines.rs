//! Which engines are there, and what does the rest of the program need to know of them?
//!
//! Each engine says it itself, in its own file in plumb-load; the table here is made of that by `./dev docs`, and a test of plumb-load fails when it is stale.

pub mod properties;
#[rustfmt::skip]
mod table;

pub use crate::engines::properties::{EngineProperties, SchemeProperties, WhileLost};
pub use crate::engines::table::{ENGINES, Scheme};
use crate::workload::operation::OperationKind;

impl Scheme {
    /// What it is like.
    pub fn properties(self) -> Option<&'static SchemeProperties> {
        ENGINES
            .iter()
            .flat_map(|engine| engine.schemes)
            .find(|of| of.word == self.word())
    }

    /// Whether it has a property.
    pub fn is(self, has: impl Fn(&SchemeProperties) -> bool) -> bool {
        self.properties().is_some_and(has)
    }

    /// Operations that some engine can carry out there.
    pub fn operations(self) -> &'static [OperationKind] {
        ENGINES
            .iter()
            .find(|engine| engine.supports_scheme(self.word()))
            .map_or(&[], |engine| engine.operations)
    }
}

/// The engine of this name; none for `auto`, and for the engines of other programs.
pub fn named(name: &str) -> Option<&'static EngineProperties> {
    ENGINES.iter().find(|engine| engine.name == name)
}

/// Whether the engine of this name has a property; false when there is none of this name.
pub fn is(name: &str, has: impl Fn(&EngineProperties) -> bool) -> bool {
    named(name).is_some_and(has)
}

/// True of an engine that carries nothing out: what is measured with it is the generator.
pub fn is_null(name: &str) -> bool {
    is(name, |engine| !engine.does_work)
}

/// The engine that alone has this option.
pub fn owner_of(option: &str) -> Option<&'static EngineProperties> {
    ENGINES
        .iter()
        .find(|engine| engine.own_options.contains(&option))
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
        let mut options: Vec<_> = ENGINES
            .iter()
            .flat_map(|engine| engine.own_options)
            .collect();
        let count = options.len();
        options.sort_unstable();
        options.dedup();
        assert_eq!(options.len(), count, "{options:?}");
    }
}
