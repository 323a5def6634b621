//! At which address does a server listen? One address of this host, or all of them, with or without a port.

/// The address to listen on, as the user writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListenAt {
    /// `None`: every address of this host.
    pub address: Option<std::net::IpAddr>,
    /// `None`: the default port.
    pub port: Option<u16>,
}

impl std::str::FromStr for ListenAt {
    type Err = String;

    fn from_str(text: &str) -> Result<ListenAt, String> {
        let bare = text
            .strip_prefix('[')
            .and_then(|text| text.strip_suffix(']'))
            .unwrap_or(text);
        if let Ok(address) = bare.parse() {
            return Ok(ListenAt {
                address: Some(address),
                port: None,
            });
        }
        if let Ok(socket) = text.parse::<std::net::SocketAddr>() {
            return Ok(ListenAt {
                address: Some(socket.ip()),
                port: Some(socket.port()),
            });
        }
        let port = match text.strip_prefix("any") {
            Some("") => None,
            Some(rest) => Some(
                rest.strip_prefix(':')
                    .and_then(|port| port.parse().ok())
                    .ok_or_else(not_listened_at)?,
            ),
            None => return Err(not_listened_at()),
        };
        Ok(ListenAt {
            address: None,
            port,
        })
    }
}

fn not_listened_at() -> String {
    "write an IP address of this host, such as 10.0.0.5 or [fd00::5], or any for all of them, with or without a port, such as any:7000 (names are not resolved)".into()
}
