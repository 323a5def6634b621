//! Which network adapters has this machine, with which addresses, and how fast are they? By GetAdaptersAddresses.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::ptr;

use windows_sys::Win32::Foundation::{ERROR_BUFFER_OVERFLOW, ERROR_SUCCESS};
use windows_sys::Win32::NetworkManagement::IpHelper::{
    GAA_FLAG_SKIP_ANYCAST, GAA_FLAG_SKIP_DNS_SERVER, GAA_FLAG_SKIP_MULTICAST, GetAdaptersAddresses,
    IP_ADAPTER_ADDRESSES_LH,
};
use windows_sys::Win32::Networking::WinSock::{
    AF_INET, AF_INET6, AF_UNSPEC, SOCKADDR_IN, SOCKADDR_IN6,
};

use crate::system::windows_facts::kinds::NetworkAdapter;

/// Adapters may come between asking for the size and for the list.
const ATTEMPTS: u32 = 4;

/// All adapters of this machine, loopback included.
pub(crate) fn network_adapters() -> io::Result<Vec<NetworkAdapter>> {
    let flags = GAA_FLAG_SKIP_ANYCAST | GAA_FLAG_SKIP_MULTICAST | GAA_FLAG_SKIP_DNS_SERVER;
    // In units of 8 bytes, so that structures begin where they may.
    let mut buffer = vec![0u64; 2048];
    for _ in 0..ATTEMPTS {
        let mut bytes = size_of_val(buffer.as_slice()) as u32;
        let first = buffer.as_mut_ptr().cast::<IP_ADAPTER_ADDRESSES_LH>();
        // SAFETY: the buffer is as long as is said.
        let status = unsafe {
            GetAdaptersAddresses(AF_UNSPEC.into(), flags, ptr::null(), first, &mut bytes)
        };
        match status {
            ERROR_SUCCESS => return Ok(listed(first)),
            ERROR_BUFFER_OVERFLOW => buffer.resize((bytes as usize).div_ceil(8), 0),
            status => return Err(io::Error::from_raw_os_error(status as i32)),
        }
    }
    Err(io::ErrorKind::Interrupted.into())
}

fn listed(first: *const IP_ADAPTER_ADDRESSES_LH) -> Vec<NetworkAdapter> {
    let mut found = Vec::new();
    let mut next = first;
    // SAFETY: the list was filled by the system, ends with a null pointer, and is in a buffer that is still there.
    while let Some(adapter) = unsafe { next.as_ref() } {
        found.push(NetworkAdapter {
            name: text(adapter.FriendlyName),
            description: text(adapter.Description),
            kind: adapter.IfType,
            is_up: adapter.OperStatus == 1,
            mtu_bytes: adapter.Mtu,
            // All bits set where it is not known.
            speed_bits_per_s: Some(adapter.TransmitLinkSpeed)
                .filter(|speed| ![0, u64::MAX].contains(speed)),
            addresses: addresses(adapter),
        });
        next = adapter.Next;
    }
    found
}

fn addresses(adapter: &IP_ADAPTER_ADDRESSES_LH) -> Vec<IpAddr> {
    let mut found = Vec::new();
    let mut next = adapter.FirstUnicastAddress.cast_const();
    // SAFETY: as with the adapters; each address has the type that its family says.
    unsafe {
        while let Some(unicast) = next.as_ref() {
            let address = unicast.Address.lpSockaddr;
            match address.as_ref().map(|address| address.sa_family) {
                Some(AF_INET) => {
                    let bits = (*address.cast::<SOCKADDR_IN>()).sin_addr.S_un.S_addr;
                    found.push(IpAddr::V4(Ipv4Addr::from(u32::from_be(bits))));
                }
                Some(AF_INET6) => {
                    let bytes = (*address.cast::<SOCKADDR_IN6>()).sin6_addr.u.Byte;
                    found.push(IpAddr::V6(Ipv6Addr::from(bytes)));
                }
                _ => {}
            }
            next = unicast.Next;
        }
    }
    found
}

/// A text that ends with 0.
fn text(units: *const u16) -> String {
    let mut wide = Vec::new();
    if units.is_null() {
        return String::new();
    }
    loop {
        // SAFETY: the text is in the buffer that the system filled, and ends with 0.
        match unsafe { *units.add(wide.len()) } {
            0 => return String::from_utf16_lossy(&wide),
            unit => wide.push(unit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_an_adapter_with_its_address() {
        let adapters = network_adapters().unwrap();
        let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let found = adapters.iter().find(|of| of.addresses.contains(&loopback));
        assert!(
            found.is_some_and(|of| of.kind == 24 && !of.description.is_empty()),
            "{adapters:?}"
        );
    }
}
