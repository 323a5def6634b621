//! Which styles do the parts of the view have?

use ratatui::style::{Modifier, Style};

pub(super) const QUIET: Style = Style::new().add_modifier(Modifier::DIM);
pub(super) const STRONG: Style = Style::new().add_modifier(Modifier::BOLD);
