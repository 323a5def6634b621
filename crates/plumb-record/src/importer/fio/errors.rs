//! What does the number of an error mean? The kernel's names of those that storage gives.

/// Linux numbers of include/uapi/asm-generic/errno-base.h and errno.h, with the names that plumb counts errors by.
const NAMES: &[(u32, &str)] = &[
    (1, "EPERM"),
    (2, "ENOENT"),
    (4, "EINTR"),
    (5, "EIO"),
    (6, "ENXIO"),
    (11, "EAGAIN"),
    (12, "ENOMEM"),
    (13, "EACCES"),
    (16, "EBUSY"),
    (19, "ENODEV"),
    (22, "EINVAL"),
    (27, "EFBIG"),
    (28, "ENOSPC"),
    (30, "EROFS"),
    (61, "ENODATA"),
    // fio's error of a block that is not what was written.
    (84, "EILSEQ"),
    (95, "EOPNOTSUPP"),
    (110, "ETIMEDOUT"),
    (116, "ESTALE"),
    (121, "EREMOTEIO"),
    (122, "EDQUOT"),
];

/// The name of a Linux error; fio for Windows and BSD has other numbers for some, which their files do not tell.
pub fn error_name(number: u32) -> String {
    NAMES
        .iter()
        .find(|(known, _)| *known == number)
        .map_or_else(
            || format!("error {number}"),
            |(_, name)| (*name).to_string(),
        )
}
