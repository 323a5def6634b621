//! How does libfabric lay out what passes between it and its users? The parts of its interface 1.x that plumb uses, declared from its manual pages.

// The names are libfabric's own (fabric(7), fi_getinfo(3), fi_endpoint(3), fi_cq(3), fi_mr(3), fi_rma(3), fi_tagged(3)); its structures only ever grow at
// their ends, so that what is declared here stays where it is. Reserved fields are functions that plumb does not call.

use std::ffi::{c_char, c_int, c_void};

/// The newest API version that plumb supports; an older library is used with its own.
pub const API_VERSION: u32 = version(1, 17);

/// A version as libfabric writes it.
pub const fn version(major: u32, minor: u32) -> u32 {
    major << 16 | minor
}

pub const FI_MSG: u64 = 1 << 1;
pub const FI_RMA: u64 = 1 << 2;
pub const FI_TAGGED: u64 = 1 << 3;
pub const FI_READ: u64 = 1 << 8;
pub const FI_WRITE: u64 = 1 << 9;
pub const FI_RECV: u64 = 1 << 10;
pub const FI_TRANSMIT: u64 = 1 << 11;
pub const FI_REMOTE_READ: u64 = 1 << 12;
pub const FI_REMOTE_WRITE: u64 = 1 << 13;
pub const FI_COMPLETION: u64 = 1 << 24;
/// Done when the buffer may be used again.
pub const FI_INJECT_COMPLETE: u64 = 1 << 26;
/// Done when the peer has the data.
pub const FI_DELIVERY_COMPLETE: u64 = 1 << 28;
pub const FI_NUMERICHOST: u64 = 1 << 55;
pub const FI_SOURCE: u64 = 1 << 57;
/// Modes: each operation comes with room for the provider's own notes.
pub const FI_CONTEXT: u64 = 1 << 59;
pub const FI_CONTEXT2: u64 = 1 << 52;

/// Memory that only this side uses must be registered too.
pub const FI_MR_LOCAL: c_int = 1 << 2;
/// Remote memory is named by its address there, not by its offset.
pub const FI_MR_VIRT_ADDR: c_int = 1 << 4;
pub const FI_MR_ALLOCATED: c_int = 1 << 5;
/// The provider chooses the key.
pub const FI_MR_PROV_KEY: c_int = 1 << 6;
/// Memory is bound to an endpoint and enabled.
pub const FI_MR_ENDPOINT: c_int = 1 << 9;

pub const FI_EP_RDM: c_int = 3;
pub const FI_AV_TABLE: c_int = 2;
pub const FI_THREAD_DOMAIN: c_int = 3;
pub const FI_WAIT_NONE: c_int = 0;
pub const FI_WAIT_UNSPEC: c_int = 1;
pub const FI_CQ_FORMAT_TAGGED: c_int = 4;
/// Command of `control`.
pub const FI_ENABLE: c_int = 6;
pub const FI_LINK_DOWN: c_int = 1;
pub const FI_LINK_UP: c_int = 2;
/// What `fi_tostr` is to show.
pub const FI_TYPE_EP_TYPE: c_int = 1;
pub const FI_TYPE_PROTOCOL: c_int = 12;
pub const FI_TYPE_MR_MODE: c_int = 21;

/// Error numbers of libfabric are those of the system (below 256), and its own.
pub const FI_EAGAIN: isize = libc::EAGAIN as isize;
pub const FI_EINTR: isize = libc::EINTR as isize;
pub const FI_EAVAIL: isize = 259;

#[repr(C)]
pub struct Fid {
    pub class: usize,
    pub context: *mut c_void,
    pub ops: *const FidOps,
}

#[repr(C)]
pub struct FidOps {
    pub size: usize,
    pub close: Option<unsafe extern "C" fn(*mut Fid) -> c_int>,
    pub bind: Option<unsafe extern "C" fn(*mut Fid, *mut Fid, u64) -> c_int>,
    pub control: Option<unsafe extern "C" fn(*mut Fid, c_int, *mut c_void) -> c_int>,
    pub reserved: [*const c_void; 3],
}

#[repr(C)]
pub struct TransmitAttributes {
    pub caps: u64,
    pub mode: u64,
    pub op_flags: u64,
    pub msg_order: u64,
    pub comp_order: u64,
    pub inject_size: usize,
    pub size: usize,
    pub iov_limit: usize,
    pub rma_iov_limit: usize,
    pub tclass: u32,
}

