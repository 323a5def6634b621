//! Does the client get along with a server that has nothing of Samba's? With that of the crate smb-server, in this process.

use std::net::SocketAddr;

use plumb_load::share::ShareErrorKind;
use plumb_load::shares;
use plumb_model::workload::{Dialect, EngineChoice, Protection};
use smb_server::{Access, LocalFsBackend, Share, ShutdownHandle, SmbServer, SmbServerBuilder};

use crate::bench::{
    BLOCK, BLOCKS, Bench, buffers, byte_at, close, connect, is_kind, read_blocks, remote,
    write_blocks,
};
use crate::samba::PASSWORD;

/// A server with one share and one user, whose name is none for an address by itself. Ends when dropped.
struct Server {
    address: SocketAddr,
    folder: tempfile::TempDir,
    shutdown: ShutdownHandle,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Server {
    fn start(
        settings: impl FnOnce(SmbServerBuilder) -> SmbServerBuilder + Send + 'static,
    ) -> Server {
        let folder = tempfile::tempdir().expect("a folder");
        let files = LocalFsBackend::new(folder.path()).expect("a folder");
        let (told, heard) = std::sync::mpsc::channel();
        let serve = move || {
            let user = "j@corp.example";
            let share = Share::new("share", files).user(user, Access::ReadWrite);
            let builder = SmbServer::builder()
                .listen(([127, 0, 0, 1], 0).into())
                .user(user, PASSWORD)
                .share(share);
            let server = settings(builder).build().expect("a server");
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(1)
                .enable_all()
                .build()
                .expect("a runtime");
            runtime.block_on(async {
                let address = server.bind().await.expect("a port");
                told.send((address, server.shutdown_handle()))
                    .expect("heard");
                server.serve().await.expect("served");
            });
        };
        let thread = std::thread::spawn(serve);
        let (address, shutdown) = heard.recv().expect("it serves");
        Server {
            address,
            folder,
            shutdown,
            thread: Some(thread),
        }
    }

    fn address(&self, path: &str) -> String {
        format!("smb://WORKGROUP;j%40corp.example@{}/{path}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shutdown.shutdown();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Blocks are written and read back completely with these options; returns what was negotiated.
fn measured(server: &Server, choice: EngineChoice) -> std::collections::BTreeMap<String, String> {
    let file = server.folder.path().join("file");
    std::fs::write(&file, vec![0; (BLOCKS * u64::from(BLOCK)) as usize]).expect("a file");
    let mut buffers = buffers();
    let mut bench = Bench::new(&server.address("share"), "read:1,write:1", Some("file"));
    bench.choice = choice;
    let opened = bench.open(&buffers);
    let mut engine = opened.engine;
    write_blocks(engine.as_mut(), &mut buffers);
    read_blocks(engine.as_mut(), &mut buffers);
    close(engine);
    let written = std::fs::read(&file).expect("the file");
    let differs = written
        .iter()
        .zip(0..)
        .find(|(byte, offset)| **byte != byte_at(*offset));
    assert_eq!(differs, None);
    opened.connection
}

#[test]
fn every_dialect_carries_blocks_there_and_back() {
    let server = Server::start(|builder| builder);
    for (dialect, name) in [
        (Dialect::Auto, "3.1.1"),
        (Dialect::Smb202, "2.0.2"),
        (Dialect::Smb21, "2.1"),
        (Dialect::Smb30, "3.0"),
        (Dialect::Smb302, "3.0.2"),
    ] {
        let choice = EngineChoice {
            dialect,
            ..EngineChoice::default()
        };
        let agreed = measured(&server, choice);
        assert_eq!(agreed["dialect"], name);
        assert_eq!(agreed["authentication"], "NTLMv2");
    }
}

#[test]
fn what_it_demands_is_done() {
    let signed = Server::start(|builder| builder.require_signing(true));
    let agreed = measured(&signed, EngineChoice::default());
    assert_ne!(agreed["signing"], "none", "{agreed:?}");
    let sealed = Server::start(|builder| builder.encrypt_data(true));
    let agreed = measured(&sealed, EngineChoice::default());
    assert_ne!(agreed["encryption"], "none", "{agreed:?}");
    let choice = EngineChoice {
        encryption: Protection::Yes,
        ..EngineChoice::default()
    };
    let agreed = measured(&Server::start(|builder| builder), choice);
    assert_ne!(agreed["encryption"], "none", "{agreed:?}");
}

#[test]
fn a_wrong_password_is_refused_and_files_come_and_go() {
    let server = Server::start(|builder| builder);
    let wrong = plumb_load::secret::Secret::new("not the password");
    is_kind(
        shares::connect(
            &remote(&server.address("share")),
            Some(&wrong),
            &EngineChoice::default(),
        )
        .map(drop),
        ShareErrorKind::Denied,
        "password",
    );
    let share = connect(&server.address("share"), &EngineChoice::default()).expect("a share");
    share.lock().make_folder("a").expect("a folder");
    let content = b"some bytes".to_vec();
    let given = content.clone();
    share
        .lock()
        .write_file("a/f", true, 0, 10, &mut |at, piece| {
            piece.copy_from_slice(&given[at as usize..][..piece.len()]);
            true
        })
        .expect("written");
    assert_eq!(
        share.lock().read_file("a/f", 0, 100).expect("read"),
        content
    );
    let names: Vec<String> = share
        .lock()
        .list("a")
        .expect("listed")
        .into_iter()
        .map(|entry| entry.name)
        .collect();
    assert_eq!(names, ["f"]);
    share.remove_all("a").expect("removed");
    assert_eq!(share.lock().look_up("a").expect("looked"), None);
}
