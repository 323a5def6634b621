//! Are devices left alone as promised? Loop devices, plain, formatted, mounted, partitioned, swapped to; and character devices.

use std::path::Path;

use plumb_load::site::{Needs, Overwrite, SiteKind};

use crate::fixtures::{Loop, Mounted, claim, may_mount, refusal, run};

fn writing() -> Needs {
    Needs {
        modifies: true,
        block_bytes: 1 << 20,
        ..Needs::default()
    }
}

fn named(device: &Path) -> Overwrite {
    Overwrite::Named(device.to_path_buf())
}

#[test]
fn a_plain_device_is_read_freely_and_written_with_a_word() {
    if !may_mount("a_plain_device_is_read_freely_and_written_with_a_word") {
        return;
    }
    let disk = Loop::new(16 << 20, |_| {});
    let site = claim(&disk.device, &Needs::default(), &Overwrite::No).expect("reading");
    assert_eq!(
        (site.kind(), site.size_bytes()),
        (SiteKind::BlockDevice, 16 << 20)
    );
    drop(site);
    let error = refusal(&disk.device, &writing(), &Overwrite::No);
    assert!(
        error.contains("a block device") && error.contains("add --overwrite"),
        "{error}"
    );
    let site = claim(&disk.device, &writing(), &Overwrite::Yes).expect("writing");
    assert!(site.prepared().is_empty(), "a device is not filled");
    run("mkfs.ext4", &["-q", disk.name()]).expect_err("claimed: nobody may format it meanwhile");
    let error = refusal(&disk.device, &writing(), &Overwrite::Yes);
    assert!(error.contains("claimed"), "two runs at once: {error}");
    drop(site);
    let too_much = Needs {
        size_bytes: Some(17 << 20),
        ..writing()
    };
    assert!(refusal(&disk.device, &too_much, &Overwrite::Yes).contains("--size 16777216 or less"));
}

#[test]
fn a_mounted_device_must_be_named_twice() {
    if !may_mount("a_mounted_device_must_be_named_twice") {
        return;
    }
    let disk = Loop::new(16 << 20, |_| {});
    run("mkfs.ext4", &["-q", disk.name()]).expect("a file system");
    let error = refusal(&disk.device, &writing(), &Overwrite::No);
    assert!(
        error.contains("ext4 file system") && error.contains("repeat its name"),
        "{error}"
    );
    let mounted = Mounted::device(&disk.device).expect("mounted");
    let error = refusal(&disk.device, &writing(), &Overwrite::Yes);
    let point = mounted.path().display().to_string();
    assert!(
        error.contains(&format!("mounted at {point}"))
            && error.contains(&format!("--overwrite={}", disk.name())),
        "{error}"
    );
    assert!(
        refusal(&disk.device, &writing(), &named(Path::new("/dev/null"))).contains("another path")
    );
    assert!(
        claim(&disk.device, &Needs::default(), &Overwrite::No).is_ok(),
        "reading is free"
    );
    let word = claim(&disk.device, &writing(), &named(&disk.device));
    assert!(word.is_ok(), "{word:?}");
    drop((word, mounted));
    assert!(
        refusal(&disk.device, &writing(), &Overwrite::Yes).contains("ext4 file system"),
        "unmounted again, and with content"
    );
    run("wipefs", &["-qa", disk.name()]).expect("emptied");
    assert!(
        claim(&disk.device, &writing(), &Overwrite::Yes).is_ok(),
        "empty"
    );
}

#[test]
fn a_mount_in_another_name_space_is_found() {
    if !may_mount("a_mount_in_another_name_space_is_found") {
        return;
    }
    let disk = Loop::new(16 << 20, |_| {});
    run("mkfs.ext4", &["-q", disk.name()]).expect("a file system");
    let point = tempfile::tempdir().expect("a folder");
    let script = format!(
        "mount {} {} && echo mounted && exec sleep 60",
        disk.name(),
        point.path().display()
    );
    let mut child = std::process::Command::new("unshare")
        .args(["--mount", "sh", "-c", &script])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("unshare");
    let mut line = String::new();
    std::io::BufRead::read_line(
        &mut std::io::BufReader::new(child.stdout.take().expect("its output")),
        &mut line,
    )
    .expect("a line");
    let error = refusal(&disk.device, &writing(), &Overwrite::Yes);
    child.kill().and_then(|()| child.wait()).expect("ended");
    assert_eq!(line.trim(), "mounted");
    let point = point.path().display();
    assert!(
        error.contains(&format!(
            "mounted at {point} in the mount namespace of process"
        )) && error.contains("repeat its name"),
        "{error}"
    );
}

/// One partition of type 83 from sector 2048 on, 8 MiB.
fn write_partition_table(image: &Path) {
    use std::os::unix::fs::FileExt;
    let file = std::fs::OpenOptions::new()
        .write(true)
        .open(image)
        .expect("the image");
    file.write_all_at(&[0, 0, 0, 0, 0x83, 0, 0, 0, 0, 8, 0, 0, 0, 64, 0, 0], 446)
        .expect("an entry");
    file.write_all_at(&[0x55, 0xAA], 510)
        .expect("the signature");
}

