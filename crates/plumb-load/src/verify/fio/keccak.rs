//! What is the SHA-3 digest of some bytes? FIPS 202.

/// Lanes of the state.
const LANES: usize = 25;
/// Rounds of the permutation.
const ROUNDS: usize = 24;

/// Rotations of the lanes, in the order in which step pi visits them.
const ROTATIONS: [u32; 24] = [
    1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44,
];

/// The lanes that step pi visits, from lane 1 on: (x, y) goes to (y, 2x + 3y).
const VISITED: [usize; 24] = visited();

const fn visited() -> [usize; 24] {
    let mut lanes = [0; 24];
    let (mut x, mut y, mut at) = (1, 0, 0);
    while at < 24 {
        (x, y) = (y, (2 * x + 3 * y) % 5);
        lanes[at] = x + 5 * y;
        at += 1;
    }
    lanes
}

/// Constants of step iota, from the shift register of FIPS 202, algorithm 5.
const CONSTANTS: [u64; ROUNDS] = constants();

const fn constants() -> [u64; ROUNDS] {
    let mut constants = [0; ROUNDS];
    let (mut register, mut round) = (1_u16, 0);
    while round < ROUNDS {
        let mut power = 0;
        while power < 7 {
            constants[round] |= ((register & 1) as u64) << ((1_u32 << power) - 1);
            register <<= 1;
            if register & 0x100 != 0 {
                register ^= 0x171;
            }
            power += 1;
        }
        round += 1;
    }
    constants
}

fn permute(state: &mut [u64; LANES]) {
    for constant in CONSTANTS {
        let mut columns = [0; 5];
        for (at, lane) in state.iter().enumerate() {
            columns[at % 5] ^= lane;
        }
        for (at, lane) in state.iter_mut().enumerate() {
            *lane ^= columns[(at + 4) % 5] ^ columns[(at + 1) % 5].rotate_left(1);
        }
        let mut moved = state[1];
        for (lane, rotation) in VISITED.into_iter().zip(ROTATIONS) {
            moved = std::mem::replace(&mut state[lane], moved.rotate_left(rotation));
        }
        for row in state.as_chunks_mut::<5>().0 {
            let before = *row;
            for (at, lane) in row.iter_mut().enumerate() {
                *lane ^= !before[(at + 1) % 5] & before[(at + 2) % 5];
            }
        }
        state[0] ^= constant;
    }
}

fn absorb(state: &mut [u64; LANES], block: &[u8]) {
    for (lane, bytes) in state.iter_mut().zip(block.as_chunks::<8>().0) {
        *lane ^= u64::from_le_bytes(*bytes);
    }
    permute(state);
}

/// SHA3-224, -256, -384 or -512 into a digest of 28, 32, 48 or 64 bytes.
pub(super) fn sha3(bytes: &[u8], digest: &mut [u8]) {
    let rate = 200 - 2 * digest.len();
    let mut state = [0; LANES];
    let mut blocks = bytes.chunks_exact(rate);
    for block in &mut blocks {
        absorb(&mut state, block);
    }
    let mut last = [0; 200];
    let rest = blocks.remainder();
    last[..rest.len()].copy_from_slice(rest);
    last[rest.len()] = 0x06;
    last[rate - 1] |= 0x80;
    absorb(&mut state, &last[..rate]);
    for (out, lane) in digest.chunks_mut(8).zip(state) {
        out.copy_from_slice(&lane.to_le_bytes()[..out.len()]);
    }
}

#[cfg(test)]
mod tests {
    use super::sha3;

    fn hex(bytes: &[u8], len: usize) -> String {
        let mut digest = vec![0; len];
        sha3(bytes, &mut digest);
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Examples of NIST (CSRC, SHA-3): the empty message, "abc", and 1600 bits of 0xa3.
    #[test]
    fn digests_are_those_of_the_standard() {
        for (len, empty, abc, long) in [
            (
                28,
                "6b4e03423667dbb73b6e15454f0eb1abd4597f9a1b078e3f5b5a6bc7",
                "e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf",
                "9376816aba503f72f96ce7eb65ac095deee3be4bf9bbc2a1cb7e11e0",
            ),
            (
                32,
                "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a",
                "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532",
                "79f38adec5c20307a98ef76e8324afbfd46cfd81b22e3973c65fa1bd9de31787",
            ),
            (
                48,
                "0c63a75b845e4f7d01107d852e4c2485c51a50aaaa94fc61995e71bbee983a2ac3713831264adb47fb6bd1e058d5f004",
                "ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b298d88cea927ac7f539f1edf228376d25",
                "1881de2ca7e41ef95dc4732b8f5f002b189cc1e42b74168ed1732649ce1dbcdd76197a31fd55ee989f2d7050dd473e8f",
            ),
            (
                64,
                "a69f73cca23a9ac5c8b567dc185a756e97c982164fe25859e0d1dcc1475c80a615b2123af1f5f94c11e3e9402c3ac558f500199d95b6d3e301758586281dcd26",
                "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0",
                "e76dfad22084a8b1467fcf2ffa58361bec7628edf5f3fdc0e4805dc48caeeca81b7c13c30adf52a3659584739a2df46be589c51ca1a4a8416df6545a1ce8ba00",
            ),
        ] {
            assert_eq!(hex(b"", len), empty);
            assert_eq!(hex(b"abc", len), abc);
            assert_eq!(hex(&[0xa3; 200], len), long);
        }
    }
}
