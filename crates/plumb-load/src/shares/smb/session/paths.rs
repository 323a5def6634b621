//! Between which addresses do the channels of a session go? Between those that the server offers and those of this machine (MS-SMB2 3.2.4.20.8 leaves the choice
//! to the client).

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

use crate::shares::smb::answer::OfferedInterface;
use crate::system::interfaces::LocalAddress;

/// A way from an address of this machine to one of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// Missing: the system's routes decide.
    pub from: Option<LocalAddress>,
    pub to: SocketAddr,
}

/// A candidate path, and its rank.
struct Candidate {
    path: Path,
    speed_bits_per_s: u64,
    is_rss: bool,
}

/// The best ways, each at least as fast as any other: of the fastest those with receive-side scaling, where some have it. Neighbours first, so that as many
/// interfaces of both sides as can be are in use with as few channels. `named` is where the first connection went; `answers` checks any other address of the
/// server whether it is reached from here: many servers offer those of bridges and of other networks too, and by their speed they would be the best.
pub fn best(
    named: SocketAddr,
    offered: &[OfferedInterface],
    local: &[LocalAddress],
    mut answers: impl FnMut(SocketAddr) -> bool,
) -> Vec<Path> {
    let mut offered = one_of_each(named.ip(), offered, local);
    offered.retain(|interface| {
        let to = SocketAddr::new(interface.address, named.port());
        to == named || answers(to)
    });
    let most = local.len().max(1);
    let candidates: Vec<Candidate> = (0..most)
        .flat_map(|turn| {
            offered
                .iter()
                .enumerate()
                .filter_map(move |(index, interface)| {
                    candidate(interface, named.port(), local, (index, turn))
                })
        })
        .collect();
    let fastest = candidates.iter().map(|one| one.speed_bits_per_s).max();
    let fastest: Vec<Candidate> = candidates
        .into_iter()
        .filter(|one| Some(one.speed_bits_per_s) == fastest)
        .collect();
    let scales = fastest.iter().any(|one| one.is_rss);
    let mut paths: Vec<Path> = fastest
        .into_iter()
        .filter(|one| one.is_rss || !scales)
        .map(|one| one.path)
        .collect();
    // The first connection is there already: it is kept where it is as good as any.
    if let Some(index) = paths.iter().position(|path| path.to == named) {
        paths.rotate_left(index);
    }
    paths
}

/// Each interface of the server once, by an address that may be reached: preferably of the family of the address that was named, and never one that means
/// another machine here than there.
fn one_of_each<'a>(
    named: IpAddr,
    offered: &'a [OfferedInterface],
    local: &[LocalAddress],
) -> Vec<&'a OfferedInterface> {
    let has_family = |address: IpAddr| {
        address.is_ipv4() == named.is_ipv4()
            || local.iter().any(|mine| {
                mine.address.is_ipv4() == address.is_ipv4()
                    && !mine.address.is_loopback()
                    && !is_link_local(mine.address)
            })
    };
    // Bridges of containers have the same address on many machines.
    let is_here = |address: IpAddr| local.iter().any(|mine| mine.address == address);
    let fits = |address: IpAddr| {
        address.is_loopback() == named.is_loopback()
            && is_link_local(address) == is_link_local(named)
            && !address.is_unspecified()
            && !address.is_multicast()
            && has_family(address)
            && (!is_here(address) || is_here(named))
    };
    let mut by_index: BTreeMap<u32, &OfferedInterface> = BTreeMap::new();
    for interface in offered.iter().filter(|one| fits(one.address)) {
        // The address that was named stands for its interface, then one of its family.
        let rank = |address: IpAddr| (address == named, address.is_ipv4() == named.is_ipv4());
        let kept = by_index.entry(interface.index).or_insert(interface);
        if rank(interface.address) > rank(kept.address) {
            *kept = interface;
        }
    }
    by_index.into_values().collect()
}

/// The path to the server's interface at this index of the list, from the `turn`th local address in its subnet. Without any there is one way, by the routes.
fn candidate(
    interface: &OfferedInterface,
    port: u16,
    local: &[LocalAddress],
    (index, turn): (usize, usize),
) -> Option<Candidate> {
    let beside: Vec<&LocalAddress> = local
        .iter()
        .filter(|mine| mine.shares_network_with(interface.address))
        .collect();
    let from = match beside.len() {
        0 if turn == 0 => None,
        count if turn < count => Some(beside[(index + turn) % count]),
        _ => return None,
    };
    let own_speed = from.and_then(|from| from.speed_bits_per_s);
    let has_queues = from
        .and_then(|from| from.receive_queues)
        .is_none_or(|queues| queues > 1);
    Some(Candidate {
        path: Path {
            from: from.cloned(),
            to: SocketAddr::new(interface.address, port),
        },
        speed_bits_per_s: own_speed.map_or(interface.speed_bits_per_s, |own| {
            own.min(interface.speed_bits_per_s)
        }),
        is_rss: interface.is_rss && has_queues,
    })
}

