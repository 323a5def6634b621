//! What does the BPF program do? It reserves a record, and fills in time, thread, and the path that the open which ends now was requested.

/// Bytes of a record: time, process and thread, length of the path with its 0, and the path.
pub const RECORD_BYTES: usize = 512;
pub const PATH_AT: usize = 24;
/// Most bytes of a path with its 0; one that fills them is cut.
pub const PATH_BYTES: usize = RECORD_BYTES - PATH_AT;

/// Where the kernel has what the program reads, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct PathOffsets {
    /// Pointer to the perf events of a task, in struct task_struct: NULL for tasks that none follows.
    pub events: i16,
    /// The register of the path's address, in struct pt_regs.
    pub path: i16,
}

/// Helpers by number (include/uapi/linux/bpf.h).
const KTIME_GET_NS: i32 = 5;
const GET_CURRENT_PID_TGID: i32 = 14;
const PROBE_READ_USER_STR: i32 = 114;
const RINGBUF_RESERVE: i32 = 131;
const RINGBUF_SUBMIT: i32 = 132;
const GET_CURRENT_TASK_BTF: i32 = 158;
const TASK_PT_REGS: i32 = 175;
/// Nobody waits to be woken.
const NO_WAKEUP: i32 = 1;

/// Operations: 64-bit, with a register or a number.
const MOVE: u8 = 0xbf;
const MOVE_NUMBER: u8 = 0xb7;
const ADD_NUMBER: u8 = 0x07;
const LOAD: u8 = 0x79;
const STORE: u8 = 0x7b;
const LOAD_MAP: u8 = 0x18;
const MAP_BY_DESCRIPTOR: u8 = 1;
const JUMP_IF_EQUAL: u8 = 0x15;
const CALL: u8 = 0x85;
const EXIT: u8 = 0x95;

/// One instruction as struct bpf_insn: operation, registers (source, then target), offset, number.
fn instruction(operation: u8, target: u8, source: u8, offset: i16, number: i32) -> [u8; 8] {
    let [low, high] = offset.to_ne_bytes();
    let [a, b, c, d] = number.to_ne_bytes();
    let registers = match cfg!(target_endian = "little") {
        true => source << 4 | target,
        false => target << 4 | source,
    };
    [operation, registers, low, high, a, b, c, d]
}

/// The program, for a ring with this descriptor.
pub fn program(ring: i32, positions: PathOffsets) -> Vec<[u8; 8]> {
    let call = |helper| instruction(CALL, 0, 0, 0, helper);
    let number = |target, value| instruction(MOVE_NUMBER, target, 0, 0, value);
    let copy = |target, source| instruction(MOVE, target, source, 0, 0);
    let keep = |at: i16| instruction(STORE, 7, 0, at, 0);
    // Filled in below: to the end, when the register is 0.
    let or_end = |register| instruction(JUMP_IF_EQUAL, register, 0, 0, 0);
    let mut code = vec![
        // Only tasks that are followed.
        call(GET_CURRENT_TASK_BTF),
        copy(8, 0),
        instruction(LOAD, 1, 0, positions.events, 0),
        or_end(1),
        // The address of the path.
        copy(1, 8),
        call(TASK_PT_REGS),
        or_end(0),
        instruction(LOAD, 6, 0, positions.path, 0),
        // A record.
        instruction(LOAD_MAP, 1, MAP_BY_DESCRIPTOR, 0, ring),
        instruction(0, 0, 0, 0, 0),
        number(2, RECORD_BYTES as i32),
        number(3, 0),
        call(RINGBUF_RESERVE),
        or_end(0),
        copy(7, 0),
        call(KTIME_GET_NS),
        keep(0),
        call(GET_CURRENT_PID_TGID),
        keep(8),
        copy(1, 7),
        instruction(ADD_NUMBER, 1, 0, 0, PATH_AT as i32),
        number(2, PATH_BYTES as i32),
        copy(3, 6),
        call(PROBE_READ_USER_STR),
        keep(16),
        copy(1, 7),
        number(2, NO_WAKEUP),
        call(RINGBUF_SUBMIT),
    ];
    let end = code.len();
    for (position, instruction) in code.iter_mut().enumerate() {
        if instruction[0] == JUMP_IF_EQUAL {
            let [low, high] = ((end - position - 1) as i16).to_ne_bytes();
            (instruction[2], instruction[3]) = (low, high);
        }
    }
    // Not 0, which would take the event from others that follow this tracepoint.
    code.extend([number(0, 1), instruction(EXIT, 0, 0, 0, 0)]);
    code
}
