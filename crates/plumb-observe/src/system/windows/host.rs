//! What machine is it? Version of Windows, processors, memory, power scheme, by calls and the registry.

use std::ptr;

use windows_sys::Win32::Foundation::{ERROR_SUCCESS, LocalFree};
use windows_sys::Win32::System::Performance::QueryPerformanceFrequency;
use windows_sys::Win32::System::Power::{PowerGetActiveScheme, PowerReadFriendlyName};
use windows_sys::Win32::System::Registry::{
    HKEY_LOCAL_MACHINE, REG_DWORD, REG_ROUTINE_FLAGS, REG_SZ, RRF_RT_REG_DWORD, RRF_RT_REG_SZ,
    RegGetValueW,
};
use windows_sys::Win32::System::SystemInformation::{
    ComputerNameDnsHostname, GetComputerNameExW, GetLogicalProcessorInformationEx,
    GlobalMemoryStatusEx, LOGICAL_PROCESSOR_RELATIONSHIP, MEMORYSTATUSEX, RelationNumaNode,
    RelationProcessorCore, RelationProcessorPackage, SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX,
};
use windows_sys::Win32::System::Threading::{
    GetActiveProcessorCount, GetCurrentProcess, GetProcessAffinityMask,
};
use windows_sys::core::GUID;

use super::{failed, wide};
use crate::system::kernel_files::Known;
use crate::system::windows_facts::kinds::Host;

const VERSION: &str = r"SOFTWARE\Microsoft\Windows NT\CurrentVersion";
const PROCESSOR: &str = r"HARDWARE\DESCRIPTION\System\CentralProcessor\0";
const BIOS: &str = r"HARDWARE\DESCRIPTION\System\BIOS";
const ALL_PROCESSOR_GROUPS: u16 = 0xFFFF;
/// The registry still calls Windows 11 "Windows 10"; this is its first build.
const FIRST_BUILD_OF_11: u32 = 22_000;

/// The machine, as far as Windows reports.
pub(crate) fn host() -> Known<Host> {
    let memory = memory();
    let build = registry_text(VERSION, "CurrentBuildNumber");
    Ok(Host {
        name: name(),
        product: product(&build),
        build: build.map(|build| full_version(&build)),
        processor: registry_text(PROCESSOR, "ProcessorNameString"),
        sockets: count_of(RelationProcessorPackage),
        cores: count_of(RelationProcessorCore),
        threads: threads(),
        allowed: allowed(),
        nodes: count_of(RelationNumaNode),
        memory_bytes: memory.clone().map(|memory| memory.0),
        memory_available_bytes: memory.map(|memory| memory.1),
        counter_hz: counter_hz(),
        power_scheme: power_scheme(),
        tables: tables(),
    })
}

