//! Which messages are exchanged between two hosts (`ioengine=net`)? One side listens, with plumb's responder; the other sends to it, or receives from it.

use std::net::IpAddr;

use crate::fio_job::access::rw::Access;
use crate::fio_job::extent::at_least_one;
use crate::fio_job::job_settings::JobSettings;
use crate::fio_job::remarks::Remarks;
use crate::fio_job::section::Section;
use plumb_model::plan::PlanError;
use plumb_model::target::remote::Scheme;
use plumb_model::units::Bytes;

/// Options that only jobs with `ioengine=net` have.
const OPTIONS: &[&str] = &[
    "hostname",
    "port",
    "protocol",
    "listen",
    "nodelay",
    "window_size",
    "pingpong",
];

/// fio's default block size.
const BLOCK_BYTES: u64 = 4096;

/// A section that listens: not a job, but the peer of jobs here or on another host.
#[derive(Debug, Clone, PartialEq)]
pub struct Listener {
    pub name: String,
    pub port: u16,
    /// Position of the section, as for its job's lines.
    pub line: usize,
    pub block_bytes: u64,
    /// Message if listening is impossible: a job file run by `plumb run`.
    pub refusal: PlanError,
}

/// Refuses network options with another engine.
pub fn refuse_other_engines(section: &Section) -> Result<(), PlanError> {
    match OPTIONS.iter().find(|option| section.text(option).is_some()) {
        Some(option) => Err(section.error(option, "it belongs to ioengine=net")),
        None => Ok(()),
    }
}

/// The address at which a section listens; `None`: it sends or receives.
pub fn listener(section: &Section) -> Result<Option<Listener>, PlanError> {
    let is_net = matches!(section.text("ioengine"), Some("net" | "netsplice"));
    if !is_net || !section.flag("listen")? {
        return Ok(None);
    }
    protocol(section)?;
    Ok(Some(Listener {
        name: section.name.clone(),
        port: port(section)?,
        line: section.source_line.outer_line,
        block_bytes: section.bytes("bs")?.unwrap_or(BLOCK_BYTES),
        refusal: section.error(
            "listen",
            "start `plumb fio` with this job file, or `plumb serve-net` on the host that listens",
        ),
    }))
}

/// Sets the target, direction and amount of messages.
pub fn messages(
    section: &Section,
    access: &Access,
    settings: &mut JobSettings,
    remarks: &mut Remarks,
) -> Result<(), PlanError> {
    if access.random {
        return Err(section.error(
            "rw",
            "network messages have no offsets; use rw=read or rw=write",
        ));
    }
    let mix = match access.uses {
        [true, false, false] => "receive",
        [false, true, false] => "send",
        _ => {
            return Err(section.error(
                "rw",
                "a job either sends or receives; use rw=write or rw=read",
            ));
        }
    };
    protocol(section)?;
    let is_answered = section.flag("pingpong")?;
    if is_answered && mix == "receive" {
        return Err(section.error(
            "pingpong",
            "plumb's responder sends messages back, and no job does: use pingpong on the side that writes, whose peer has listen",
        ));
    }
    let mix = if is_answered { "ping-pong" } else { mix };
    settings.set(section, "rw", "mix", mix);
    settings.modifies = false;
    settings.directions = None;
    let host = section.text("hostname").or(section.text("filename"));
    let Some(host) = host.filter(|host| !host.contains('/')) else {
        return Err(section.error("hostname", "give the name or address of the listening host"));
    };
    let is_v6 = host
        .parse::<IpAddr>()
        .is_ok_and(|address| address.is_ipv6());
    let host = if is_v6 {
        format!("[{host}]")
    } else {
        host.to_string()
    };
    let target = format!("{}://{host}:{}", Scheme::Tcp, port(section)?);
    settings.set(section, "hostname", "target", target);
    settings.is_shared = true;
    settings.files = 1;
    settings.numjobs = at_least_one(section, "numjobs")?;
    if settings.numjobs > 1 {
        settings.set(section, "numjobs", "workers", settings.numjobs.to_string());
        remarks.add(
            &section.name,
            "the clones connect to the same port; in fio each has its own",
        );
    }
    let at_once = section.flag("nodelay")?;
    settings.set(section, "nodelay", "no-delay", at_once.to_string());
    if let Some(window) = section.bytes("window_size")?.filter(|bytes| *bytes > 0) {
        settings.set(section, "window_size", "window", Bytes(window).to_string());
    }
    settings.region_bytes = section.bytes("size")?.filter(|bytes| *bytes > 0);
    if settings.region_bytes.is_none() && section.text("io_size").is_none() {
        return Err(section.error("size", "the amount of data is missing; set size"));
    }
    remarks.add(
        &section.name,
        "the peer must be plumb: the section with listen under `plumb fio`, or `plumb serve-net`; fio does not understand the protocol",
    );
    Ok(())
}

fn port(section: &Section) -> Result<u16, PlanError> {
    let port = section
        .integer("port")?
        .and_then(|port| u16::try_from(port).ok());
    let port = port.filter(|port| *port > 0);
    port.ok_or_else(|| section.error("port", "give the port number, 1 to 65535"))
}

fn protocol(section: &Section) -> Result<(), PlanError> {
    let named = section.text("protocol").unwrap_or_default();
    // `tcpv4` and `tcpv6` too.
    if named.is_empty() || named.starts_with(&Scheme::Tcp.to_string()) {
        return Ok(());
    }
    let instead = match named {
        "udp" | "udpv4" | "udpv6" => "use protocol=tcp, or for datagrams `iperf3 -u`",
        "unix" => "use protocol=tcp with hostname=localhost",
        "vsock" => "use protocol=tcp over a network interface of the virtual machine",
        _ => "use protocol=tcp",
    };
    let why = format!("plumb exchanges messages over TCP, not {named}; {instead}");
    Err(section.error("protocol", why))
}
