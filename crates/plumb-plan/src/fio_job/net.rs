//! Which messages are exchanged between two hosts (`ioengine=net`)? Over TCP one side listens, with plumb's responder, and the other sends to it, or receives from it; over UDP both are jobs.

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
    "interface",
    "ttl",
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
    if protocol(section)?.scheme == Scheme::Udp {
        return Err(section.error(
            "listen",
            "with protocol=udp the job that reads is the one that listens; remove it",
        ));
    }
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
    let protocol = protocol(section)?;
    let is_answered = section.flag("pingpong")?;
    match (protocol.scheme, is_answered) {
        (_, false) => settings.set(section, "rw", "mix", mix),
        (_, true) if mix == "send" => settings.set(section, "rw", "mix", "ping-pong"),
        (Scheme::Udp, true) => {
            settings.set(section, "rw", "mix", mix);
            settings.set(section, "pingpong", "answer", "true");
        }
        _ => {
            return Err(section.error(
                "pingpong",
                "plumb's responder sends messages back, and no job does: use pingpong on the side that writes, whose peer has listen",
            ));
        }
    }
    settings.modifies = false;
    settings.directions = None;
    let receives_datagrams = protocol.scheme == Scheme::Udp && mix == "receive";
    let host = match receives_datagrams {
        true => own_host(section, &protocol)?,
        false => other_host(section)?,
    };
    let target = format!("{}://{host}:{}", protocol.scheme, port(section)?);
    settings.set(section, "hostname", "target", target);
    settings.is_shared = true;
    settings.files = 1;
    settings.numjobs = at_least_one(section, "numjobs")?;
    if settings.numjobs > 1 {
        settings.set(section, "numjobs", "workers", settings.numjobs.to_string());
        if protocol.scheme == Scheme::Tcp {
            remarks.add(
                &section.name,
                "the clones connect to the same port; in fio each has its own",
            );
        }
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
    if protocol.scheme == Scheme::Udp {
        of_groups(section, settings)?;
        return Ok(());
    }
    remarks.add(
        &section.name,
        "the peer must be plumb: the section with listen under `plumb fio`, or `plumb serve-net`; fio does not understand the protocol",
    );
    Ok(())
}

/// The host that receives what a job sends, or from which it receives.
fn other_host(section: &Section) -> Result<String, PlanError> {
    let host = section.text("hostname").or(section.text("filename"));
    let Some(host) = host.filter(|host| !host.contains('/')) else {
        return Err(section.error("hostname", "give the name or address of the listening host"));
    };
    let is_v6 = host
        .parse::<IpAddr>()
        .is_ok_and(|address| address.is_ipv6());
    Ok(match is_v6 {
        true => format!("[{host}]"),
        false => host.to_string(),
    })
}

/// Where a job receives datagrams: at every address of this machine, or in a multicast group.
fn own_host(section: &Section, protocol: &Protocol) -> Result<String, PlanError> {
    let every = match protocol.is_v6 {
        true => "[::]",
        false => "0.0.0.0",
    };
    let Some(host) = section.text("hostname").or(section.text("filename")) else {
        return Ok(every.into());
    };
    let group = host.parse::<IpAddr>();
    let group = group.ok().filter(IpAddr::is_multicast);
    let group = group.ok_or_else(|| {
        section.error(
            "hostname",
            "a job that reads with protocol=udp receives from every host: remove it, or give the address of a multicast group",
        )
    })?;
    Ok(match group {
        IpAddr::V4(group) => group.to_string(),
        IpAddr::V6(group) => format!("[{group}]"),
    })
}

/// Options of messages to multicast groups.
fn of_groups(section: &Section, settings: &mut JobSettings) -> Result<(), PlanError> {
    if let Some(routers) = section.integer("ttl")? {
        let routers = u8::try_from(routers)
            .map_err(|_| section.error("ttl", "give a number of routers, 0 to 255"))?;
        settings.set(section, "ttl", "multicast-ttl", routers.to_string());
    }
    if let Some(address) = section.text("interface") {
        settings.set(section, "interface", "multicast-interface", address);
    }
    Ok(())
}

fn port(section: &Section) -> Result<u16, PlanError> {
    let port = section
        .integer("port")?
        .and_then(|port| u16::try_from(port).ok());
    let port = port.filter(|port| *port > 0);
    port.ok_or_else(|| section.error("port", "give the port number, 1 to 65535"))
}

/// How messages are transported.
struct Protocol {
    scheme: Scheme,
    is_v6: bool,
}

fn protocol(section: &Section) -> Result<Protocol, PlanError> {
    let named = section.text("protocol").unwrap_or_default();
    let instead = match named {
        "" | "tcp" | "tcpv4" | "tcpv6" => {
            return Ok(Protocol {
                scheme: Scheme::Tcp,
                is_v6: named == "tcpv6",
            });
        }
        "udp" | "udpv4" | "udpv6" => {
            return Ok(Protocol {
                scheme: Scheme::Udp,
                is_v6: named == "udpv6",
            });
        }
        "unix" => "use protocol=tcp with hostname=localhost",
        "vsock" => "use protocol=tcp over a network interface of the virtual machine",
        _ => "use protocol=tcp or protocol=udp",
    };
    let why = format!("plumb exchanges messages over TCP and UDP, not {named}; {instead}");
    Err(section.error("protocol", why))
}
