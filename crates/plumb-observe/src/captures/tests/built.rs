//! How is a capture made whose content is known? Messages become segments of a connection, these packets, and these a file of any kind.

/// The client's address is the first, the server's the second.
const ADDRESSES: [u8; 2] = [1, 2];
pub const CLIENT: usize = 0;
pub const SERVER: usize = 1;
const PORT: u16 = 445;
/// When the first packet was seen, in nanoseconds since 1970.
pub const BEGIN_NS: u64 = 1_700_000_000_000_000_000;
pub const ETHERNET: u32 = 1;

pub const SYN: u8 = 0x02;
pub const ACK: u8 = 0x10;
const FIN: u8 = 0x01;
const RST: u8 = 0x04;

/// A packet as it was on the wire, from IP on, or whole.
#[derive(Debug, Clone)]
pub struct Sent {
    pub at_us: u64,
    pub bytes: Vec<u8>,
}

/// A connection that is being made up.
pub struct Talk {
    pub packets: Vec<Sent>,
    sequence: [u32; 2],
    ports: [u16; 2],
    number: u16,
    pub at_us: u64,
    is_v6: bool,
}

impl Talk {
    /// With a handshake whose round trip takes 100 us, of which 80 us are between here and the server.
    pub fn begin() -> Talk {
        Talk::begin_on(50_000, PORT)
    }

    /// The same between these ports of client and server.
    pub fn begin_on(client: u16, server: u16) -> Talk {
        let mut talk = Talk::in_the_middle();
        talk.ports = [client, server];
        talk.send(CLIENT, SYN, &[]);
        talk.at_us += 80;
        talk.send(SERVER, SYN | ACK, &[]);
        talk.at_us += 20;
        talk.send(CLIENT, ACK, &[]);
        talk
    }

    /// Without one. The numbers wrap around soon.
    pub fn in_the_middle() -> Talk {
        Talk {
            packets: Vec::new(),
            sequence: [u32::MAX - 300, u32::MAX - 500],
            ports: [50_000, PORT],
            number: 1,
            at_us: 0,
            is_v6: false,
        }
    }

    /// The same between these ports of client and server.
    pub fn in_the_middle_on(client: u16, server: u16) -> Talk {
        Talk {
            ports: [client, server],
            ..Talk::in_the_middle()
        }
    }

    /// This side ends the connection at once.
    pub fn reset(&mut self, from: usize) {
        self.send(from, RST, &[]);
    }

    /// A datagram of the client.
    pub fn datagram(client: u16, server: u16, content: &[u8]) -> Sent {
        let mut udp = Vec::new();
        let length = content.len() as u16 + 8;
        for word in [client, server, length, 0] {
            udp.extend(word.to_be_bytes());
        }
        udp.extend(content);
        let mut bytes = Talk::in_the_middle().ip(CLIENT, &udp);
        bytes[9] = 17;
        Sent { at_us: 0, bytes }
    }

    pub fn over_ipv6(mut self) -> Talk {
        self.is_v6 = true;
        self
    }

    /// One segment from this side.
    pub fn send(&mut self, from: usize, flags: u8, content: &[u8]) {
        let to = 1 - from;
        let mut tcp = Vec::new();
        tcp.extend(self.ports[from].to_be_bytes());
        tcp.extend(self.ports[to].to_be_bytes());
        tcp.extend(self.sequence[from].to_be_bytes());
        let acknowledged = if flags & ACK != 0 {
            self.sequence[to]
        } else {
            0
        };
        tcp.extend(acknowledged.to_be_bytes());
        tcp.extend([0x50, flags, 0xff, 0xff, 0, 0, 0, 0]);
        tcp.extend(content);
        let more = content.len() as u32 + u32::from(flags & (SYN | FIN) != 0);
        self.sequence[from] = self.sequence[from].wrapping_add(more);
        let bytes = self.ip(from, &tcp);
        self.number = self.number.wrapping_add(1);
        let at_us = self.at_us;
        self.packets.push(Sent { at_us, bytes });
    }