#[test]
fn a_partitioned_device_must_be_named_twice_also_when_a_part_is_mounted() {
    if !may_mount("a_partitioned_device_must_be_named_twice_also_when_a_part_is_mounted") {
        return;
    }
    let disk = Loop::new(16 << 20, write_partition_table);
    let part = format!("{}p1", disk.name());
    if !Path::new(&part).exists() {
        // A kernel that is built without support for this kind of table needs a hint.
        run("addpart", &[disk.name(), "1", "2048", "16384"]).expect("a partition");
    }
    let error = refusal(&disk.device, &writing(), &Overwrite::Yes);
    let name = part.trim_start_matches("/dev/");
    assert!(
        error.contains("MBR partition table") && error.contains(&format!("partitioned ({name})")),
        "{error}"
    );
    assert!(
        claim(Path::new(&part), &writing(), &Overwrite::Yes).is_ok(),
        "the unused part itself"
    );
    run("mkfs.ext4", &["-q", &part]).expect("a file system");
    let mounted = Mounted::device(Path::new(&part)).expect("mounted");
    let error = refusal(&disk.device, &writing(), &Overwrite::Yes);
    assert!(
        error.contains(&format!("mounted at {}", mounted.path().display())),
        "{error}"
    );
    drop(mounted);
    assert!(claim(&disk.device, &writing(), &named(&disk.device)).is_ok());
}

#[test]
fn a_table_that_the_kernel_has_not_read_counts_too() {
    if !may_mount("a_table_that_the_kernel_has_not_read_counts_too") {
        return;
    }
    let disk = Loop::new(16 << 20, |_| {});
    write_partition_table(&disk.device);
    assert!(refusal(&disk.device, &writing(), &Overwrite::Yes).contains("MBR partition table"));
}

#[test]
fn swap_space_and_backing_files_in_use_are_named() {
    if !may_mount("swap_space_and_backing_files_in_use_are_named") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let image = folder.path().join("image");
    let disk = Loop::new(16 << 20, |_| {});
    run("mkswap", &[disk.name()]).expect("swap space");
    match run("swapon", &[disk.name()]) {
        Ok(_) => {
            let error = refusal(&disk.device, &writing(), &Overwrite::Yes);
            run("swapoff", &[disk.name()]).expect("released");
            assert!(error.contains("swap space in use"), "{error}");
        }
        Err(reason) => println!("skipped: swap in use: {reason}"),
    }
    std::fs::File::create(&image)
        .and_then(|file| file.set_len(16 << 20))
        .expect("an image");
    let device = run(
        "losetup",
        &["-f", "--show", image.to_str().expect("a name")],
    )
    .expect("a loop device");
    let error = refusal(&image, &writing(), &Overwrite::Yes);
    run("losetup", &["-d", &device]).expect("released");
    assert!(
        error.contains(&format!("the backing file of {device}")),
        "{error}"
    );
}

#[test]
fn a_read_only_device_is_not_written() {
    if !may_mount("a_read_only_device_is_not_written") {
        return;
    }
    let disk = Loop::new(16 << 20, |_| {});
    run("blockdev", &["--setro", disk.name()]).expect("read-only");
    let error = refusal(&disk.device, &writing(), &named(&disk.device));
    let reading = claim(&disk.device, &Needs::default(), &Overwrite::No).map(drop);
    // The flag outlives the loop device's file.
    run("blockdev", &["--setrw", disk.name()]).expect("writable again");
    assert!(error.contains("read-only"), "{error}");
    assert!(reading.is_ok(), "{reading:?}");
}

#[test]
fn character_devices_need_a_size_and_most_a_word() {
    let error = refusal(Path::new("/dev/zero"), &Needs::default(), &Overwrite::No);
    assert!(error.contains("--size"), "{error}");
    let sized = Needs {
        size_bytes: Some(1 << 20),
        ..Needs::default()
    };
    let write_sized = Needs {
        modifies: true,
        ..sized.clone()
    };
    for device in ["/dev/zero", "/dev/null", "/dev/full"] {
        let site = claim(Path::new(device), &write_sized, &Overwrite::No).expect(device);
        assert_eq!(
            (site.kind(), site.size_bytes()),
            (SiteKind::CharacterDevice, 1 << 20)
        );
    }
    let random = Path::new("/dev/urandom");
    assert!(claim(random, &sized, &Overwrite::No).is_ok());
    assert!(refusal(random, &write_sized, &Overwrite::Yes).contains("--overwrite=/dev/urandom"));
    assert!(claim(random, &write_sized, &named(random)).is_ok());
}

#[test]
fn the_machines_memory_is_never_written() {
    if !may_mount("the_machines_memory_is_never_written") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let memory = folder.path().join("mem");
    run("mknod", &[memory.to_str().expect("a name"), "c", "1", "1"]).expect("a device file");
    let write_sized = Needs {
        size_bytes: Some(1 << 20),
        modifies: true,
        ..Needs::default()
    };
    assert!(refusal(&memory, &write_sized, &named(&memory)).contains("memory or the I/O ports"));
}
