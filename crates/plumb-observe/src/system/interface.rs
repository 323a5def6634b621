//! What does the system report about a network interface only by a call? Its addresses, and what ethtool shows.
#![cfg_attr(
    not(target_os = "linux"),
    allow(
        dead_code,
        reason = "never constructed on systems that do not report it"
    )
)]

use std::io;
use std::net::IpAddr;

/// Queues of an adapter (`ethtool -l`): in use, and the most there can be. Combined ones count as receive queues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Channels {
    pub receive: u32,
    pub receive_max: u32,
}

/// Descriptors of the rings (`ethtool -g`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rings {
    pub receive: u32,
    pub receive_max: u32,
    pub transmit: u32,
    pub transmit_max: u32,
}

/// Flow control of the link (`ethtool -a`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pause {
    pub receive: bool,
    pub transmit: bool,
}

#[cfg(target_os = "linux")]
pub(crate) use linux::*;
#[cfg(not(target_os = "linux"))]
pub(crate) use other::*;

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::CStr;
    use std::io;
    use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};
    use std::os::fd::AsRawFd;

    use super::{Channels, Pause, Rings};

    /// Every address of this machine with the name of its interface (getifaddrs(3)).
    pub(crate) fn addresses() -> io::Result<Vec<(String, IpAddr)>> {
        let mut first: *mut libc::ifaddrs = std::ptr::null_mut();
        // SAFETY: getifaddrs writes one pointer to the head of a list, which is freed below and not used after that.
        if unsafe { libc::getifaddrs(&raw mut first) } != 0 {
            return Err(io::Error::last_os_error());
        }
        let (mut found, mut entry) = (Vec::new(), first);
        while !entry.is_null() {
            // SAFETY: `entry` is a member of the list until freeifaddrs; its name is a string that ends in 0, and its address, where there is one,
            // has the type that its family says.
            unsafe {
                let name = CStr::from_ptr((*entry).ifa_name)
                    .to_string_lossy()
                    .into_owned();
                let address = (*entry).ifa_addr;
                if !address.is_null() {
                    match i32::from((*address).sa_family) {
                        libc::AF_INET => {
                            let bits = (*address.cast::<libc::sockaddr_in>()).sin_addr.s_addr;
                            found.push((name, IpAddr::V4(Ipv4Addr::from(u32::from_be(bits)))));
                        }
                        libc::AF_INET6 => {
                            let bytes = (*address.cast::<libc::sockaddr_in6>()).sin6_addr.s6_addr;
                            found.push((name, IpAddr::V6(Ipv6Addr::from(bytes))));
                        }
                        _ => {}
                    }
                }
                entry = (*entry).ifa_next;
            }
        }
        // SAFETY: `first` came from getifaddrs and is freed once.
        unsafe { libc::freeifaddrs(first) };
        Ok(found)
    }

    // Commands of linux/ethtool.h. All of these only read, and the kernel allows them to everybody (net/ethtool/ioctl.c, dev_ethtool).
    const GDRVINFO: u32 = 0x03;
    const GRINGPARAM: u32 = 0x10;
    const GPAUSEPARAM: u32 = 0x12;
    const GRXFHINDIR: u32 = 0x38;
    const GCHANNELS: u32 = 0x3c;
    /// Offloads that one word reports: name as `ethtool -k` has it, and the command.
    const OFFLOADS: [(&str, u32); 6] = [
        ("rx-checksum", 0x14),
        ("tx-checksum", 0x16),
        ("scatter-gather", 0x18),
        ("tso", 0x1e),
        ("gso", 0x23),
        ("gro", 0x2b),
    ];
    const GFLAGS: u32 = 0x25;
    /// ETH_FLAG_LRO of linux/ethtool.h.
    const FLAG_LRO: u32 = 1 << 15;

    /// Words of the largest question: the indirection table of an adapter with very many entries.
    const WORDS: usize = 4096;

    /// Asks by SIOCETHTOOL. `words` begins with the command and is as long as the kernel's answer may be.
    fn ask(interface: &str, words: &mut [u32]) -> io::Result<()> {
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        // SAFETY: an ifreq of zeros is a valid one.
        let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
        if interface.len() >= request.ifr_name.len() {
            return Err(io::Error::from_raw_os_error(libc::ENODEV));
        }
        request
            .ifr_name
            .iter_mut()
            .zip(interface.bytes())
            .for_each(|(slot, byte)| *slot = byte as libc::c_char);
        request.ifr_ifru.ifru_data = words.as_mut_ptr().cast();
        // SAFETY: the request names an interface and points to `words`, which lives during the call and has room for the answer to its command.
        if unsafe {
            libc::ioctl(
                socket.as_raw_fd(),
                libc::SIOCETHTOOL as libc::Ioctl,
                &raw mut request,
            )
        } != 0
        {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }

    /// The driver's name and firmware (`ethtool -i`).
    pub(crate) fn driver(interface: &str) -> io::Result<(String, String)> {
        // struct ethtool_drvinfo: command, then driver, version, firmware version and bus, each of 32 bytes; 196 bytes in all.
        let mut words = [0u32; 64];
        words[0] = GDRVINFO;
        ask(interface, &mut words)?;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let text = |start: usize| {
            let field: Vec<u8> = bytes[start..start + 32]
                .iter()
                .copied()
                .take_while(|byte| *byte != 0)
                .collect();
            String::from_utf8_lossy(&field).trim().to_owned()
        };
        Ok((text(4), text(4 + 64)))
    }

    /// Queues (`ethtool -l`).
    pub(crate) fn channels(interface: &str) -> io::Result<Channels> {
        // struct ethtool_channels: command, most of receive, transmit, other, combined; then those in use.
        let mut words = [0u32; 9];
        words[0] = GCHANNELS;
        ask(interface, &mut words)?;
        Ok(Channels {
            receive: words[5] + words[8],
            receive_max: words[1] + words[4],
        })
    }

    /// Rings (`ethtool -g`).
    pub(crate) fn rings(interface: &str) -> io::Result<Rings> {
        // struct ethtool_ringparam: command, most of receive, mini, jumbo, transmit; then those in use.
        let mut words = [0u32; 9];
        words[0] = GRINGPARAM;
        ask(interface, &mut words)?;
        Ok(Rings {
            receive: words[5],
            receive_max: words[1],
            transmit: words[8],
            transmit_max: words[4],
        })
    }

    /// Flow control (`ethtool -a`).
    pub(crate) fn pause(interface: &str) -> io::Result<Pause> {
        let mut words = [0u32; 4];
        words[0] = GPAUSEPARAM;
        ask(interface, &mut words)?;
        Ok(Pause {
            receive: words[2] != 0,
            transmit: words[3] != 0,
        })
    }

    /// The queue of each entry of the indirection table (`ethtool -x`): connections are spread over these.
    pub(crate) fn indirection_table(interface: &str) -> io::Result<Vec<u32>> {
        // struct ethtool_rxfh_indir: command, number of entries, entries. With 0 entries the kernel reports how many there are.
        let mut words = vec![0u32; WORDS];
        words[0] = GRXFHINDIR;
        ask(interface, &mut words)?;
        let entries = words[1] as usize;
        if entries == 0 || entries > WORDS - 2 {
            return Err(io::Error::from_raw_os_error(libc::EOPNOTSUPP));
        }
        words[0] = GRXFHINDIR;
        ask(interface, &mut words)?;
        Ok(words[2..2 + entries].to_vec())
    }

    /// What the adapter and the stack do for several packets at once (`ethtool -k`), each with whether it is on; without those that are not reported.
    pub(crate) fn offloads(interface: &str) -> Vec<(&'static str, bool)> {
        let value = |command: u32| {
            let mut words = [command, 0];
            ask(interface, &mut words).ok().map(|()| words[1])
        };
        let reported = OFFLOADS
            .iter()
            .filter_map(|(name, command)| Some((*name, value(*command)? != 0)));
        reported
            .chain(value(GFLAGS).map(|flags| ("lro", flags & FLAG_LRO != 0)))
            .collect()
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    use std::io;
    use std::net::IpAddr;

    use super::{Channels, Pause, Rings};

    fn unavailable<T>() -> io::Result<T> {
        Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "not available on this system",
        ))
    }

    /// Every address of this machine with the description of its adapter, by which counters call it too.
    #[cfg(windows)]
    pub(crate) fn addresses() -> io::Result<Vec<(String, IpAddr)>> {
        let adapters = crate::system::windows_facts::network_adapters()?;
        let named = |address: &IpAddr, name: &str| (name.to_owned(), *address);
        let of_each = adapters
            .iter()
            .flat_map(|of| of.addresses.iter().map(|own| named(own, &of.description)));
        Ok(of_each.collect())
    }

    #[cfg(not(windows))]
    pub(crate) fn addresses() -> io::Result<Vec<(String, IpAddr)>> {
        unavailable()
    }

    pub(crate) fn driver(_: &str) -> io::Result<(String, String)> {
        unavailable()
    }

    pub(crate) fn channels(_: &str) -> io::Result<Channels> {
        unavailable()
    }

    pub(crate) fn rings(_: &str) -> io::Result<Rings> {
        unavailable()
    }

    pub(crate) fn pause(_: &str) -> io::Result<Pause> {
        unavailable()
    }

    pub(crate) fn indirection_table(_: &str) -> io::Result<Vec<u32>> {
        unavailable()
    }

    pub(crate) fn offloads(_: &str) -> Vec<(&'static str, bool)> {
        Vec::new()
    }
}

/// Name of the interface that has this address of the machine's own.
pub(crate) fn interface_of(address: IpAddr) -> io::Result<Option<String>> {
    Ok(addresses()?
        .into_iter()
        .find(|(_, own)| *own == address)
        .map(|(name, _)| name))
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    #[test]
    fn loopback_has_its_address_and_no_adapter() {
        let Ok(Some(name)) = interface_of(IpAddr::V4(Ipv4Addr::LOCALHOST)) else {
            eprintln!("skipped: this machine has no loopback interface");
            return;
        };
        assert_eq!(name, "lo");
        assert_eq!(
            interface_of(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 77))).unwrap(),
            None
        );
        assert!(indirection_table("lo").is_err());
        assert!(
            offloads("lo")
                .iter()
                .any(|(name, on)| *name == "gso" && *on),
            "{:?}",
            offloads("lo")
        );
        assert_eq!(
            driver("no-such-if").unwrap_err().raw_os_error(),
            Some(libc::ENODEV)
        );
        assert_eq!(
            driver("a-name-too-long-for-any-interface")
                .unwrap_err()
                .raw_os_error(),
            Some(libc::ENODEV)
        );
    }
}
