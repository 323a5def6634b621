//! Which NVMe namespace is behind a generic character device (/dev/ng0n1), and which block device shows the same namespace?

use std::fs;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use super::kernel_files::{parse_number, text};

/// Sectors in which /sys counts the size of a block device (linux/blk_types.h).
const SECTOR_BYTES: u64 = 512;
/// _IO('N', 0x40), linux/nvme_ioctl.h: the number of the namespace.
const NVME_IOCTL_ID: u32 = 0x4E40;

/// A namespace with a block device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Namespace {
    /// Its block device: `/dev/nvme0n1`.
    pub block_device: PathBuf,
    pub number: (u32, u32),
    pub bytes: u64,
    /// Bytes of a logical block.
    pub block_bytes: u32,
    /// Most bytes of one command; `None` if the kernel does not report it.
    pub transfer_max_bytes: Option<u64>,
}

/// The namespace of a generic character device, by its number; `None` if it is another device, or one without a block device.
pub fn namespace(number: (u32, u32)) -> Option<Namespace> {
    namespace_in(Path::new("/sys"), number)
}

fn namespace_in(sys: &Path, number: (u32, u32)) -> Option<Namespace> {
    let link = sys.join(format!("dev/char/{}:{}", number.0, number.1));
    let device = fs::canonicalize(link).ok()?;
    let subsystem = fs::canonicalize(device.join("subsystem")).ok()?;
    if subsystem.file_name()? != "nvme-generic" {
        return None;
    }
    // The kernel names both alike, and both have one parent (nvme_cdev_add and nvme_alloc_ns in drivers/nvme/host/core.c; nvme_add_ns_head_cdev in multipath.c).
    let name = device.file_name()?.to_str()?.strip_prefix("ng")?.to_owned();
    let name = format!("nvme{name}");
    let block = device.parent()?.join(&name);
    let number_of = |file: &str| text(block.join(file))?.trim().parse::<u64>().ok();
    let transfer_max_kib = number_of("queue/max_hw_sectors_kb");
    Some(Namespace {
        block_device: Path::new("/dev").join(&name),
        number: parse_number(text(block.join("dev"))?.trim())?,
        bytes: number_of("size").filter(|sectors| *sectors > 0)? * SECTOR_BYTES,
        block_bytes: u32::try_from(number_of("queue/logical_block_size")?).ok()?,
        transfer_max_bytes: transfer_max_kib.map(|kib| kib << 10),
    })
}

/// The number of the namespace of an open device: what commands name it by.
///
/// # Errors
/// The kernel's own; ENOTTY of another device.
pub fn namespace_id(file: &fs::File) -> std::io::Result<u32> {
    // SAFETY: the request takes no argument and changes nothing.
    let id = unsafe { libc::ioctl(file.as_raw_fd(), NVME_IOCTL_ID as _) };
    u32::try_from(id).map_err(|_| std::io::Error::last_os_error())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree as Linux 6.12 shows it of one controller with one namespace.
    fn tree(subsystem: &str) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        let controller = root.path().join("devices/nvme/nvme0");
        let block = controller.join("nvme0n1");
        for folder in [
            root.path().join("dev/char"),
            root.path().join(format!("class/{subsystem}")),
            controller.join("ng0n1"),
            block.join("queue"),
        ] {
            fs::create_dir_all(folder).expect("folders");
        }
        let link = |to: &Path, at: PathBuf| std::os::unix::fs::symlink(to, at).expect("a link");
        link(
            &controller.join("ng0n1"),
            root.path().join("dev/char/242:0"),
        );
        let class = root.path().join(format!("class/{subsystem}"));
        link(&class, controller.join("ng0n1/subsystem"));
        for (file, value) in [
            ("dev", "259:3"),
            ("size", "131072"),
            ("queue/logical_block_size", "4096"),
            ("queue/max_hw_sectors_kb", "512"),
        ] {
            fs::write(block.join(file), format!("{value}\n")).expect("written");
        }
        root
    }

    #[test]
    fn the_block_device_of_a_generic_device_is_its_sibling() {
        let root = tree("nvme-generic");
        let found = namespace_in(root.path(), (242, 0)).expect("a namespace");
        let expected = Namespace {
            block_device: "/dev/nvme0n1".into(),
            number: (259, 3),
            bytes: 64 << 20,
            block_bytes: 4096,
            transfer_max_bytes: Some(512 << 10),
        };
        assert_eq!(found, expected);
        assert_eq!(namespace_in(root.path(), (242, 1)), None);
        assert_eq!(namespace_in(tree("tty").path(), (242, 0)), None);
    }

    #[test]
    fn a_namespace_without_blocks_is_none() {
        let root = tree("nvme-generic");
        let size = root.path().join("devices/nvme/nvme0/nvme0n1/size");
        fs::write(size, "0\n").expect("written");
        assert_eq!(namespace_in(root.path(), (242, 0)), None);
    }
}