/// 169.254.0.0/16 and fe80::/10: they mean something on one link alone.
fn is_link_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GBIT: u64 = 1_000_000_000;

    fn offer(index: u32, address: &str, gbit: u64, is_rss: bool) -> OfferedInterface {
        OfferedInterface {
            index,
            is_rss,
            is_rdma: false,
            speed_bits_per_s: gbit * GBIT,
            address: address.parse().expect("an address"),
        }
    }

    fn mine(interface: &str, address: &str, gbit: Option<u64>) -> LocalAddress {
        let address: IpAddr = address.parse().expect("an address");
        LocalAddress {
            interface: interface.into(),
            address,
            prefix_bits: if address.is_ipv4() { 24 } else { 64 },
            speed_bits_per_s: gbit.map(|gbit| gbit * GBIT),
            receive_queues: Some(4),
        }
    }

    fn chosen(
        named: &str,
        offered: &[OfferedInterface],
        local: &[LocalAddress],
    ) -> Vec<(String, String)> {
        best(named.parse().expect("an address"), offered, local, |_| true)
            .into_iter()
            .map(|path| {
                let from = path.from.map_or("routes".into(), |from| from.interface);
                (from, path.to.ip().to_string())
            })
            .collect()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected
            .iter()
            .map(|(from, to)| (from.to_string(), to.to_string()))
            .collect()
    }

    #[test]
    fn two_networks_are_two_ways_and_the_named_one_comes_first() {
        let offered = [
            offer(2, "10.0.1.1", 10, true),
            offer(3, "10.0.2.1", 10, true),
        ];
        let local = [
            mine("lo", "127.0.0.1", None),
            mine("a", "10.0.1.9", Some(10)),
            mine("b", "10.0.2.9", Some(10)),
        ];
        assert_eq!(
            chosen("10.0.2.1:445", &offered, &local),
            pairs(&[("b", "10.0.2.1"), ("a", "10.0.1.1")])
        );
    }

    #[test]
    fn in_one_network_every_interface_is_used_before_one_is_used_twice() {
        let offered = [
            offer(2, "10.0.1.1", 10, true),
            offer(3, "10.0.1.2", 10, true),
        ];
        let local = [
            mine("a", "10.0.1.8", Some(10)),
            mine("b", "10.0.1.9", Some(10)),
        ];
        assert_eq!(
            chosen("10.0.1.1:445", &offered, &local),
            pairs(&[
                ("a", "10.0.1.1"),
                ("b", "10.0.1.2"),
                ("b", "10.0.1.1"),
                ("a", "10.0.1.2")
            ])
        );
    }

    #[test]
    fn slower_interfaces_and_those_without_scaling_beside_those_with_it_are_left_out() {
        let local = [
            mine("a", "10.0.1.9", Some(10)),
            mine("b", "10.0.2.9", Some(1)),
        ];
        let offered = [
            offer(2, "10.0.2.1", 10, true),
            offer(3, "10.0.1.1", 10, true),
        ];
        assert_eq!(
            chosen("10.0.2.1:445", &offered, &local),
            pairs(&[("a", "10.0.1.1")]),
            "the client's own interface is the slower one"
        );
        let offered = [
            offer(2, "10.0.1.1", 10, false),
            offer(3, "10.0.1.2", 10, true),
        ];
        assert_eq!(
            chosen("10.0.1.1:445", &offered, &local),
            pairs(&[("a", "10.0.1.2")])
        );
    }

    #[test]
    fn an_interface_counts_once_by_the_family_that_was_named() {
        let offered = [
            offer(2, "fd00::1", 10, true),
            offer(2, "10.0.1.1", 10, true),
            offer(2, "fe80::1", 10, true),
            offer(3, "fd01::1", 10, true),
            offer(4, "127.0.0.1", 10, true),
        ];
        let local = [
            mine("a", "10.0.1.9", None),
            mine("a", "fd00::9", None),
            mine("b", "fd01::9", None),
        ];
        assert_eq!(
            chosen("10.0.1.1:445", &offered, &local),
            pairs(&[("a", "10.0.1.1"), ("b", "fd01::1")])
        );
        let without_v6 = [mine("a", "10.0.1.9", None), mine("a", "fe80::9", None)];
        assert_eq!(
            chosen("10.0.1.1:445", &offered, &without_v6),
            pairs(&[("a", "10.0.1.1")])
        );
        assert_eq!(
            chosen("127.0.0.1:445", &offered, &[mine("lo", "127.0.0.1", None)]),
            pairs(&[("lo", "127.0.0.1")])
        );
    }

    #[test]
    fn a_bridge_that_this_machine_has_too_is_no_way_to_the_server() {
        let offered = [
            offer(2, "10.0.1.1", 1, true),
            offer(3, "172.17.0.1", 10, true),
        ];
        let local = [
            mine("a", "10.0.1.9", Some(1)),
            mine("docker0", "172.17.0.1", Some(10)),
        ];
        assert_eq!(
            chosen("10.0.1.1:445", &offered, &local),
            pairs(&[("a", "10.0.1.1")])
        );
    }

    #[test]
    fn the_fastest_of_those_that_answer_are_taken() {
        let offered = [
            offer(2, "10.0.1.1", 1, true),
            offer(3, "172.17.0.1", 10, true),
        ];
        let local = [mine("a", "10.0.1.9", Some(1))];
        let named = "10.0.1.1:445".parse().expect("an address");
        let mut tried = Vec::new();
        let paths = best(named, &offered, &local, |to| {
            tried.push(to.to_string());
            false
        });
        assert_eq!(
            tried,
            ["172.17.0.1:445"],
            "the one that is there already is not asked"
        );
        assert_eq!(paths.len(), 1);
        assert_eq!(paths[0].to, named);
    }

    #[test]
    fn behind_a_router_the_routes_decide_and_no_offer_is_no_way() {
        let local = [mine("a", "10.9.9.9", Some(1))];
        let offered = [
            offer(2, "10.0.1.1", 10, true),
            offer(3, "10.0.2.1", 10, true),
        ];
        assert_eq!(
            chosen("10.0.1.1:445", &offered, &local),
            pairs(&[("routes", "10.0.1.1"), ("routes", "10.0.2.1")])
        );
        assert!(
            best(
                "10.0.1.1:445".parse().expect("an address"),
                &[],
                &local,
                |_| true
            )
            .is_empty()
        );
    }
}