#[repr(C)]
pub struct ReceiveAttributes {
    pub caps: u64,
    pub mode: u64,
    pub op_flags: u64,
    pub msg_order: u64,
    pub comp_order: u64,
    pub total_buffered_recv: usize,
    pub size: usize,
    pub iov_limit: usize,
}

#[repr(C)]
pub struct EndpointAttributes {
    pub kind: c_int,
    pub protocol: u32,
    pub protocol_version: u32,
    pub max_msg_size: usize,
    pub msg_prefix_size: usize,
    pub max_order_raw_size: usize,
    pub max_order_war_size: usize,
    pub max_order_waw_size: usize,
    pub mem_tag_format: u64,
    pub tx_ctx_cnt: usize,
    pub rx_ctx_cnt: usize,
    pub auth_key_size: usize,
    pub auth_key: *mut u8,
}

#[repr(C)]
pub struct DomainAttributes {
    pub domain: *mut DomainFid,
    pub name: *mut c_char,
    pub threading: c_int,
    pub control_progress: c_int,
    pub data_progress: c_int,
    pub resource_mgmt: c_int,
    pub av_type: c_int,
    pub mr_mode: c_int,
}

#[repr(C)]
pub struct FabricAttributes {
    pub fabric: *mut FabricFid,
    pub name: *mut c_char,
    pub prov_name: *mut c_char,
    pub prov_version: u32,
    pub api_version: u32,
}

/// What a provider offers, or what is requested of it; created and freed by the library.
#[repr(C)]
pub struct Offer {
    pub next: *mut Offer,
    pub caps: u64,
    pub mode: u64,
    pub addr_format: u32,
    pub src_addrlen: usize,
    pub dest_addrlen: usize,
    pub src_addr: *mut c_void,
    pub dest_addr: *mut c_void,
    pub handle: *mut Fid,
    pub tx_attr: *mut TransmitAttributes,
    pub rx_attr: *mut ReceiveAttributes,
    pub ep_attr: *mut EndpointAttributes,
    pub domain_attr: *mut DomainAttributes,
    pub fabric_attr: *mut FabricAttributes,
    pub nic: *mut NicFid,
}

#[repr(C)]
pub struct NicFid {
    pub fid: Fid,
    pub device_attr: *mut DeviceAttributes,
    pub bus_attr: *mut c_void,
    pub link_attr: *mut LinkAttributes,
}

#[repr(C)]
pub struct DeviceAttributes {
    pub name: *mut c_char,
    pub device_id: *mut c_char,
    pub device_version: *mut c_char,
    pub vendor_id: *mut c_char,
    pub driver: *mut c_char,
    pub firmware: *mut c_char,
}

#[repr(C)]
pub struct LinkAttributes {
    pub address: *mut c_char,
    pub mtu: usize,
    pub speed: usize,
    pub state: c_int,
    pub network_type: *mut c_char,
}

#[repr(C)]
pub struct FabricFid {
    pub fid: Fid,
    pub ops: *const FabricOps,
}

#[repr(C)]
pub struct FabricOps {
    pub size: usize,
    pub domain: Option<
        unsafe extern "C" fn(*mut FabricFid, *mut Offer, *mut *mut DomainFid, *mut c_void) -> c_int,
    >,
}

#[repr(C)]
pub struct DomainFid {
    pub fid: Fid,
    pub ops: *const DomainOps,
    pub mr: *const MemoryOps,
}

#[repr(C)]
pub struct DomainOps {
    pub size: usize,
    pub av_open: Option<
        unsafe extern "C" fn(
            *mut DomainFid,
            *mut AddressAttributes,
            *mut *mut AddressFid,
            *mut c_void,
        ) -> c_int,
    >,
    pub cq_open: Option<
        unsafe extern "C" fn(
            *mut DomainFid,
            *mut QueueAttributes,
            *mut *mut QueueFid,
            *mut c_void,
        ) -> c_int,
    >,
    pub endpoint: Option<
        unsafe extern "C" fn(
            *mut DomainFid,
            *mut Offer,
            *mut *mut EndpointFid,
            *mut c_void,
        ) -> c_int,
    >,
}

