//! Under which hypervisor does this machine run? The processor reports.

/// True where this system may make virtual machines of Hyper-V: it is the one that Hyper-V runs beside, as Windows does with virtualization-based security on (Hypervisor Top-Level Functional
/// Specification, "Partition Properties": CreatePartitions, leaf 0x4000_0003 EBX bit 0).
pub(crate) fn owns_hypervisor() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        #[allow(unused_unsafe, reason = "a safe function in newer toolchains")]
        // SAFETY: as below; the leaf exists where Hyper-V says its name.
        let may_create = || unsafe { std::arch::x86_64::__cpuid(0x4000_0003).ebx & 1 == 1 };
        hypervisor().as_deref() == Some("Hyper-V") && may_create()
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// The hypervisor's name by its CPUID signature, such as `KVM`; `None` on bare metal and where it is not reported.
pub(crate) fn hypervisor() -> Option<String> {
    #[cfg(target_arch = "x86_64")]
    {
        #[allow(unused_unsafe, reason = "a safe function in newer toolchains")]
        // SAFETY: every x86_64 processor has CPUID; leaves 1 and 0x4000_0000 have no side effects. Leaf 1, ECX bit 31 is set by hypervisors only
        // (AMD APM volume 3, appendix E; Intel leaves it 0), and makes leaf 0x4000_0000 valid.
        let leaf = unsafe {
            if std::arch::x86_64::__cpuid(1).ecx >> 31 == 0 {
                return None;
            }
            std::arch::x86_64::__cpuid(0x4000_0000)
        };
        let mut signature = Vec::new();
        [leaf.ebx, leaf.ecx, leaf.edx]
            .iter()
            .for_each(|word| signature.extend(word.to_le_bytes()));
        let signature = String::from_utf8_lossy(&signature)
            .trim_matches(|c: char| c == '\0' || c.is_whitespace())
            .to_owned();
        Some(match signature.as_str() {
            "KVMKVMKVM" => "KVM".into(),
            "Microsoft Hv" => "Hyper-V".into(),
            "VMwareVMware" => "VMware".into(),
            "XenVMMXenVMM" => "Xen".into(),
            "TCGTCGTCGTCG" => "QEMU without acceleration".into(),
            "bhyve bhyve" => "bhyve".into(),
            "VBoxVBoxVBox" => "VirtualBox".into(),
            other => format!("unknown hypervisor '{other}'"),
        })
    }
    #[cfg(not(target_arch = "x86_64"))]
    None
}
