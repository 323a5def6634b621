//! How does NFS 3 (RFC 1813) differ from NFS 4? One procedure for each request, no session, nothing open; the export is found by MOUNT.

pub mod calls;
pub mod mount;
pub mod replies;
