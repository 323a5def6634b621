//! What does an errno value mean? The kernel's names of storage errors.

/// Linux values from include/uapi/asm-generic/errno-base.h and errno.h, with the names that plumb counts errors by.
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
    // fio's error for a block that fails verification.
    (84, "EILSEQ"),
    (95, "EOPNOTSUPP"),
    (110, "ETIMEDOUT"),
    (116, "ESTALE"),
    (121, "EREMOTEIO"),
    (122, "EDQUOT"),
];

/// The name of a Linux errno; fio for Windows and BSD uses other values for some, which their files do not show.
pub fn error_name(number: u32) -> String {
    NAMES
        .iter()
        .find(|(known, _)| *known == number)
        .map_or_else(
            || format!("error {number}"),
            |(_, name)| (*name).to_string(),
        )
}
