//! What does blkid(8) recognise on a device? It knows many more formats than plumb's own list; where it is not installed, the list has to do.

use std::path::Path;
use std::process::{Command, Stdio};

/// Where distributions install it; PATH is not used, since this may run as root.
const PATHS: [&str; 4] = [
    "/usr/sbin/blkid",
    "/sbin/blkid",
    "/usr/bin/blkid",
    "/bin/blkid",
];
/// Exit status of blkid for ambiguous results.
const AMBIVALENT: i32 = 8;

/// What blkid names after a probe of the device itself (`-p`: no cache is read or written).
pub fn contents(device: &Path) -> Vec<String> {
    let Some(program) = PATHS.iter().find(|path| Path::new(path).is_file()) else {
        return Vec::new();
    };
    let mut command = Command::new(program);
    command
        .args(["-p", "-o", "export", "--"])
        .arg(device)
        .env_clear()
        .env("LC_ALL", "C");
    let Ok(output) = command.stdin(Stdio::null()).stderr(Stdio::null()).output() else {
        return Vec::new();
    };
    match output.status.code() {
        Some(0) => named(&String::from_utf8_lossy(&output.stdout)),
        Some(AMBIVALENT) => vec!["several signatures (list them with blkid -p)".into()],
        // 2: nothing was found. Others: it could not look.
        _ => Vec::new(),
    }
}

/// Reads lines such as `TYPE=ext4` and `PTTYPE=gpt`.
fn named(text: &str) -> Vec<String> {
    let value = |key: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix(key)?.strip_prefix('='))
    };
    let content = value("TYPE").map(|kind| format!("{kind} (reported by blkid)"));
    let table =
        value("PTTYPE").map(|kind| format!("a partition table of type {kind} (reported by blkid)"));
    content.into_iter().chain(table).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_and_tables_are_named() {
        let text = "DEVNAME=/dev/loop0\nUUID=1\nTYPE=vxfs\nUSAGE=filesystem\nPTTYPE=gpt\n";
        assert_eq!(
            named(text),
            [
                "vxfs (reported by blkid)",
                "a partition table of type gpt (reported by blkid)"
            ]
        );
        assert!(named("DEVNAME=/dev/loop0\n").is_empty());
    }
}
