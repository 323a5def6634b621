//! How is a Windows counter set read? All its counters in one query, with the current instances at each reading.

use plumb_model::run::metric::Reading;
use plumb_model::windows_counters::CounterSet;

use crate::machine::{Look, Machine};
use crate::source::{Nothing, Reader, Scope, push};
use crate::system::pdh::{Counter, Query, Status};

/// All instances together. The display computes sums, so that a sum and its parts do not count twice.
const TOTAL: &str = "_Total";

/// Selected instances of a set.
#[derive(Debug, Clone)]
pub(crate) enum Selection {
    All,
    /// Instances with names accepted by this function.
    Named(Vec<String>, fn(&str, &str) -> bool),
}

impl Selection {
    /// Those that a scope names, if it does.
    pub(crate) fn of(names: Option<&Vec<String>>, is_it: fn(&str, &str) -> bool) -> Selection {
        match names {
            None => Selection::All,
            Some(names) => Selection::Named(names.clone(), is_it),
        }
    }

    fn has(&self, instance: &str) -> bool {
        match self {
            Selection::All => true,
            Selection::Named(names, is_it) => names.iter().any(|name| is_it(name, instance)),
        }
    }
}

/// Disk instances are named by disk number and drive letters: `0 C: D:`.
pub(crate) fn is_disk(name: &str, instance: &str) -> bool {
    name.eq_ignore_ascii_case(instance)
        || instance
            .split(' ')
            .any(|word| word.eq_ignore_ascii_case(name.trim_end_matches('\\')))
}

/// Instances are `\server\share`; targets and scopes use `\\server\share`.
pub(crate) fn is_share(name: &str, instance: &str) -> bool {
    let plain = |name: &str| name.trim_start_matches('\\').to_owned();
    plain(name).eq_ignore_ascii_case(&plain(instance))
}

/// Instances have the description of the adapter, in which Windows replaces what has a meaning in the path of a counter.
pub(crate) fn is_adapter(name: &str, instance: &str) -> bool {
    let plain = |letter: char| match letter {
        '(' => '[',
        ')' => ']',
        '#' | '/' | '\\' => '_',
        letter => letter.to_ascii_lowercase(),
    };
    name.chars().map(plain).eq(instance.chars().map(plain))
}

/// A reader of one set. Only the real machine has such counters.
pub(crate) fn open(
    set: &'static CounterSet,
    machine: &Machine,
    selected: Selection,
    has_totals: bool,
) -> Box<dyn Reader> {
    if matches!(&selected, Selection::Named(names, _) if names.is_empty()) {
        return Box::new(Nothing);
    }
    Box::new(SetReader {
        set,
        selected,
        has_totals,
        is_live: machine.is_live(),
        query: None,
        counters: set.counters.iter().map(|_| None).collect(),
        look: Look::default(),
    })
}

/// Wanted by all scopes but one that names no interface.
pub(crate) fn of_all_interfaces(scope: &Scope) -> Selection {
    match &scope.interfaces {
        Some(names) if names.is_empty() => Selection::Named(Vec::new(), is_adapter),
        _ => Selection::All,
    }
}

/// Why a set cannot be read here; nothing if it can.
pub(crate) fn missing(set: &CounterSet) -> Option<Status> {
    let first = set.counters.first()?.0;
    let mut query = match Query::open() {
        Ok(query) => query,
        Err(status) => return Some(status),
    };
    query.add(&path(set, first)).err()
}

fn path(set: &CounterSet, counter: &str) -> String {
    format!(r"\{}(*)\{counter}", set.name)
}

struct SetReader {
    set: &'static CounterSet,
    selected: Selection,
    has_totals: bool,
    is_live: bool,
    query: Option<Query>,
    /// In the order of the set; missing what Windows does not have.
    counters: Vec<Option<Counter>>,
    look: Look,
}

/// An instance and the values of its metrics.
type Row = (String, Vec<Option<f64>>);

