//! Does a device with something on it want to be named twice? Real formats on loop devices, also with their beginning overwritten.

use std::os::unix::fs::FileExt;
use std::path::Path;

use plumb_load::site::{Needs, Overwrite};

use crate::fixtures::{Loop, claim, may_mount, refusal, run};

fn writing() -> Needs {
    Needs {
        modifies: true,
        block_bytes: 1 << 20,
        ..Needs::default()
    }
}

/// A device of `mib` MiB on which `make` has put something must be named twice, and is named as `what`.
fn wants_naming(what: &str, mib: u64, make: impl FnOnce(&Path)) {
    let disk = Loop::new(mib << 20, make);
    let error = refusal(&disk.device, &writing(), &Overwrite::Yes);
    assert!(
        error.contains(what) && error.contains(&format!("--overwrite={}", disk.name())),
        "{what}: {error}"
    );
    assert!(
        claim(
            &disk.device,
            &writing(),
            &Overwrite::Named(disk.device.clone())
        )
        .is_ok(),
        "{what}"
    );
}

/// Runs a program on the image; `false`, and a line, when it is not installed.
fn made(program: &str, arguments: &[&str], image: &Path) -> bool {
    let image = image.to_str().expect("a name");
    match run(program, &[arguments, &[image]].concat()) {
        Ok(_) => true,
        Err(reason) => {
            println!("skipped: {reason}");
            false
        }
    }
}

fn write(image: &Path, at: u64, bytes: &[u8]) {
    let file = std::fs::OpenOptions::new()
        .write(true)
        .open(image)
        .expect("the image");
    file.write_all_at(bytes, at).expect("written");
}

#[test]
fn what_real_programs_make_wants_the_second_naming() {
    if !may_mount("what_real_programs_make_wants_the_second_naming") {
        return;
    }
    let makers: [(&str, u64, &str, &[&str]); 5] = [
        ("F2FS", 64, "mkfs.f2fs", &["-q"]),
        ("XFS", 320, "mkfs.xfs", &["-q"]),
        ("btrfs", 128, "mkfs.btrfs", &["-q"]),
        ("swap space", 16, "mkswap", &[]),
        ("FAT", 16, "mkfs.vfat", &[]),
    ];
    for (what, mib, program, arguments) in makers {
        let probe = Loop::new(mib << 20, |_| {});
        if made(program, arguments, &probe.device) {
            let error = refusal(&probe.device, &writing(), &Overwrite::Yes);
            assert!(
                error.contains(what) && error.contains("repeat its name"),
                "{what}: {error}"
            );
        }
    }
    for version in ["luks1", "luks2"] {
        let key = tempfile::NamedTempFile::new().expect("a key file");
        std::fs::write(key.path(), "secret").expect("a key");
        let probe = Loop::new(32 << 20, |_| {});
        let key = key.path().to_str().expect("a name");
        let options = [
            "luksFormat",
            "-q",
            "--type",
            version,
            "--pbkdf",
            "pbkdf2",
            "--pbkdf-force-iterations",
            "1000",
            "--key-file",
            key,
        ];
        if made("cryptsetup", &options, &probe.device) {
            assert!(
                refusal(&probe.device, &writing(), &Overwrite::Yes).contains("LUKS"),
                "{version}"
            );
            if version == "luks2" {
                write(&probe.device, 0, &[0; 4096]);
                assert!(
                    refusal(&probe.device, &writing(), &Overwrite::Yes).contains("LUKS"),
                    "only the second header is left"
                );
            }
        }
    }
}

#[test]
fn what_lies_at_the_end_wants_the_second_naming() {
    if !may_mount("what_lies_at_the_end_wants_the_second_naming") {
        return;
    }
    // A GPT by sfdisk, and then only its copy.
    wants_naming("the copy of a GPT", 16, |image| {
        let script = format!("echo 'label: gpt\n,8M' | sfdisk -q {}", image.display());
        if run("sh", &["-c", &script]).is_err() {
            println!("skipped: sfdisk is not installed: a bare header stands for its table");
            write(image, (16 << 20) - 512, b"EFI PART");
        }
        write(image, 0, &[0; 34 * 512]);
    });
    let md: &[u8] = &[0xFC, 0x4E, 0x2B, 0xA9];
    wants_naming("md RAID", 16, |image| write(image, (16 << 20) - 65_536, md));
    wants_naming("md RAID", 16, |image| write(image, (16 << 20) - 8192, md));
    // All four labels of ZFS have uberblocks; one is enough.
    wants_naming("ZFS", 16, |image| {
        write(
            image,
            (16 << 20) - (256 << 10) + (128 << 10),
            &0x00ba_b10c_u64.to_le_bytes(),
        )
    });
    wants_naming("ZFS", 16, |image| {
        write(image, 128 << 10, &0x00ba_b10c_u64.to_be_bytes())
    });
}

#[test]
fn formats_written_by_hand_want_the_second_naming() {
    if !may_mount("formats_written_by_hand_want_the_second_naming") {
        return;
    }
    wants_naming("BSD disk label", 16, |image| {
        write(image, 512, &0x8256_4557_u32.to_le_bytes());
        write(image, 512 + 132, &0x8256_4557_u32.to_le_bytes());
    });
    wants_naming("ISO 9660", 16, |image| {
        write(image, 0x8000, b"\x01CD001\x01")
    });
    wants_naming("bcache", 16, |image| {
        write(
            image,
            0x1018,
            b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81",
        )
    });
    wants_naming("LVM", 16, |image| {
        write(
            image,
            0,
            b"LABELONE\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0LVM2 001",
        )
    });
    let disk = Loop::new(16 << 20, |image| write(image, 1 << 20, b"no format"));
    assert!(
        claim(&disk.device, &writing(), &Overwrite::Yes).is_ok(),
        "nothing that is known"
    );
}
