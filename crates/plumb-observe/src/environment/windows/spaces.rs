//! How does Storage Spaces lay out the target's disk: resiliency, interleave, and health?

use plumb_model::environment::{Environment, Fact};

use crate::environment::fact::{number_fact, text_fact};
use crate::system::cim::{Class, Refusal, Row};
use crate::system::kernel_files::Known;

/// "MSFT_Disk class", Windows Storage Management API, Microsoft Learn.
pub(super) const DISKS: Class = Class {
    namespace: r"root\Microsoft\Windows\Storage",
    name: "MSFT_Disk",
};

/// "MSFT_VirtualDisk class": what Get-VirtualDisk lists.
pub(super) const VIRTUAL_DISKS: Class = Class {
    namespace: r"root\Microsoft\Windows\Storage",
    name: "MSFT_VirtualDisk",
};

/// STORAGE_BUS_TYPE of a disk that Storage Spaces makes.
pub(super) const BUS: u32 = 16;

type Rows = Result<Vec<Row>, Refusal>;

/// Sets the facts of the array that disk `number` is.
pub(super) fn set(number: u32, disks: Rows, spaces: Rows, environment: &mut Environment) {
    let space = space(number, disks, spaces);
    let of = |reported: &dyn Fn(&Row) -> Known<String>| match &space {
        Ok(space) => text_fact(reported(space)),
        Err(reason) => Fact::Unknown(reason.clone()),
    };
    let level = of(&|space| {
        let name = space.text("ResiliencySettingName");
        let name = name.ok_or("Storage Spaces reports no resiliency")?;
        let part = |property: &str, one: &str, many: &str| match space.number(property) {
            Some(1.0) => format!(", 1 {one}"),
            Some(number) if number > 0.0 => format!(", {number} {many}"),
            _ => String::new(),
        };
        Ok(format!(
            "{}{}{}",
            name.to_lowercase(),
            part("NumberOfDataCopies", "data copy", "data copies"),
            part("NumberOfColumns", "column", "columns"),
        ))
    });
    // HealthStatus: 0 healthy, 1 warning, 2 unhealthy.
    let state = of(&|space| match space.number("HealthStatus") {
        Some(0.0) => Ok("clean".into()),
        Some(1.0) => Ok("degraded".into()),
        Some(2.0) => Ok("unhealthy".into()),
        _ => Err("Storage Spaces does not report whether it is healthy".into()),
    });
    let interleave = space.clone().and_then(|space| {
        let reported = space.number("Interleave");
        reported.ok_or_else(|| "Storage Spaces reports no interleave".to_owned())
    });
    environment.set("array.level", level);
    environment.set("array.state", state);
    environment.set("array.chunk_bytes", number_fact(interleave));
    environment.set(
        "array.members",
        Fact::Unknown("Get-PhysicalDisk lists the disks of the pool".into()),
    );
}

/// The space that the disk of this number shows: both have one UniqueId.
fn space(number: u32, disks: Rows, spaces: Rows) -> Known<Row> {
    let disks = disks.map_err(Refusal::reason)?;
    let disk = disks
        .iter()
        .find(|disk| disk.number("Number") == Some(number.into()));
    let id = disk.and_then(|disk| disk.text("UniqueId"));
    let id = id.ok_or_else(|| format!("Windows lists no disk {number}"))?;
    let spaces = spaces.map_err(Refusal::reason)?;
    let is_it = |space: &Row| {
        let own = space.text("UniqueId");
        own.is_some_and(|own| own.eq_ignore_ascii_case(id))
    };
    let found = spaces.into_iter().find(is_it);
    found.ok_or_else(|| format!("Storage Spaces lists no space for disk {number}"))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::system::cim::Value;

    const ID: &str = "600224800A1B2C3D4E5F60718293A4B5";

    fn disk(number: f64, id: &str) -> Row {
        let mut row = Row::default();
        row.set("Number", Value::Number(number));
        row.set("UniqueId", Value::Text(id.into()));
        row
    }

    /// With the properties that the class is documented with.
    fn mirror(health: f64) -> Row {
        let mut row = Row::default();
        row.set("UniqueId", Value::Text(ID.to_lowercase()));
        row.set("FriendlyName", Value::Text("Space1".into()));
        row.set("ResiliencySettingName", Value::Text("Mirror".into()));
        row.set("NumberOfDataCopies", Value::Number(2.0));
        row.set("NumberOfColumns", Value::Number(4.0));
        // 64 bits come as text.
        row.set("Interleave", Value::Text("262144".into()));
        row.set("HealthStatus", Value::Number(health));
        row
    }

    #[test]
    fn a_mirror_is_found_by_the_id_of_its_disk() {
        let facts = |health| {
            let mut facts = Environment::default();
            let disks = vec![disk(0.0, "other"), disk(3.0, ID)];
            set(3, Ok(disks), Ok(vec![mirror(health)]), &mut facts);
            facts
        };
        let complete = facts(0.0);
        assert_eq!(
            complete.text("array.level"),
            Some("mirror, 2 data copies, 4 columns")
        );
        assert_eq!(complete.text("array.state"), Some("clean"));
        assert_eq!(complete.number("array.chunk_bytes"), Some(262_144.0));
        assert_eq!(facts(1.0).text("array.state"), Some("degraded"));
    }

    #[test]
    fn what_is_not_listed_or_may_not_be_asked_is_unknown() {
        let denied = || Err(Refusal::Other("administrators may".into()));
        for (disks, spaces) in [
            (denied(), Ok(vec![mirror(0.0)])),
            (Ok(vec![disk(3.0, ID)]), denied()),
            (Ok(Vec::new()), Ok(vec![mirror(0.0)])),
            (Ok(vec![disk(3.0, "other")]), Ok(vec![mirror(0.0)])),
        ] {
            let mut facts = Environment::default();
            set(3, disks, spaces, &mut facts);
            let unknown = facts
                .facts
                .values()
                .filter(|fact| matches!(fact, Fact::Unknown(why) if !why.is_empty()));
            assert_eq!(unknown.count(), 4, "{facts:?}");
        }
    }
}