fn full_version(build: &str) -> String {
    let number = |name: &str| registry_number(VERSION, name);
    let version = match (
        number("CurrentMajorVersionNumber"),
        number("CurrentMinorVersionNumber"),
    ) {
        (Ok(major), Ok(minor)) => Ok(format!("{major}.{minor}")),
        // Before Windows 10.
        _ => registry_text(VERSION, "CurrentVersion"),
    };
    let parts = [
        version.ok(),
        Some(build.to_owned()),
        number("UBR").ok().map(|revision| revision.to_string()),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(".")
}

fn product(build: &Known<String>) -> Known<String> {
    let mut product = registry_text(VERSION, "ProductName")?;
    let build = build.as_ref().ok().and_then(|build| build.parse().ok());
    if build.is_some_and(|build: u32| build >= FIRST_BUILD_OF_11) {
        product = product.replace("Windows 10", "Windows 11");
    }
    Ok(match registry_text(VERSION, "DisplayVersion") {
        Ok(version) if !version.is_empty() => format!("{product} {version}"),
        _ => product,
    })
}

fn tables() -> Known<String> {
    let names = [
        "SystemManufacturer",
        "SystemProductName",
        "BIOSVendor",
        "BIOSVersion",
        "BaseBoardManufacturer",
    ];
    let reported: Vec<String> = names
        .iter()
        .filter_map(|name| registry_text(BIOS, name).ok())
        .collect();
    match reported.is_empty() {
        true => Err("the registry has no SMBIOS tables".into()),
        false => Ok(reported.join("\n")),
    }
}

fn registry_bytes(key: &str, value: &str, kind: REG_ROUTINE_FLAGS) -> Known<Vec<u8>> {
    let (key_name, value_name) = (wide(key), wide(value));
    let mut bytes = vec![0u8; 1024];
    let mut length = bytes.len() as u32;
    // SAFETY: both names end with 0, and the buffer is as long as is said.
    let status = unsafe {
        RegGetValueW(
            HKEY_LOCAL_MACHINE,
            key_name.as_ptr(),
            value_name.as_ptr(),
            kind,
            ptr::null_mut(),
            bytes.as_mut_ptr().cast(),
            &mut length,
        )
    };
    if status != ERROR_SUCCESS {
        let error = std::io::Error::from_raw_os_error(status as i32);
        return Err(format!(r"the registry has no HKLM\{key}\{value}: {error}"));
    }
    bytes.truncate(length as usize);
    Ok(bytes)
}

fn registry_text(key: &str, value: &str) -> Known<String> {
    debug_assert_eq!(REG_SZ, 1);
    let bytes = registry_bytes(key, value, RRF_RT_REG_SZ)?;
    Ok(text_of(&bytes))
}

fn registry_number(key: &str, value: &str) -> Known<u32> {
    debug_assert_eq!(REG_DWORD, 4);
    let bytes = registry_bytes(key, value, RRF_RT_REG_DWORD)?;
    let number = bytes.first_chunk().map(|bytes| u32::from_ne_bytes(*bytes));
    number.ok_or_else(|| format!("{value} is not a number"))
}

/// UTF-16 in bytes, up to the first 0, without blanks around it.
fn text_of(bytes: &[u8]) -> String {
    let units = bytes
        .chunks_exact(2)
        .map(|pair| u16::from_ne_bytes([pair[0], pair[1]]));
    let units: Vec<u16> = units.take_while(|unit| *unit != 0).collect();
    String::from_utf16_lossy(&units).trim().to_owned()
}

fn name() -> Known<String> {
    let mut buffer = [0u16; 256];
    let mut length = buffer.len() as u32;
    // SAFETY: the buffer is as long as is said.
    let done =
        unsafe { GetComputerNameExW(ComputerNameDnsHostname, buffer.as_mut_ptr(), &mut length) };
    match (done, buffer.get(..length as usize)) {
        (0, _) | (_, None) => Err(failed("GetComputerNameEx")),
        (_, Some(name)) => Ok(String::from_utf16_lossy(name)),
    }
}

fn memory() -> Known<(u64, u64)> {
    let mut memory = MEMORYSTATUSEX {
        dwLength: size_of::<MEMORYSTATUSEX>() as u32,
        ..MEMORYSTATUSEX::default()
    };
    // SAFETY: it says how long it is.
    match unsafe { GlobalMemoryStatusEx(&mut memory) } {
        0 => Err(failed("GlobalMemoryStatusEx")),
        _ => Ok((memory.ullTotalPhys, memory.ullAvailPhys)),
    }
}

fn threads() -> Known<u32> {
    // SAFETY: it takes any number.
    match unsafe { GetActiveProcessorCount(ALL_PROCESSOR_GROUPS) } {
        0 => Err(failed("GetActiveProcessorCount")),
        count => Ok(count),
    }
}

/// The mask is that of one processor group, and 0 for a process in several, which may use all.
fn allowed() -> Known<u32> {
    let (mut own, mut all) = (0usize, 0usize);
    // SAFETY: the handle of this process is always open, and both masks live over the call.
    match unsafe { GetProcessAffinityMask(GetCurrentProcess(), &mut own, &mut all) } {
        0 => Err(failed("GetProcessAffinityMask")),
        _ if own == 0 => threads(),
        _ => Ok(own.count_ones()),
    }
}

/// Cores, packages or nodes: the answer is a row of records of different lengths, one for each.
fn count_of(relation: LOGICAL_PROCESSOR_RELATIONSHIP) -> Known<u32> {
    const HEAD_BYTES: usize = 8;
    let mut length = 0;
    // SAFETY: without a buffer it reports the length.
    unsafe { GetLogicalProcessorInformationEx(relation, ptr::null_mut(), &mut length) };
    // In units of 8 bytes, so that records begin where they may.
    let mut buffer = vec![0u64; (length as usize).div_ceil(8)];
    let position = buffer
        .as_mut_ptr()
        .cast::<SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX>();
    // SAFETY: the buffer is as long as is said.
    if buffer.is_empty()
        || unsafe { GetLogicalProcessorInformationEx(relation, position, &mut length) } == 0
    {
        return Err(failed("GetLogicalProcessorInformationEx"));
    }
    let bytes: Vec<u8> = buffer.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let mut rest = bytes.get(..length as usize).unwrap_or_default();
    let mut count = 0;
    while let Some(size) = rest.get(4..HEAD_BYTES).and_then(<[u8]>::first_chunk) {
        count += 1;
        let size = (u32::from_ne_bytes(*size) as usize).max(HEAD_BYTES);
        rest = rest.get(size..).unwrap_or_default();
    }
    match count {
        0 => Err("Windows lists none".into()),
        count => Ok(count),
    }
}

fn counter_hz() -> Known<u64> {
    let mut hz = 0i64;
    // SAFETY: the number lives over the call.
    match unsafe { QueryPerformanceFrequency(&mut hz) } {
        0 => Err(failed("QueryPerformanceFrequency")),
        _ => u64::try_from(hz).map_err(|_| "no frequency".to_owned()),
    }
}

fn power_scheme() -> Known<(String, String)> {
    let mut scheme: *mut GUID = ptr::null_mut();
    // SAFETY: what it returns is in memory of its own, which is given back below.
    let status = unsafe { PowerGetActiveScheme(ptr::null_mut(), &mut scheme) };
    if status != ERROR_SUCCESS || scheme.is_null() {
        let error = std::io::Error::from_raw_os_error(status as i32);
        return Err(format!("PowerGetActiveScheme fails: {error}"));
    }
    let mut name = vec![0u8; 1024];
    let mut length = name.len() as u32;
    // SAFETY: the scheme is there until it is given back, once, and the buffer is as long as is said.
    let (guid, status) = unsafe {
        let status = PowerReadFriendlyName(
            ptr::null_mut(),
            scheme,
            ptr::null(),
            ptr::null(),
            name.as_mut_ptr(),
            &mut length,
        );
        let guid = *scheme;
        LocalFree(scheme.cast());
        (guid, status)
    };
    let name = match status {
        ERROR_SUCCESS => text_of(name.get(..length as usize).unwrap_or_default()),
        _ => String::new(),
    };
    Ok((name, guid_text(&guid)))
}

/// `8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c`.
fn guid_text(guid: &GUID) -> String {
    let [a, b, rest @ ..] = guid.data4;
    let rest: String = rest.iter().map(|byte| format!("{byte:02x}")).collect();
    let (one, two, three) = (guid.data1, guid.data2, guid.data3);
    format!("{one:08x}-{two:04x}-{three:04x}-{a:02x}{b:02x}-{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scheme_is_named_as_powercfg_names_it() {
        let high = GUID {
            data1: 0x8c5e_7fda,
            data2: 0xe8bf,
            data3: 0x4a96,
            data4: [0x9a, 0x85, 0xa6, 0xe2, 0x3a, 0x8c, 0x63, 0x5c],
        };
        assert_eq!(guid_text(&high), "8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c");
    }

    #[test]
    fn this_machine_is_told() {
        let host = host().unwrap();
        assert!(host.memory_bytes.unwrap() > host.memory_available_bytes.unwrap());
        let (cores, threads) = (host.cores.unwrap(), host.threads.unwrap());
        assert!(cores >= 1 && threads >= cores, "{cores} {threads}");
        assert!(!host.name.unwrap().is_empty());
        assert!(host.counter_hz.unwrap() > 0);
        assert!(host.build.unwrap().split('.').count() >= 3);
    }
}