impl Reader for SetReader {
    fn read(&mut self, out: &mut Vec<Reading>) {
        let rows = match self.is_live {
            true => self.rows(),
            false => Vec::new(),
        };
        for (instance, values) in &rows {
            let metrics = self.set.metrics.iter().zip(values);
            metrics.for_each(|(metric, value)| push(out, metric, instance, *value));
        }
        let mut absent = |name: &str| {
            let metrics = self.set.metrics.iter();
            metrics.for_each(|metric| push(out, metric, name, None));
        };
        match &self.selected {
            Selection::All if rows.is_empty() => absent(""),
            Selection::All => {}
            Selection::Named(names, is_it) => names
                .iter()
                .filter(|name| !rows.iter().any(|(instance, _)| is_it(name, instance)))
                .for_each(|name| absent(name)),
        }
    }
}

impl SetReader {
    /// The current selected instances. None if the set, or any instance, is missing.
    fn rows(&mut self) -> Vec<Row> {
        self.find_counters();
        let mut rows: Vec<Row> = Vec::new();
        let Some(query) = &mut self.query else {
            return rows;
        };
        if query.collect().is_err() {
            return rows;
        }
        for (position, counter) in self.counters.iter().enumerate() {
            let values = counter.as_ref().and_then(|of| query.values(of).ok());
            let mut values = values.unwrap_or_default();
            number_equal_names(&mut values);
            for (instance, value) in values {
                let is_total = instance.ends_with(TOTAL);
                if is_total && !self.has_totals || !self.selected.has(&instance) {
                    continue;
                }
                let row = rows.iter().position(|(known, _)| *known == instance);
                let row = row.unwrap_or_else(|| {
                    rows.push((instance, vec![None; self.counters.len()]));
                    rows.len() - 1
                });
                rows[row].1[position] = value;
            }
        }
        rows
    }

    /// Adds the counters that are not there yet: a set appears with the first adapter, a counter with a version.
    fn find_counters(&mut self) {
        if self.counters.iter().all(Option::is_some) || !self.look.is_due() {
            return;
        }
        if self.query.is_none() {
            self.query = Query::open().ok();
        }
        let Some(query) = &mut self.query else {
            return;
        };
        let names = self.set.counters.iter().map(|(name, _)| *name);
        for (counter, name) in self.counters.iter_mut().zip(names) {
            if counter.is_some() {
                continue;
            }
            match query.add(&path(self.set, name)) {
                Ok(added) => *counter = Some(added),
                // Then the others are not there either.
                Err(Status::NO_OBJECT) => return,
                Err(_) => {}
            }
        }
    }
}

/// Instances with the same name are numbered as in Performance Monitor: `x`, `x#1`, `x#2`.
fn number_equal_names(values: &mut [(String, Option<f64>)]) {
    for position in (1..values.len()).rev() {
        let (before, from_here) = values.split_at_mut(position);
        let name = &mut from_here[0].0;
        let equal = before.iter().filter(|(known, _)| known == name).count();
        if equal > 0 {
            *name = format!("{name}#{equal}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_are_found_by_the_names_that_users_say() {
        for (is_it, name, instance, expected) in [
            (is_disk as fn(&str, &str) -> bool, "C:", "0 C: D:", true),
            (is_disk, "d:", "0 C: D:", true),
            (is_disk, r"C:\", "C:", true),
            (is_disk, "0", "0 C:", true),
            (is_disk, "1", "10 C:", false),
            (is_disk, "0 C:", "0 C:", true),
            (is_share, r"\\NAS\backup", r"\nas\backup", true),
            (is_share, r"\\nas\back", r"\nas\backup", false),
            (
                is_adapter,
                "Intel(R) Ethernet #2",
                "Intel[R] Ethernet _2",
                true,
            ),
            (is_adapter, "Ethernet", "Intel[R] Ethernet", false),
        ] {
            assert_eq!(is_it(name, instance), expected, "{name} {instance}");
        }
    }

    #[test]
    fn equal_names_get_numbers() {
        let mut values: Vec<_> = ["a", "b", "a", "a"]
            .map(|name| (name.to_owned(), None))
            .into();
        number_equal_names(&mut values);
        let names: Vec<_> = values.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a", "b", "a#1", "a#2"]);
    }
}
