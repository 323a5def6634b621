//! What do resolved plans report about themselves? The methods are plumb-model's; the plans come from here.

mod cache;
mod estimate;
mod notes;
mod schedule;
mod steady;
mod text;
