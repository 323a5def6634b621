//! Does antivirus software scan every opened file? According to Microsoft Defender.

use plumb_model::environment::{Environment, Fact};

use crate::system::cim::{Class, Refusal, Row};

/// "MSFT_MpComputerStatus class", Windows Defender WMIv2 APIs, Microsoft Learn.
pub(super) const STATUS: Class = Class {
    namespace: r"root\Microsoft\Windows\Defender",
    name: "MSFT_MpComputerStatus",
};

/// Sets the fact of the real-time scan. If other software scans, Defender is off, which says nothing about the other.
pub(super) fn set(rows: Result<Vec<Row>, Refusal>, environment: &mut Environment) {
    let reported = rows.map_err(Refusal::reason).and_then(|rows| {
        let first = rows.first().ok_or("Microsoft Defender reports no status")?;
        let scans = first.flag("RealTimeProtectionEnabled");
        scans.ok_or_else(|| "Microsoft Defender does not report whether it scans".to_owned())
    });
    let fact = reported.map_or_else(Fact::Unknown, Fact::Flag);
    environment.set("host.realtime_scan", fact);
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::system::cim::Value;

    /// As the class is documented.
    pub(crate) fn status(scans: bool) -> Row {
        let mut row = Row::default();
        row.set("AMServiceEnabled", Value::Flag(true));
        row.set("AntivirusEnabled", Value::Flag(true));
        row.set("OnAccessProtectionEnabled", Value::Flag(scans));
        row.set("RealTimeProtectionEnabled", Value::Flag(scans));
        row
    }

    #[test]
    fn the_scan_is_told_or_unknown() {
        let fact = |rows| {
            let mut environment = Environment::default();
            set(rows, &mut environment);
            environment.facts["host.realtime_scan"].clone()
        };
        assert_eq!(fact(Ok(vec![status(true)])), Fact::Flag(true));
        assert_eq!(fact(Ok(vec![status(false)])), Fact::Flag(false));
        let missing = Refusal::Missing("no Defender here".into());
        for unknown in [Ok(Vec::new()), Ok(vec![Row::default()]), Err(missing)] {
            assert!(matches!(fact(unknown), Fact::Unknown(why) if !why.is_empty()));
        }
    }
}
