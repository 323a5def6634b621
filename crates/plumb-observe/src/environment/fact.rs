//! What fact is something that was found, or that was not?

use std::fmt::Display;

use plumb_model::environment::Fact;

use crate::system::kernel_files::Known;

pub(super) fn text_fact(known: Known<impl Display>) -> Fact {
    known.map_or_else(Fact::Unknown, |text| Fact::Text(text.to_string()))
}

pub(super) fn number_fact(known: Known<f64>) -> Fact {
    known.map_or_else(Fact::Unknown, Fact::Number)
}

pub(super) fn flag_fact(known: Known<bool>) -> Fact {
    known.map_or_else(Fact::Unknown, Fact::Flag)
}
