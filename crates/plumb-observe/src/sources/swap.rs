//! How much did the machine swap? From /proc/vmstat.

use plumb_model::run::metric::{Metric, Reading};

use crate::machine::Machine;
use crate::source::{Area, OneFile, Reader, Scope, Source, System, counter, push, scaled};
use crate::system::page_bytes;

/// man 5 proc_vmstat: pswpin and pswpout count pages since boot. Missing when the kernel is built without swap.
pub static SOURCE: Source = Source {
    name: "swap",
    system: System::Linux,
    meaning: "pages that the machine swapped in and out (/proc/vmstat)",
    areas: &[Area::Disk, Area::Share],
    metrics: &METRICS,
    open,
};

static METRICS: [Metric; 2] = [
    counter(
        "swap.in_bytes",
        "bytes",
        "memory read back from swap (pswpin)",
    ),
    counter(
        "swap.out_bytes",
        "bytes",
        "memory written to swap (pswpout)",
    ),
];

const NAMES: [&str; 2] = ["pswpin", "pswpout"];

fn open(machine: &Machine, scope: &Scope) -> Box<dyn Reader> {
    Box::new(OneFile {
        file: machine.file("proc/vmstat"),
        scope: scope.clone(),
        parse,
    })
}

fn parse(text: &str, _: &Scope, out: &mut Vec<Reading>) {
    let page = page_bytes();
    let mut values = [None; 2];
    // A line that does not end was cut short, and its number with it.
    for line in text
        .split_inclusive('\n')
        .filter(|line| line.ends_with('\n'))
    {
        let Some((name, pages)) = line.split_once(' ') else {
            continue;
        };
        if let Some(at) = NAMES.iter().position(|selected| *selected == name) {
            values[at] = scaled(Some(pages), page);
        }
    }
    METRICS
        .iter()
        .zip(values)
        .for_each(|(metric, value)| push(out, metric, "", value));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, value};

    #[test]
    fn pages_are_told_in_bytes() {
        let out = fixture::read(&SOURCE, "proc-machine", &Scope::default());
        let page = page_bytes();
        assert_eq!(value(&out, "swap.in_bytes", ""), Some(12.0 * page));
        assert_eq!(value(&out, "swap.out_bytes", ""), Some(294.0 * page));
    }
}
