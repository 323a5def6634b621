//! Is what must not be written left alone? Devices, files and folders in every kind of use, and every way in which plumb could be directed to write to them.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{FileExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::fixtures::{Loop, Mounted, run};

const MIB: u64 = 1 << 20;
/// Large enough for every file system that is made on it; xfs wants most.
const DISK_BYTES: u64 = 320 * MIB;

/// Something that must not be written, and what keeps it in that state.
struct Subject {
    name: String,
    /// What plumb is given.
    target: PathBuf,
    /// Where the bytes are that must stay as they are.
    guarded: PathBuf,
    /// The word `--overwrite` by itself allows it: only attempts without it must be refused.
    needs_one_word: bool,
    _keeps: Vec<Keep>,
}

/// Held until the attempts are over; dropped in order.
enum Keep {
    Mounted(#[allow(dead_code)] Mounted),
    Child(Child),
    Loop(#[allow(dead_code)] Loop),
    Folder(#[allow(dead_code)] tempfile::TempDir),
    Shell(String),
}

impl Drop for Keep {
    fn drop(&mut self) {
        match self {
            Keep::Child(child) => drop(child.kill().and_then(|()| child.wait())),
            Keep::Shell(line) => drop(run("sh", &["-c", line])),
            _ => {}
        }
    }
}

/// All attempts. Errors: this machine cannot make devices.
pub fn refusals() -> Result<bool, String> {
    if !crate::fixtures::may_mount("refusals") {
        return Err("it needs root and loop devices".into());
    }
    let place = tempfile::tempdir().map_err(|error| error.to_string())?;
    let record = place.path().join("record");
    let made = plumb(
        place.path(),
        &format!(
            "run --target null: --engine null --time 100ms --quiet --output {}",
            record.display()
        ),
    );
    made.map_err(|error| format!("no run to export and to show: {error}"))?;
    let (mut attempts, mut broken) = (0, Vec::new());
    for make in SUBJECTS {
        let subject = match make() {
            Ok(subject) => subject,
            Err(reason) => {
                println!("  skipped: {reason}");
                continue;
            }
        };
        println!("  {}", subject.name);
        let before = fingerprint(&subject.guarded)?;
        for line in lines(&subject, place.path(), &record) {
            attempts += 1;
            let ended = plumb(place.path(), &line);
            let after = fingerprint(&subject.guarded)?;
            if let Err(what) = judged(&ended, before == after) {
                broken.push(format!("{}: plumb {line}: {what}", subject.name));
            }
            if after != before {
                break;
            }
        }
    }
    broken.iter().for_each(|what| println!("  BROKEN: {what}"));
    println!(
        "destructive attempts: {attempts}, not refused: {}",
        broken.len()
    );
    Ok(broken.is_empty())
}

/// Refused means: exit code 2, a sentence, and not a byte changed.
fn judged(ended: &Result<(i32, String), String>, unchanged: bool) -> Result<(), String> {
    let (code, said) = ended.as_ref().map_err(String::clone)?;
    match (unchanged, code) {
        (false, code) => Err(format!("DESTROYED, exit code {code}: {said}")),
        (true, 2) if said.contains("plumb:") || said.contains("error:") => Ok(()),
        (true, code) => Err(format!("not refused, exit code {code}: {said}")),
    }
}

/// Exit code and standard error.
fn plumb(folder: &Path, line: &str) -> Result<(i32, String), String> {
    let words = line.split(' ').filter(|word| !word.is_empty());
    let output = Command::new(env!("CARGO_BIN_EXE_plumb"))
        .args(words)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output();
    let output = output.map_err(|error| format!("cannot be started: {error}"))?;
    Ok((
        output.status.code().unwrap_or(-1),
        String::from_utf8_lossy(&output.stderr).trim().to_string(),
    ))
}

/// Every way to direct plumb to write there.
fn lines(subject: &Subject, place: &Path, record: &Path) -> Vec<String> {
    let (target, record) = (subject.target.display(), record.display());
    let job = place.join("job.fio");
    let text = format!(
        "[job]\nfilename={target}\nrw=randwrite\nbs=4k\nsize=1m\nruntime=1\ntime_based=1\n"
    );
    // Written anew for each subject; what cannot be written shows as a job that cannot be read.
    let _ = fs::write(&job, text);
    let load = format!(
        "run --target {target} --size 1m --time 50ms --quiet --no-report --output out-{}",
        subject.name.replace(' ', "-")
    );
    let mut lines = vec![
        format!("{load} --pattern random-write"),
        format!("{load} --pattern sequential-write --overwrite=/dev/null"),
        format!("show {record} --report {target}"),
        format!("compare {record} {record} --report {target}"),
        format!("export {record} --format csv --output {target}"),
        format!("export {record} --format xlsx --output {target}"),
        format!("run --target null: --engine null --time 50ms --quiet --output {target}"),
    ];
    if !subject.needs_one_word {
        lines.extend([
            format!("{load} --pattern random-write --overwrite"),
            format!("{load} --mix trim --overwrite"),
            format!("{load} --pattern random-write --engine sync --overwrite"),
            format!("{load} --pattern sequential-write --engine stdio --direct=false --overwrite"),
            format!("{load} --pattern random-write --engine mmap --direct=false --overwrite"),
            format!("{load} --pattern sequential-write --set fresh=true --overwrite"),
            format!("{load} --pattern random-write --verify --overwrite"),
            format!(
                "run {} --quiet --no-report --output out --overwrite",
                job.display()
            ),
        ]);
    }
    lines
}

/// Bytes at either end that are looked at: no attempt reaches farther than its first MiB, and what ends a device is within the last one.
const ENDS_BYTES: u64 = 4 * MIB;

/// A sum over both ends.
fn fingerprint(path: &Path) -> Result<u64, String> {
    use std::hash::{DefaultHasher, Hasher};
    use std::io::{Seek as _, SeekFrom};
    let read = |path: &Path| -> std::io::Result<u64> {
        let mut file = fs::File::open(path)?;
        let length = file.seek(SeekFrom::End(0))?;
        let mut sum = DefaultHasher::new();
        let mut piece = vec![0; ENDS_BYTES.min(length) as usize];
        for start in [0, length - piece.len() as u64] {
            file.read_exact_at(&mut piece, start)?;
            sum.write(&piece);
        }
        sum.write_u64(length);
        Ok(sum.finish())
    };
    read(path).map_err(|error| format!("{}: {error}", path.display()))
}

type Make = fn() -> Result<Subject, String>;

const SUBJECTS: &[Make] = &[
    || users_file("a user's file", |_| Ok(Vec::new())),
    || {
        users_file("a user's file by a symlink", |path| {
            symlink(path, path.with_file_name("link")).map(|()| Vec::new())
        })
    },
    || {
        users_file("a user's file that a process writes", |path| {
            Ok(vec![Keep::Child(holding(path)?)])
        })
    },
    || {
        users_file("a file open by a hard link", |path| {
            let other = path.with_file_name("other");
            fs::hard_link(path, &other)?;
            Ok(vec![Keep::Child(holding(&other)?)])
        })
    },
    || {
        users_file("a file open by another mount", |path| {
            let point = tempfile::tempdir()?;
            run(
                "mount",
                &[
                    "--bind",
                    &shown(path.parent().unwrap_or(path)),
                    &shown(point.path()),
                ],
            )
            .map_err(std::io::Error::other)?;
            let held = holding(&point.path().join(path.file_name().unwrap_or_default()))?;
            Ok(vec![
                Keep::Child(held),
                Keep::Shell(format!("umount {}", point.path().display())),
                Keep::Folder(point),
            ])
        })
    },
    || {
        users_file("a file open in another mount namespace", |path| {
            let script = format!(
                "mount -t tmpfs none /mnt && mkdir /mnt/x && mount --bind {} /mnt/x && exec 9<>/mnt/x/precious && echo ready && exec sleep 600",
                shown(path.parent().unwrap_or(path))
            );
            Ok(vec![Keep::Child(ready(
                Command::new("unshare").args(["--mount", "sh", "-c", &script]),
            )?)])
        })
    },
    || {
        backing_file("the backing file of a mounted loop device", |image| {
            Ok((image.to_path_buf(), Vec::new()))
        })
    },
    || {
        backing_file("that file by a bind mount", |image| {
            let point = tempfile::tempdir().map_err(|error| error.to_string())?;
            run(
                "mount",
                &[
                    "--bind",
                    &shown(image.parent().unwrap_or(image)),
                    &shown(point.path()),
                ],
            )?;
            let path = point.path().join("image");
            Ok((
                path,
                vec![
                    Keep::Shell(format!("umount {}", point.path().display())),
                    Keep::Folder(point),
                ],
            ))
        })
    },
    || {
        backing_file("that file by a hard link", |image| {
            let other = image.with_file_name("other");
            fs::hard_link(image, &other).map_err(|error| error.to_string())?;
            Ok((other, Vec::new()))
        })
    },
    || {
        disk("a mounted device", |disk| {
            run("mkfs.ext4", &["-q", disk.name()])?;
            let point = tempfile::tempdir().map_err(|error| error.to_string())?;
            // Read-only: a file system that may write does so by itself.
            run(
                "mount",
                &["-o", "ro,noload", disk.name(), &shown(point.path())],
            )?;
            Ok(vec![
                Keep::Shell(format!("umount {}", point.path().display())),
                Keep::Folder(point),
            ])
        })
    },
    || {
        disk("a device mounted in another namespace", |disk| {
            run("mkfs.ext4", &["-q", disk.name()])?;
            let script = format!(
                "mount -o ro,noload {} /mnt && echo ready && exec sleep 600",
                disk.name()
            );
            Ok(vec![Keep::Child(
                ready(Command::new("unshare").args(["--mount", "sh", "-c", &script]))
                    .map_err(|error| error.to_string())?,
            )])
        })
    },
    || {
        disk("a device that a process has open for writing", |disk| {
            Ok(vec![Keep::Child(
                holding(&disk.device).map_err(|error| error.to_string())?,
            )])
        })
    },
    || {
        disk(
            "a device below another loop device that is mounted",
            |disk| {
                run("mkfs.ext4", &["-q", disk.name()])?;
                let upper = run("losetup", &["-f", "--show", disk.name()])?;
                let mounted = Mounted::device(Path::new(&upper))?;
                Ok(vec![
                    Keep::Mounted(mounted),
                    Keep::Shell(format!("losetup -d {upper}")),
                ])
            },
        )
    },
    || {
        disk("swap in use", |disk| {
            run("mkswap", &[disk.name()])?;
            run("swapon", &[disk.name()])?;
            Ok(vec![Keep::Shell(format!("swapoff {}", disk.name()))])
        })
    },
    || made("btrfs", "mkfs.btrfs", &["-q", "-f"]),
    || made("xfs", "mkfs.xfs", &["-q", "-f"]),
    || made("f2fs", "mkfs.f2fs", &["-q", "-f"]),
    || made("vfat", "mkfs.vfat", &[]),
    || {
        made(
            "LUKS 1",
            "sh",
            &[
                "-c",
                "echo key | cryptsetup luksFormat --batch-mode --type luks1 --pbkdf-force-iterations 1000 \"$0\" -",
            ],
        )
    },
    || {
        made(
            "LUKS 2",
            "sh",
            &[
                "-c",
                "echo key | cryptsetup luksFormat --batch-mode --type luks2 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 \"$0\" -",
            ],
        )
    },
    || {
        made(
            "GPT of which only the copy is left",
            "sh",
            &[
                "-c",
                "echo 'type=linux' | sfdisk -q --label gpt \"$0\" && dd if=/dev/zero of=\"$0\" bs=512 count=34 conv=notrunc status=none",
            ],
        )
    },
    || {
        written(
            "LVM",
            &[
                (512, b"LABELONE\x01\0\0\0\0\0\0\0".as_slice()),
                (512 + 24, b"LVM2 001".as_slice()),
            ],
        )
    },
    || {
        written(
            "bcache",
            &[(
                4096 + 24,
                &[
                    0xc6, 0x85, 0x73, 0xf6, 0x4e, 0x1a, 0x45, 0xca, 0x82, 0x65, 0xf5, 0x7f, 0x48,
                    0xba, 0x6d, 0x81,
                ][..],
            )],
        )
    },
    || written("ISO 9660", &[(32_768, b"\x01CD001\x01".as_slice())]),
    || {
        written(
            "ZFS",
            &[
                (128 * 1024, &0x00ba_b10c_u64.to_le_bytes()[..]),
                (129 * 1024, &0x00ba_b10c_u64.to_le_bytes()[..]),
                (130 * 1024, &0x00ba_b10c_u64.to_le_bytes()[..]),
                (131 * 1024, &0x00ba_b10c_u64.to_le_bytes()[..]),
            ],
        )
    },
    || {
        written(
            "md with its superblock at the end",
            &[
                (DISK_BYTES - 8192, &0xa92b_4efc_u32.to_le_bytes()[..]),
                (DISK_BYTES - 8192 + 4, &1u32.to_le_bytes()[..]),
            ],
        )
    },
    || {
        written(
            "md 0.90",
            &[
                (
                    DISK_BYTES / 65_536 * 65_536 - 65_536,
                    &0xa92b_4efc_u32.to_le_bytes()[..],
                ),
                (
                    DISK_BYTES / 65_536 * 65_536 - 65_536 + 8,
                    &90u32.to_le_bytes()[..],
                ),
            ],
        )
    },
    || {
        written(
            "a BSD disk label",
            &[
                (512, &0x8256_4557_u32.to_le_bytes()[..]),
                (512 + 132, &0x8256_4557_u32.to_le_bytes()[..]),
            ],
        )
    },
    || {
        written(
            "an MBR partition table",
            &[
                (
                    446,
                    &[0, 0, 0, 0, 0x83, 0, 0, 0, 0, 8, 0, 0, 0, 64, 0, 0][..],
                ),
                (510, &[0x55, 0xaa][..]),
            ],
        )
    },
];

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// A process that has the file open for reading and writing.
fn holding(path: &Path) -> std::io::Result<Child> {
    ready(Command::new("sh").args([
        "-c",
        "exec 9<>\"$0\" && echo ready && exec sleep 600",
        &shown(path),
    ]))
}

/// Starts a shell and waits until it reports that it is ready.
fn ready(command: &mut Command) -> std::io::Result<Child> {
    use std::io::BufRead as _;
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let mut line = String::new();
    let output = child
        .stdout
        .take()
        .ok_or_else(|| std::io::Error::other("no output"))?;
    std::io::BufReader::new(output).read_line(&mut line)?;
    if line.trim() == "ready" {
        Ok(child)
    } else {
        Err(std::io::Error::other(format!("{command:?} is not ready")))
    }
}

/// A file of the user's with content, in use as `hold` makes it.
fn users_file(
    name: &str,
    hold: impl FnOnce(&Path) -> std::io::Result<Vec<Keep>>,
) -> Result<Subject, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let path = folder.path().join("precious");
    fs::File::create(&path)
        .and_then(|mut file| file.write_all(&vec![42; 2 * MIB as usize]))
        .map_err(|error| error.to_string())?;
    let mut keeps = hold(&path).map_err(|error| format!("{name}: {error}"))?;
    let in_use = !keeps.is_empty();
    keeps.push(Keep::Folder(folder));
    let link = path.with_file_name("link");
    let target = if link.exists() { link } else { path.clone() };
    Ok(Subject {
        name: name.into(),
        target,
        guarded: path,
        needs_one_word: !in_use,
        _keeps: keeps,
    })
}

/// A loop device in a state that only naming it twice overrides.
fn disk(
    name: &str,
    hold: impl FnOnce(&Loop) -> Result<Vec<Keep>, String>,
) -> Result<Subject, String> {
    let disk = Loop::new(DISK_BYTES, |_| {});
    let mut keeps = hold(&disk).map_err(|error| format!("{name}: {error}"))?;
    let device = disk.device.clone();
    keeps.push(Keep::Loop(disk));
    Ok(Subject {
        name: name.into(),
        target: device.clone(),
        guarded: device,
        needs_one_word: false,
        _keeps: keeps,
    })
}

/// A device that a program formatted; the device is its last argument.
fn made(name: &str, program: &str, arguments: &[&str]) -> Result<Subject, String> {
    disk(name, |disk| {
        let all: Vec<&str> = arguments.iter().copied().chain([disk.name()]).collect();
        run(program, &all).map(|_| Vec::new())
    })
}

/// A device with these bytes at these offsets, as the named format has them.
fn written(name: &str, pieces: &[(u64, &[u8])]) -> Result<Subject, String> {
    disk(name, |disk| {
        let file = fs::OpenOptions::new()
            .write(true)
            .open(&disk.device)
            .map_err(|error| error.to_string())?;
        for (at, bytes) in pieces {
            // Devices take whole sectors.
            let (start, mut sector) = (at / 4096 * 4096, vec![0; 8192]);
            let length = sector.len().min((DISK_BYTES - start) as usize);
            let reader = fs::File::open(&disk.device).map_err(|error| error.to_string())?;
            reader
                .read_exact_at(&mut sector[..length], start)
                .map_err(|error| error.to_string())?;
            let place = (at - start) as usize;
            sector[place..place + bytes.len()].copy_from_slice(bytes);
            file.write_all_at(&sector[..length], start)
                .map_err(|error| error.to_string())?;
        }
        file.sync_all().map_err(|error| error.to_string())?;
        Ok(Vec::new())
    })
}

/// The image below a loop device that is mounted, reached by the path that `reach` gives.
fn backing_file(
    name: &str,
    reach: impl FnOnce(&Path) -> Result<(PathBuf, Vec<Keep>), String>,
) -> Result<Subject, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let image = folder.path().join("image");
    fs::File::create(&image)
        .and_then(|file| file.set_len(16 * MIB))
        .map_err(|error| error.to_string())?;
    run("mkfs.ext4", &["-q", &shown(&image)])?;
    let device = run("losetup", &["-f", "--show", &shown(&image)])?;
    let mounted = Mounted::device(Path::new(&device))?;
    let (target, mut keeps) = reach(&image).map_err(|error| format!("{name}: {error}"))?;
    keeps.extend([
        Keep::Mounted(mounted),
        Keep::Shell(format!("losetup -d {device}")),
        Keep::Folder(folder),
    ]);
    Ok(Subject {
        name: name.into(),
        target,
        guarded: image,
        needs_one_word: false,
        _keeps: keeps,
    })
}
