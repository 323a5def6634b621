//! What is the processor called? By the text of /proc/cpuinfo.

/// Cores of Arm and of those who design their own, by the numbers of implementer and part in MIDR_EL1 (technical reference manuals of the cores).
const CORES: &[(u32, u32, &str)] = &[
    (0x41, 0xd03, "Cortex-A53"),
    (0x41, 0xd04, "Cortex-A35"),
    (0x41, 0xd05, "Cortex-A55"),
    (0x41, 0xd07, "Cortex-A57"),
    (0x41, 0xd08, "Cortex-A72"),
    (0x41, 0xd09, "Cortex-A73"),
    (0x41, 0xd0a, "Cortex-A75"),
    (0x41, 0xd0b, "Cortex-A76"),
    (0x41, 0xd0c, "Neoverse N1"),
    (0x41, 0xd0d, "Cortex-A77"),
    (0x41, 0xd40, "Neoverse V1"),
    (0x41, 0xd41, "Cortex-A78"),
    (0x41, 0xd44, "Cortex-X1"),
    (0x41, 0xd46, "Cortex-A510"),
    (0x41, 0xd47, "Cortex-A710"),
    (0x41, 0xd48, "Cortex-X2"),
    (0x41, 0xd49, "Neoverse N2"),
    (0x41, 0xd4d, "Cortex-A715"),
    (0x41, 0xd4e, "Cortex-X3"),
    (0x41, 0xd4f, "Neoverse V2"),
    (0x41, 0xd80, "Cortex-A520"),
    (0x41, 0xd81, "Cortex-A720"),
    (0x41, 0xd82, "Cortex-X4"),
    (0x41, 0xd84, "Neoverse V3"),
    (0x41, 0xd8e, "Neoverse N3"),
    (0x48, 0xd01, "Kunpeng 920"),
    (0xc0, 0xac3, "AmpereOne"),
];

/// The name of the processor; of one whose cores differ (big.LITTLE) each kind with its number: `4 x Cortex-A55, 4 x Cortex-A76`. Arm's kernels report
/// numbers, which are given for cores of other makers.
pub(super) fn cpu_model(cpuinfo: &str) -> Option<String> {
    let values = |name: &'static str| {
        cpuinfo.lines().filter_map(move |line| {
            let (key, value) = line.split_once(':')?;
            (key.trim() == name).then_some(value.trim())
        })
    };
    if let Some(name) = values("model name").next() {
        return Some(name.to_owned());
    }
    let mut kinds: Vec<(String, usize)> = Vec::new();
    for (implementer, part) in values("CPU implementer").zip(values("CPU part")) {
        let name = core(implementer, part);
        match kinds.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => kinds.push((name, 1)),
        }
    }
    match kinds.as_slice() {
        [] => None,
        [(name, _)] => Some(name.clone()),
        several => Some(
            several
                .iter()
                .map(|(name, count)| format!("{count} x {name}"))
                .collect::<Vec<_>>()
                .join(", "),
        ),
    }
}

fn core(implementer: &str, part: &str) -> String {
    let number = |text: &str| u32::from_str_radix(text.trim_start_matches("0x"), 16).ok();
    let numbers = number(implementer).zip(number(part));
    let known = CORES
        .iter()
        .find(|(maker, core, _)| numbers == Some((*maker, *core)));
    known.map_or_else(
        || format!("implementer {implementer}, part {part}"),
        |(_, _, name)| (*name).to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_have_names_and_several_kinds_a_number_each() {
        let core =
            |part: &str| format!("processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: {part}\n\n");
        let mixed = [core("0xd05"), core("0xd05"), core("0xd0b")].concat();
        for (text, expected) in [
            (core("0xd0c"), Some("Neoverse N1")),
            (core("0xfff"), Some("implementer 0x41, part 0xfff")),
            (mixed, Some("2 x Cortex-A55, 1 x Cortex-A76")),
            ("model name\t: Example CPU\n".into(), Some("Example CPU")),
            ("processor\t: 0\n".into(), None),
        ] {
            assert_eq!(cpu_model(&text).as_deref(), expected, "{text}");
        }
    }
}
