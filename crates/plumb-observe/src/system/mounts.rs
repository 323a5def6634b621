//! Which mounts does this process see?

use std::path::Path;

use super::kernel_files::{Known, text};

/// One line of /proc/self/mountinfo (man 5 proc_pid_mountinfo), escapes undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mount {
    pub id: u64,
    pub number: (u32, u32),
    /// The folder of the file system that is mounted: `/` but for bind mounts and subvolumes.
    pub root: String,
    pub point: String,
    pub options: String,
    pub file_system: String,
    pub source: String,
    pub super_options: String,
}

impl Mount {
    /// Options of the mount and of the file system, each once.
    pub(crate) fn all_options(&self) -> String {
        let mut all: Vec<&str> = Vec::new();
        for option in self.options.split(',').chain(self.super_options.split(',')) {
            if !option.is_empty() && !all.contains(&option) {
                all.push(option);
            }
        }
        all.join(",")
    }

    /// The value of option `name=value`, or the empty text for a bare `name`.
    pub(crate) fn option(&self, name: &str) -> Option<&str> {
        self.super_options
            .split(',')
            .chain(self.options.split(','))
            .find_map(|option| match option.split_once('=') {
                Some((key, value)) => (key == name).then_some(value),
                None => (option == name).then_some(""),
            })
    }
}

/// All mounts that this process sees, in the order of the kernel: later ones lie over earlier ones.
pub(crate) fn mounts(root: &Path) -> Known<Vec<Mount>> {
    Ok(text(root, "proc/self/mountinfo")?
        .lines()
        .filter_map(parse)
        .collect())
}

fn parse(line: &str) -> Option<Mount> {
    // Optional fields stand between the sixth and a lone hyphen.
    let (head, tail) = line.split_once(" - ")?;
    let mut head = head.split(' ');
    let id = head.next()?.parse().ok()?;
    let number = parse_number(head.nth(1)?)?;
    let (root, point, options) = (
        unescape(head.next()?),
        unescape(head.next()?),
        head.next()?.to_owned(),
    );
    let mut tail = tail.split(' ');
    let file_system = tail.next()?.to_owned();
    let (source, super_options) = (
        unescape(tail.next()?),
        tail.next().map(unescape).unwrap_or_default(),
    );
    Some(Mount {
        id,
        number,
        root,
        point,
        options,
        file_system,
        source,
        super_options,
    })
}

/// `8:1` as (8, 1).
pub(crate) fn parse_number(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.trim().split_once(':')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// The kernel writes blank, tab, newline and backslash as three octal digits.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let octal = after.get(..3).filter(|digits| {
            *first == b'\\' && digits.iter().all(|digit| (b'0'..=b'7').contains(digit))
        });
        match octal {
            Some(digits) => {
                bytes.push(digits.iter().fold(0u8, |value, digit| {
                    value.wrapping_mul(8).wrapping_add(digit - b'0')
                }));
                rest = &after[3..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The mount that holds a path of which only the name is known.
pub(crate) fn mount_by_path<'a>(mounts: &'a [Mount], path: &Path) -> Option<&'a Mount> {
    mounts
        .iter()
        .filter(|mount| path.starts_with(&mount.point))
        .max_by_key(|mount| mount.point.len())
}

/// True for a file system that has no storage.
pub(crate) fn lies_in_memory(mount: &Mount) -> bool {
    ["tmpfs", "ramfs", "devtmpfs", "hugetlbfs"].contains(&mount.file_system.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_escapes_and_optional_fields_are_read() {
        let mount = parse("36 35 98:0 /mnt1 /mnt\\0402 rw,noatime master:1 shared:2 - ext3 /dev/root rw,errors=continue").unwrap();
        assert_eq!(
            (mount.number, mount.root.as_str(), mount.point.as_str()),
            ((98, 0), "/mnt1", "/mnt 2")
        );
        assert_eq!(mount.all_options(), "rw,noatime,errors=continue");
        assert_eq!(mount.option("errors"), Some("continue"));
        for broken in [
            "",
            "36 35",
            "36 35 98:0 / / rw",
            "x 35 98:0 / / rw - ext4 /dev/a rw",
            "36 35 98 / / rw - ext4 /dev/a rw",
        ] {
            assert_eq!(parse(broken), None, "{broken}");
        }
        assert_eq!(unescape("a\\134b\\"), "a\\b\\");
    }
}
