//! What is in the options of a mount?

use plumb_model::environment::Fact;

/// The options of a mount, as `mount.options` has them.
pub(super) struct Options<'a>(pub(super) &'a str);

impl<'a> Options<'a> {
    /// The value of `name=value`.
    pub(super) fn value(&self, name: &str) -> Option<&'a str> {
        self.0
            .split(',')
            .find_map(|option| option.strip_prefix(name)?.strip_prefix('='))
    }

    /// True if the bare option is present.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.split(',').any(|option| option == name)
    }

    /// A number of bytes or seconds, with the reason if it is unavailable.
    pub(super) fn number(&self, name: &str) -> Fact {
        match self.value(name).map(str::parse::<f64>) {
            Some(Ok(number)) => Fact::Number(number),
            Some(Err(_)) => Fact::Unknown(format!(
                "the mount option {name} is not a number: {}",
                self.value(name).unwrap_or_default()
            )),
            None => Fact::Unknown(format!("the mount options do not include {name}")),
        }
    }
}