    fn ip(&self, from: usize, tcp: &[u8]) -> Vec<u8> {
        let mut ip = Vec::new();
        if self.is_v6 {
            ip.extend([0x60, 0, 0, 0]);
            // With one header of options before TCP.
            ip.extend((tcp.len() as u16 + 8).to_be_bytes());
            ip.extend([0, 64]);
            for side in [from, 1 - from] {
                ip.extend([
                    0xfd,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    ADDRESSES[side],
                ]);
            }
            ip.extend([6, 0, 1, 4, 0, 0, 0, 0]);
        } else {
            ip.extend([0x45, 0]);
            ip.extend((tcp.len() as u16 + 20).to_be_bytes());
            ip.extend(self.number.to_be_bytes());
            ip.extend([0x40, 0, 64, 6, 0, 0]);
            for side in [from, 1 - from] {
                ip.extend([10, 0, 0, ADDRESSES[side]]);
            }
        }
        ip.extend(tcp);
        ip
    }

    /// Content in segments of at most this many bytes, all at the same time.
    pub fn say(&mut self, from: usize, content: &[u8], segment_bytes: usize) {
        for part in content.chunks(segment_bytes) {
            self.send(from, ACK, part);
        }
    }

    /// A read of `bytes` at `offset` that is answered after `service_us`.
    pub fn read(&mut self, message: u64, offset: u64, bytes: u32, service_us: u64) {
        self.say(CLIENT, &framed(&read_request(message, offset, bytes)), 1460);
        self.at_us += service_us;
        self.say(SERVER, &framed(&read_answer(message, 0, bytes)), 1460);
    }
}

/// A header of SMB 2 for a command of session 5, with 3 credits.
pub fn header(code: u16, message: u64, is_response: bool, status: u32) -> Vec<u8> {
    let mut header = b"\xfeSMB\x40\0\x01\0".to_vec();
    header.extend(status.to_le_bytes());
    header.extend(code.to_le_bytes());
    header.extend([3, 0, u8::from(is_response), 0, 0, 0, 0, 0, 0, 0]);
    header.extend(message.to_le_bytes());
    header.extend([0; 8]);
    header.extend([5, 0, 0, 0, 0, 0, 0, 0]);
    header.extend([0; 16]);
    header
}

pub fn read_request(message: u64, offset: u64, bytes: u32) -> Vec<u8> {
    let mut request = header(8, message, false, 0);
    request.extend([49, 0, 0x50, 0]);
    request.extend(bytes.to_le_bytes());
    request.extend(offset.to_le_bytes());
    request.extend([7, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0]);
    request.extend([0; 17]);
    request
}

/// Its content holds what looks like the beginning of a message, once.
pub fn read_answer(message: u64, status: u32, bytes: u32) -> Vec<u8> {
    let mut answer = header(8, message, true, status);
    if status != 0 {
        answer.extend([9, 0, 0, 0, 0, 0, 0, 0, 0]);
        return answer;
    }
    answer.extend([17, 0, 0x50, 0]);
    answer.extend(bytes.to_le_bytes());
    answer.extend([0; 8]);
    answer.extend((0..bytes).map(|at| (at % 251) as u8));
    answer
}

/// With its length before it.
pub fn framed(message: &[u8]) -> Vec<u8> {
    let mut framed = (message.len() as u32).to_be_bytes().to_vec();
    framed.extend(message);
    framed
}

/// Several commands as one message.
pub fn compound(commands: &[Vec<u8>]) -> Vec<u8> {
    let mut complete = Vec::new();
    for (position, command) in commands.iter().enumerate() {
        let mut command = command.clone();
        if position + 1 < commands.len() {
            command.resize(command.len().next_multiple_of(8), 0);
            let next = command.len() as u32;
            command[20..24].copy_from_slice(&next.to_le_bytes());
        }
        complete.extend(command);
    }
    complete
}