#[repr(C)]
pub struct MemoryOps {
    pub size: usize,
    #[allow(clippy::type_complexity, reason = "the signature is libfabric's")]
    pub reg: Option<
        unsafe extern "C" fn(
            *mut Fid,
            *const c_void,
            usize,
            u64,
            u64,
            u64,
            u64,
            *mut *mut MemoryFid,
            *mut c_void,
        ) -> c_int,
    >,
}

#[repr(C)]
pub struct MemoryFid {
    pub fid: Fid,
    pub mem_desc: *mut c_void,
    pub key: u64,
}

#[repr(C)]
pub struct AddressAttributes {
    pub kind: c_int,
    pub rx_ctx_bits: c_int,
    pub count: usize,
    pub ep_per_node: usize,
    pub name: *const c_char,
    pub map_addr: *mut c_void,
    pub flags: u64,
}

#[repr(C)]
pub struct AddressFid {
    pub fid: Fid,
    pub ops: *const AddressOps,
}

#[repr(C)]
pub struct AddressOps {
    pub size: usize,
    pub insert: Option<
        unsafe extern "C" fn(
            *mut AddressFid,
            *const c_void,
            usize,
            *mut u64,
            u64,
            *mut c_void,
        ) -> c_int,
    >,
}

#[repr(C)]
pub struct QueueAttributes {
    pub size: usize,
    pub flags: u64,
    pub format: c_int,
    pub wait_obj: c_int,
    pub signaling_vector: c_int,
    pub wait_cond: c_int,
    pub wait_set: *mut c_void,
}

#[repr(C)]
pub struct QueueFid {
    pub fid: Fid,
    pub ops: *const QueueOps,
}

#[repr(C)]
pub struct QueueOps {
    pub size: usize,
    pub read: Option<unsafe extern "C" fn(*mut QueueFid, *mut c_void, usize) -> isize>,
    pub readfrom: *const c_void,
    pub readerr: Option<unsafe extern "C" fn(*mut QueueFid, *mut QueueError, u64) -> isize>,
    pub sread: Option<
        unsafe extern "C" fn(*mut QueueFid, *mut c_void, usize, *const c_void, c_int) -> isize,
    >,
}

/// A completion.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct QueueEntry {
    pub op_context: *mut c_void,
    pub flags: u64,
    pub len: usize,
    pub buf: *mut c_void,
    pub data: u64,
    pub tag: u64,
}

/// A completion with an error.
#[repr(C)]
pub struct QueueError {
    pub entry: QueueEntry,
    pub olen: usize,
    pub err: c_int,
    pub prov_errno: c_int,
    pub err_data: *mut c_void,
    pub err_data_size: usize,
    /// For fields that a newer library may write.
    pub room: [u64; 4],
}

#[repr(C)]
pub struct EndpointFid {
    pub fid: Fid,
    pub ops: *const c_void,
    pub cm: *const ConnectionOps,
    pub msg: *const c_void,
    pub rma: *const RemoteMemoryOps,
    pub tagged: *const TaggedOps,
}

#[repr(C)]
pub struct ConnectionOps {
    pub size: usize,
    pub setname: *const c_void,
    pub getname: Option<unsafe extern "C" fn(*mut Fid, *mut c_void, *mut usize) -> c_int>,
}

/// Endpoint, buffer, length, descriptor, peer, address or offset there, key, context.
pub type RemoteMemoryCall = Option<
    unsafe extern "C" fn(
        *mut EndpointFid,
        *mut c_void,
        usize,
        *mut c_void,
        u64,
        u64,
        u64,
        *mut c_void,
    ) -> isize,
>;

#[repr(C)]
pub struct RemoteMemoryOps {
    pub size: usize,
    pub read: RemoteMemoryCall,
    pub readv: *const c_void,
    pub readmsg: *const c_void,
    pub write: RemoteMemoryCall,
    pub writev: *const c_void,
    pub writemsg:
        Option<unsafe extern "C" fn(*mut EndpointFid, *const RemoteMemoryMessage, u64) -> isize>,
}

/// What `writemsg` is to write, and where (`struct fi_msg_rma`).
#[repr(C)]
pub struct RemoteMemoryMessage {
    pub msg_iov: *const LocalRange,
    pub desc: *const *mut c_void,
    pub iov_count: usize,
    pub addr: u64,
    pub rma_iov: *const RemoteRange,
    pub rma_iov_count: usize,
    pub context: *mut c_void,
    pub data: u64,
}

