//! What was agreed with the provider?

use super::super::bindings::{FI_TYPE_MR_MODE, FI_TYPE_PROTOCOL};
use super::super::library::text;
use super::Endpoint;

impl Endpoint {
    /// Rules of registering memory, in the library's words.
    fn memory_rules(&self) -> String {
        match self.memory_mode() {
            0 => "none".into(),
            mode => self
                .library
                .name_of(&mode, FI_TYPE_MR_MODE)
                .unwrap_or_else(|| format!("{mode:#x}")),
        }
    }

    /// What was agreed with the provider, for the record.
    pub fn description(&self) -> Vec<(&'static str, String)> {
        let info = self.info();
        // SAFETY: an offer has all its parts, and its texts end with zeros or are null.
        let (fabric, domain, protocol, version) = unsafe {
            let fabric = &*info.fabric_attr;
            (
                text(fabric.name),
                text((*info.domain_attr).name),
                (*info.ep_attr).protocol,
                fabric.prov_version,
            )
        };
        let message_max = Some(self.message_bytes_max()).filter(|max| *max < isize::MAX as usize);
        let mut description = vec![
            ("provider", self.provider()),
            (
                "provider_version",
                format!("{}.{}", version >> 16, version & 0xffff),
            ),
            ("library", format!("libfabric {}", self.library.version())),
            ("fabric", fabric.unwrap_or_default()),
            ("domain", domain.unwrap_or_default()),
            (
                "protocol",
                self.library
                    .name_of(&protocol, FI_TYPE_PROTOCOL)
                    .unwrap_or_else(|| protocol.to_string()),
            ),
            ("mr_mode", self.memory_rules()),
            (
                "message_max_bytes",
                message_max.map_or_else(|| "unlimited".into(), |max| max.to_string()),
            ),
            ("outstanding_max", self.outstanding_max().to_string()),
            (
                "completion",
                "delivery: sends and writes are done when the peer has the data".into(),
            ),
            (
                "waiting",
                if self.polling {
                    "polls"
                } else {
                    "blocks in the kernel"
                }
                .into(),
            ),
        ];
        description.retain(|(_, value)| !value.is_empty());
        description
    }
}
