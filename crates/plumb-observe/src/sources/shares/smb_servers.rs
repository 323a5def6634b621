//! What is the state of each server connection of the kernel's SMB client? Credits, requests in flight, and waiting ones.

use plumb_model::run::metric::{Metric, Reading};

use crate::machine::Machine;
use crate::source::{
    Area, Nothing, OneFile, Reader, Scope, Source, System, gauge, push, report_missing, scaled,
};
use crate::system::paths::CIFS_CONNECTIONS;

/// Kernel: fs/smb/client/cifs_debug.c (cifs_debug_data_proc_show, cifs_dump_channel). Each channel of a session with several has a connection of its own.
pub static SOURCE: Source = Source {
    name: "smb_servers",
    system: System::Linux,
    meaning: "credits and requests in flight of each connection of the kernel's SMB client (/proc/fs/cifs/DebugData)",
    areas: &[Area::Share, Area::SmbClient],
    metrics: &METRICS,
    open,
};

static METRICS: [Metric; 4] = [
    gauge(
        "smb_server.credits",
        "1",
        "credits left: requests of 64 KiB that may be sent in addition to those in flight (Number of credits)",
    ),
    gauge(
        "smb_server.outstanding",
        "operations",
        "requests sent and not yet answered (Req On Wire)",
    ),
    gauge(
        "smb_server.sending",
        "operations",
        "requests waiting to be sent (In Send)",
    ),
    gauge(
        "smb_server.waiting",
        "operations",
        "requests waiting for credits (In MaxReq Wait)",
    ),
];

fn open(machine: &Machine, scope: &Scope) -> Box<dyn Reader> {
    let shares = scope.shares_like("\\\\");
    if shares.is_some_and(|shares| shares.is_empty()) {
        return Box::new(Nothing);
    }
    Box::new(OneFile {
        file: machine.file(CIFS_CONNECTIONS),
        scope: scope.clone(),
        parse,
    })
}

/// In the order of the metrics.
type Values = [Option<f64>; METRICS.len()];

fn parse(text: &str, _: &Scope, out: &mut Vec<Reading>) {
    let first = out.len();
    let mut server = "";
    let mut connection: Option<(String, Values)> = None;
    // A last line that does not end was cut short.
    for line in text
        .split_inclusive('\n')
        .filter_map(|line| line.strip_suffix('\n'))
    {
        let begun = match after(line, "ConnectionId: ") {
            Some(id) => {
                server = after(line, "Hostname: ").unwrap_or(server);
                Some(format!("{server} {id}"))
            }
            // Sessions come with each server, and shares after its channels: what they report is of no connection.
            None if line.trim() == "Shares:" => Some(String::new()),
            None => None,
        };
        match begun {
            Some(name) => {
                finish(connection.take(), out);
                connection = (!name.is_empty()).then_some((name, [None; METRICS.len()]));
            }
            None => connection
                .iter_mut()
                .for_each(|(_, values)| take(values, line)),
        }
    }
    finish(connection, out);
    report_missing(&METRICS, None, first, out);
}

fn finish(connection: Option<(String, Values)>, out: &mut Vec<Reading>) {
    if let Some((name, values)) = connection {
        METRICS
            .iter()
            .zip(values)
            .for_each(|(metric, value)| push(out, metric, &name, value));
    }
}

/// The word after a heading.
fn after<'a>(line: &'a str, heading: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(heading)?;
    rest.split_ascii_whitespace().next()
}

fn take(values: &mut Values, line: &str) {
    let number = |heading: &str| scaled(after(line, heading), 1.0);
    let headings = ["Req On Wire: ", "In Send: ", "In MaxReq Wait: "];
    for (value, heading) in values[1..].iter_mut().zip(headings) {
        *value = number(heading).or(*value);
    }
    // `507,1,1`: those for requests, for echoes and for breaks of leases.
    let credits = after(line, "Number of credits: ").and_then(|all| all.split(',').next());
    values[0] = scaled(credits, 1.0).or(values[0]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, value};

    #[test]
    fn each_connection_of_a_real_kernel_is_read_channels_as_well() {
        let out = fixture::read(&SOURCE, "proc-share", &Scope::default());
        for (connection, credits) in [
            ("10.9.9.2 0x5", 507.0),
            ("10.9.9.2 0x1", 469.0),
            ("10.9.9.2 0x2", 262.0),
            ("10.9.9.2 0x3", 288.0),
            ("10.9.9.2 0x4", 288.0),
        ] {
            assert_eq!(value(&out, "smb_server.credits", connection), Some(credits));
            for metric in ["outstanding", "sending", "waiting"] {
                let metric = format!("smb_server.{metric}");
                assert_eq!(value(&out, &metric, connection), Some(0.0), "{metric}");
            }
        }
        assert_eq!(out.len(), 5 * METRICS.len());
    }

    #[test]
    fn without_a_mount_nothing_is_told() {
        let mut out = Vec::new();
        parse(
            "Display Internal CIFS Data Structures for Debugging\nServers:\n\n",
            &Scope::default(),
            &mut out,
        );
        assert_eq!(out.len(), METRICS.len());
        assert!(out.iter().all(|reading| reading.value.is_none()));
    }
}