/// `struct iovec`, which libfabric declares where the system has none.
#[repr(C)]
pub struct LocalRange {
    pub start: *mut c_void,
    pub len: usize,
}

/// `struct fi_rma_iov`.
#[repr(C)]
pub struct RemoteRange {
    pub addr: u64,
    pub len: usize,
    pub key: u64,
}

#[repr(C)]
pub struct TaggedOps {
    pub size: usize,
    /// Endpoint, buffer, length, descriptor, peer, tag, bits of the tag to ignore, context.
    pub recv: Option<
        unsafe extern "C" fn(
            *mut EndpointFid,
            *mut c_void,
            usize,
            *mut c_void,
            u64,
            u64,
            u64,
            *mut c_void,
        ) -> isize,
    >,
    pub recvv: *const c_void,
    pub recvmsg: *const c_void,
    /// Endpoint, buffer, length, descriptor, peer, tag, context.
    pub send: Option<
        unsafe extern "C" fn(
            *mut EndpointFid,
            *const c_void,
            usize,
            *mut c_void,
            u64,
            u64,
            *mut c_void,
        ) -> isize,
    >,
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;

    /// Places as the C compiler gives them for the headers of libfabric 1.17 on 64-bit systems.
    #[test]
    #[cfg(target_pointer_width = "64")]
    fn fields_lie_where_the_library_has_them() {
        assert_eq!(
            (
                size_of::<Offer>(),
                offset_of!(Offer, src_addr),
                offset_of!(Offer, nic)
            ),
            (120, 48, 112)
        );
        assert_eq!(
            (
                size_of::<TransmitAttributes>(),
                offset_of!(TransmitAttributes, size)
            ),
            (80, 48)
        );
        assert_eq!(
            (
                size_of::<ReceiveAttributes>(),
                size_of::<EndpointAttributes>()
            ),
            (64, 96)
        );
        assert_eq!(offset_of!(EndpointAttributes, max_msg_size), 16);
        assert_eq!(offset_of!(DomainAttributes, mr_mode), 36);
        assert_eq!(
            (
                size_of::<FabricAttributes>(),
                offset_of!(FabricAttributes, prov_version)
            ),
            (32, 24)
        );
        assert_eq!(
            (
                size_of::<DeviceAttributes>(),
                size_of::<LinkAttributes>(),
                offset_of!(LinkAttributes, state)
            ),
            (48, 40, 24)
        );
        assert_eq!(
            (
                size_of::<FidOps>(),
                size_of::<DomainFid>(),
                offset_of!(DomainOps, endpoint)
            ),
            (56, 40, 24)
        );
        assert_eq!(
            (
                size_of::<QueueAttributes>(),
                offset_of!(QueueAttributes, wait_obj),
                offset_of!(QueueOps, sread)
            ),
            (40, 20, 32)
        );
        assert_eq!(
            (
                size_of::<AddressAttributes>(),
                offset_of!(AddressAttributes, count)
            ),
            (48, 8)
        );
        assert_eq!(
            (
                size_of::<QueueEntry>(),
                offset_of!(QueueError, err),
                offset_of!(QueueError, room)
            ),
            (48, 56, 80)
        );
        assert_eq!(
            (
                offset_of!(EndpointFid, rma),
                offset_of!(EndpointFid, tagged)
            ),
            (48, 56)
        );
        assert_eq!(
            (
                offset_of!(TaggedOps, send),
                offset_of!(RemoteMemoryOps, write),
                offset_of!(ConnectionOps, getname)
            ),
            (32, 32, 16)
        );
        assert_eq!(
            (
                offset_of!(RemoteMemoryOps, writemsg),
                size_of::<RemoteMemoryMessage>(),
                size_of::<RemoteRange>()
            ),
            (48, 64, 24)
        );
        assert_eq!(
            (
                offset_of!(RemoteMemoryMessage, addr),
                offset_of!(RemoteMemoryMessage, context)
            ),
            (24, 48)
        );
        assert_eq!(
            (size_of::<MemoryFid>(), offset_of!(MemoryFid, key)),
            (40, 32)
        );
    }
}
