//! What did the kernel negotiate with an NFS server? From the mount options and /proc/self/mountstats.

use std::path::Path;

use plumb_model::environment::{Environment, Fact};

use super::options::Options;
use crate::environment::fact::{number_fact, text_fact};
use crate::mountstats::{NfsMount, Operation, READS, WRITES, nfs_mounts};
use crate::system::kernel_files::{Known, text};
use crate::system::paths;

/// Sets the facts of the NFS mount at `point`.
pub(super) fn look(root: &Path, point: &str, options: &Options<'_>, environment: &mut Environment) {
    let mount: Known<NfsMount> = text(root, paths::NFS_COUNTERS).and_then(|mut text| {
        text.push('\n');
        let found = nfs_mounts(&text)
            .into_iter()
            .find(|mount| mount.point == point);
        found.ok_or_else(|| format!("/proc/self/mountstats does not list {point}"))
    });
    look_at_options(options, mount.as_ref().ok(), environment);
    look_at_counters(&mount, environment);
}

/// Facts from the mount options; `mount`: additional facts from its counters.
fn look_at_options(options: &Options<'_>, mount: Option<&NfsMount>, environment: &mut Environment) {
    environment.set("share.protocol", Fact::Text("nfs".into()));
    let version = options
        .value("vers")
        .map(|version| format!("NFS {version}"));
    environment.set(
        "share.dialect",
        text_fact(version.ok_or_else(|| "the mount options do not include vers".to_owned())),
    );
    environment.set("share.read_max_bytes", options.number("rsize"));
    environment.set("share.write_max_bytes", options.number("wsize"));
    let security = options
        .value("sec")
        .map(str::to_owned)
        .ok_or_else(|| "the mount options do not include sec".to_owned());
    environment.set("share.security", text_fact(security));
    // nfs(5): the option is shown only when it is above 1.
    environment.set(
        "share.channels_asked",
        Fact::Number(
            options
                .value("nconnect")
                .and_then(|number| number.parse().ok())
                .unwrap_or(1.0),
        ),
    );
    let cache = match (options.value("lookupcache"), options.has("noac")) {
        (_, true) => "noac",
        (Some(lookup), false) => lookup,
        (None, false) => "close-to-open",
    };
    environment.set("share.cache", Fact::Text(cache.into()));
    environment.set("share.attribute_cache_s", attribute_cache(options, mount));
}

/// What the kernel counts of the mount.
fn look_at_counters(mount: &Known<NfsMount>, environment: &mut Environment) {
    let counted = |value: Known<Option<f64>>| {
        number_fact(value.and_then(|value| {
            value.ok_or_else(|| "/proc/self/mountstats does not show it for this mount".to_owned())
        }))
    };
    let of = |value: fn(&NfsMount) -> Option<f64>| {
        counted(mount.as_ref().map(value).map_err(String::clone))
    };
    environment.set(
        "share.channels",
        of(|mount| Some(mount.connections.len() as f64).filter(|count| *count > 0.0)),
    );
    let transport = mount.as_ref().map_err(String::clone).and_then(|mount| {
        let first = mount.connections.first().map(String::as_str);
        first
            .or(mount.option("proto"))
            .map(str::to_owned)
            .ok_or_else(|| "/proc/self/mountstats lists no connection".to_owned())
    });
    environment.set("share.transport", text_fact(transport));
    environment.set("share.age_s", of(|mount| mount.age_s));
    environment.set(
        "share.requests",
        of(|mount| total(mount, Operation::requests)),
    );
    environment.set(
        "share.retransmits",
        of(|mount| {
            Some(
                (total(mount, Operation::transmissions)? - total(mount, Operation::requests)?)
                    .max(0.0),
            )
        }),
    );
    environment.set(
        "share.read_round_trip_us",
        of(|mount| round_trip_us(mount, &READS)),
    );
    environment.set(
        "share.write_round_trip_us",
        of(|mount| round_trip_us(mount, &WRITES)),
    );
}

/// Over all kinds of request; `None` when there are none.
fn total(mount: &NfsMount, value: fn(&Operation) -> Option<f64>) -> Option<f64> {
    (!mount.operations.is_empty()).then(|| mount.operations.iter().filter_map(value).sum())
}

/// Mean of the round trips since the mount; `None` when there was no request.
fn round_trip_us(mount: &NfsMount, names: &[&str]) -> Option<f64> {
    let requests = mount
        .sum(names, Operation::requests)
        .filter(|requests| *requests > 0.0)?;
    Some(
        1e3 * mount.sum(names, |operation| {
            operation.times_ms().map(|(_, round_trip, _)| round_trip)
        })? / requests,
    )
}

/// File attributes: the minimum time they are cached. mountstats shows it; /proc/mounts only if it is not the default of 3 s (nfs(5)).
fn attribute_cache(options: &Options<'_>, mount: Option<&NfsMount>) -> Fact {
    if options.has("noac") {
        return Fact::Number(0.0);
    }
    let seconds = options
        .value("acregmin")
        .or(options.value("actimeo"))
        .or(mount.and_then(|mount| mount.option("acregmin")));
    let reason = || "neither the mount options nor /proc/self/mountstats show acregmin".to_owned();
    number_fact(
        seconds
            .and_then(|seconds| seconds.parse().ok())
            .ok_or_else(reason),
    )
}
