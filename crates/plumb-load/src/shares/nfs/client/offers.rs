//! What does a server report of itself? Its exports, security flavors, and that it responds.

use plumb_model::workload::NfsVersion;

use super::Client;
use crate::shares::nfs::results::Failure;

impl Client {
    /// The exports that the server shows; empty: it shows none.
    ///
    /// # Errors
    /// As for [`Client::walk`].
    pub fn exports(&mut self) -> Result<Vec<String>, Failure> {
        if self.version() == NfsVersion::V3 {
            Ok(self.exports.clone())
        } else {
            self.exports_4()
        }
    }

    /// Security flavors of the export, by their RPC numbers; empty: not reported by the server.
    ///
    /// # Errors
    /// As for [`Client::walk`].
    pub fn flavors(&mut self) -> Result<Vec<u32>, Failure> {
        match self.version() {
            NfsVersion::V3 => Ok(self.flavors.clone()),
            NfsVersion::V40 => self.flavors_4_0(),
            _ => self.flavors_4(),
        }
    }

    /// The smallest request.
    ///
    /// # Errors
    /// As for [`Client::walk`].
    pub fn nothing(&mut self) -> Result<(), Failure> {
        match self.version() {
            NfsVersion::V3 => self.nothing_3(),
            NfsVersion::V40 => self.nothing_4_0(),
            _ => self.nothing_4(),
        }
    }
}