/// Puts the header of a link before each packet.
pub fn on_link(packets: &[Sent], link: u32) -> Vec<Sent> {
    let before = |ip: &[u8]| -> Vec<u8> {
        let kind: [u8; 2] = if ip[0] >> 4 == 4 {
            [8, 0]
        } else {
            [0x86, 0xdd]
        };
        match link {
            ETHERNET => [&[2; 12][..], &[0x81, 0, 0, 5], &kind].concat(),
            113 => [&[0; 14][..], &kind].concat(),
            276 => [&kind[..], &[0; 18]].concat(),
            0 => vec![2, 0, 0, 0],
            _ => Vec::new(),
        }
    };
    let packet = |sent: &Sent| Sent {
        at_us: sent.at_us,
        bytes: [before(&sent.bytes), sent.bytes.clone()].concat(),
    };
    packets.iter().map(packet).collect()
}

fn u32s(numbers: &[u32], is_big: bool) -> Vec<u8> {
    let bytes = |number: &u32| match is_big {
        true => number.to_be_bytes(),
        false => number.to_le_bytes(),
    };
    numbers.iter().flat_map(bytes).collect()
}

/// A pcap file with at most `snap` bytes of each packet.
pub fn pcap(packets: &[Sent], link: u32, is_big: bool, in_ns: bool, snap: usize) -> Vec<u8> {
    let magic = if in_ns { 0xa1b2_3c4d } else { 0xa1b2_c3d4 };
    // The two halves of the version are swapped for one of the orders, and read by nobody.
    let mut file = u32s(&[magic, 0x0002_0004, 0, 0, snap as u32, link], is_big);
    for packet in packets {
        let at_ns = BEGIN_NS + packet.at_us * 1000;
        let stored = packet.bytes.len().min(snap);
        let unit = if in_ns { 1 } else { 1000 };
        let fraction = (at_ns % 1_000_000_000 / unit) as u32;
        let head = [
            (at_ns / 1_000_000_000) as u32,
            fraction,
            stored as u32,
            packet.bytes.len() as u32,
        ];
        file.extend(u32s(&head, is_big));
        file.extend(&packet.bytes[..stored]);
    }
    file
}

/// A pcapng file of one section whose second interface has seen the packets, with times in units of 2^-20 s, and which says that 3 were dropped.
pub fn pcapng(packets: &[Sent], link: u32, is_big: bool) -> Vec<u8> {
    let block = |kind: u32, body: &[u8]| {
        let length = (body.len() as u32).next_multiple_of(4) + 12;
        let mut block = u32s(&[kind, length], is_big);
        block.extend(body);
        block.resize(length as usize - 4, 0);
        block.extend(u32s(&[length], is_big));
        block
    };
    let short = |number: u16| match is_big {
        true => number.to_be_bytes(),
        false => number.to_le_bytes(),
    };
    let interface = |link: u32, resolution: u8| {
        let option = [short(9), short(1), [resolution, 0], [0, 0]].concat();
        [
            &short(link as u16)[..],
            &[0, 0, 0, 0, 0, 0],
            &option,
            &[0; 4],
        ]
        .concat()
    };
    let mut file = block(
        0x0a0d_0d0a,
        &u32s(&[0x1a2b_3c4d, 1, u32::MAX, u32::MAX], is_big),
    );
    file.extend(block(1, &interface(147, 6)));
    file.extend(block(1, &interface(link, 0x80 | 20)));
    // A block that nobody knows.
    file.extend(block(0xbad, &[1, 2, 3]));
    for packet in packets {
        let at_ns = u128::from(BEGIN_NS + packet.at_us * 1000);
        let units = (at_ns * (1 << 20)).div_ceil(1_000_000_000) as u64;
        let length = packet.bytes.len() as u32;
        let head = [1, (units >> 32) as u32, units as u32, length, length];
        file.extend(block(
            6,
            &[u32s(&head, is_big), packet.bytes.clone()].concat(),
        ));
    }
    let dropped = [
        &short(5)[..],
        &short(8),
        &u32s(if is_big { &[0, 3] } else { &[3, 0] }, is_big),
    ];
    file.extend(block(
        5,
        &[u32s(&[1, 0, 0], is_big), dropped.concat()].concat(),
    ));
    file
}
