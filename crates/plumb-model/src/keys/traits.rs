//! What does the program need to know of a key beyond its type, its meaning and its default? Said beside its field, in one expression.
//!
//! `#[schemars(extend("x-key" = key().range(1.0, 4096.0).flag("N")))]` above a field of [`Workload`](crate::workload::Workload) or
//! [`EngineChoice`](crate::workload::EngineChoice). [`Keys`](crate::keys::Keys) reads it off the schema, and validation, flags, comparisons and the formats of fio follow.

use serde::{Deserialize, Serialize};

/// Name of the traits in the schema of the model; published schemas leave it out.
pub const X_KEY: &str = "x-key";

/// The traits of one key. What is not said is as [`KeyTraits::default`] has it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct KeyTraits {
    /// Least value that can be carried out: a plain number, bytes of a size, nanoseconds of a time. Missing: any of its type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least: Option<f64>,
    /// Greatest value, in the same unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub greatest: Option<f64>,
    /// Flag of the same name. Missing: the key is given with `--set` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flag: Option<KeyFlag>,
    #[serde(skip_serializing_if = "Compared::is_default")]
    pub compared: Compared,
    /// What the operations of a job must have for the key to mean anything. Missing: nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<Needs>,
    /// With [`KeyTraits::needs`]: the key is refused where that is missing, with this reason ("counts writes"). Missing: it has no effect there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused_because: Option<String>,
    /// fio's option for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fio: Option<FioOption>,
    /// Given on the command line without the name of a step or job, it concerns jobs beside the main one too.
    #[serde(skip_serializing_if = "is_false")]
    pub is_run_wide: bool,
    /// It says when a step ends: jobs beside the main one end with that and take it from no default.
    #[serde(skip_serializing_if = "is_false")]
    pub is_stop: bool,
}

/// A flag of the command line.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct KeyFlag {
    /// Placeholder in the help: `SIZE`.
    pub value_name: String,
    /// Value when the flag stands alone: `--direct` is `--direct=true`.
    pub alone: Option<String>,
}

/// What a key says about the work when two steps are compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compared {
    /// What was done: steps that differ in it did not do the same.
    #[default]
    What,
    /// The same, and every result says it: one that does not has the default.
    WhatOrDefault,
    /// How it was done: sides may differ in it, and the comparison says so.
    How,
    /// Nothing.
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

/// What the operations of a job have or change.
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

/// An option of fio (HOWTO.rst of fio 3.x) that stands for a key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct FioOption {
    pub name: String,
    /// Nanoseconds of one unit where a job file has a bare number for a time.
    pub bare_ns: u64,
    /// The value of a job file becomes that of the key as it is. Otherwise the reader of job files has code of its own for the option.
    pub is_read_as_it_is: bool,
}

/// Begins the traits of a key.
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

    /// A flag that may stand without a value.
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

    /// It has no effect without this.
    pub(crate) fn needs(mut self, needs: Needs) -> Self {
        self.needs = Some(needs);
        self
    }

    /// It is refused without this, because it does what `why` says.
    pub(crate) fn refused_without(mut self, needs: Needs, why: &str) -> Self {
        self.refused_because = Some(why.into());
        self.needs(needs)
    }

    /// fio has it by this name, with the same values: a count, a size, percent, 0 or 1. Read from job files and results, and written.
    pub(crate) fn fio(mut self, name: &str) -> Self {
        self.fio = Some(FioOption {
            name: name.into(),
            bare_ns: 1_000_000_000,
            is_read_as_it_is: true,
        });
        self
    }

    /// fio has it by this name; it is written so, and job files are read by code of its own.
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
