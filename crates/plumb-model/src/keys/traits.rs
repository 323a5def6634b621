//! Which properties does a key have besides type, meaning and default? Declared at its field, in one expression.
//!
//! `#[schemars(extend("x-key" = key().range(1.0, 4096.0).flag("N")))]` above a field of [`Workload`](crate::workload::Workload) or
//! [`EngineChoice`](crate::workload::EngineChoice). [`Keys`](crate::keys::Keys) derives them from the schema, for validation, flags, comparisons and fio formats.

use serde::{Deserialize, Serialize};

/// Name of the traits in the schema of the model; published schemas omit it.
pub const X_KEY: &str = "x-key";

/// The traits of one key. Those not given are as in [`KeyTraits::default`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct KeyTraits {
    /// Smallest valid value: a plain number, bytes of a size, nanoseconds of a time. Missing: any of its type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least: Option<f64>,
    /// Largest value, in the same unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub greatest: Option<f64>,
    /// Flag of the same name. Missing: the key is set with `--set` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flag: Option<KeyFlag>,
    #[serde(skip_serializing_if = "Compared::is_default")]
    pub compared: Compared,
    /// What the operations of a job must have for the key to apply. Missing: nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<Needs>,
    /// With `KeyTraits::needs`: without it the key is refused, with this reason ("counts writes"). Missing: it has no effect then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused_because: Option<String>,
    /// Equivalent fio option.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fio: Option<FioOption>,
    /// On the command line without the name of a step or job, it applies to all jobs of a step.
    #[serde(skip_serializing_if = "is_false")]
    pub is_run_wide: bool,
    /// It sets when a step ends: jobs other than the main one end with the main one and do not inherit it.
    #[serde(skip_serializing_if = "is_false")]
    pub is_stop: bool,
}

/// A flag of the command line.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct KeyFlag {
    /// Placeholder in the help: `SIZE`.
    pub value_name: String,
    /// Value of the flag without an argument: `--direct` is `--direct=true`.
    pub alone: Option<String>,
}

/// Role of a key when two steps are compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compared {
    /// Part of the work: steps that differ in it did different work.
    #[default]
    What,
    /// The same, and always recorded: a result without it had the default.
    WhatOrDefault,
    /// How the work was done: sides may differ in it, and the comparison reports it.
    How,
    /// Not compared.
    Never,
}

impl Compared {
    fn is_default(&self) -> bool {
        *self == Compared::default()
    }
}

fn is_false(flag: &bool) -> bool {
    !flag
}

/// What the operations of a job involve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Needs {
    /// A rate: an open loop.
    Rate,
    /// Writes of blocks.
    Writes,
    /// Changes of blocks or of names.
    Changes,
    /// Operations on files by name.
    FileOperations,
}

/// A fio option (HOWTO.rst of fio 3.x) equivalent to a key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct FioOption {
    pub name: String,
    /// Nanoseconds per unit of a bare number in a job file, for times.
    pub bare_ns: u64,
    /// The value of a job file is used unchanged. Otherwise the job file reader has code for the option.
    pub is_read_as_it_is: bool,
}

/// Starts the traits of a key.
pub(crate) fn key() -> KeyTraits {
    KeyTraits::default()
}

impl KeyTraits {
    pub(crate) fn at_least(mut self, least: f64) -> Self {
        self.least = Some(least);
        self
    }

    pub(crate) fn at_most(mut self, greatest: f64) -> Self {
        self.greatest = Some(greatest);
        self
    }

    pub(crate) fn range(self, least: f64, greatest: f64) -> Self {
        self.at_least(least).at_most(greatest)
    }

    pub(crate) fn flag(mut self, value_name: &str) -> Self {
        self.flag = Some(KeyFlag {
            value_name: value_name.into(),
            alone: None,
        });
        self
    }

    /// A flag with an optional value.
    pub(crate) fn switch(mut self, value_name: &str, alone: &str) -> Self {
        self.flag = Some(KeyFlag {
            value_name: value_name.into(),
            alone: Some(alone.into()),
        });
        self
    }

    pub(crate) fn compared(mut self, compared: Compared) -> Self {
        self.compared = compared;
        self
    }

    /// Without this it has no effect.
    pub(crate) fn needs(mut self, needs: Needs) -> Self {
        self.needs = Some(needs);
        self
    }

    /// Without this it is refused, for the reason `why`.
    pub(crate) fn refused_without(mut self, needs: Needs, why: &str) -> Self {
        self.refused_because = Some(why.into());
        self.needs(needs)
    }

    /// fio has it under this name, with the same values: a count, a size, percent, 0 or 1. Read from job files and results, and written.
    pub(crate) fn fio(mut self, name: &str) -> Self {
        self.fio = Some(FioOption {
            name: name.into(),
            bare_ns: 1_000_000_000,
            is_read_as_it_is: true,
        });
        self
    }

    /// fio has it under this name; written by name, read from job files by dedicated code.
    pub(crate) fn written_for_fio(self, name: &str) -> Self {
        let mut traits = self.fio(name);
        if let Some(fio) = &mut traits.fio {
            fio.is_read_as_it_is = false;
        }
        traits
    }

    pub(crate) fn run_wide(mut self) -> Self {
        self.is_run_wide = true;
        self
    }

    pub(crate) fn stop(mut self) -> Self {
        self.is_stop = true;
        self
    }
}
