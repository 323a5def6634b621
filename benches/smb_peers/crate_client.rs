//! What does the client of the crate `smb2` reach? One piece of work per process.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use plumb_load::system;

use crate::samba::PASSWORD;

/// Small files of one piece of work, and bytes of each.
pub const FILES: u64 = 1000;
pub const FILE_BYTES: u32 = 4096;

/// A connection to the bench's server, and what to do there.
pub struct CrateClient {
    work: String,
    port: u16,
    user: String,
    share: PathBuf,
    bytes: u64,
}

/// This process's work, if it was started as such a client.
pub fn from_words() -> Option<CrateClient> {
    let word = |name: &str| {
        std::env::args().find_map(|word| word.strip_prefix(&format!("{name}=")).map(str::to_string))
    };
    Some(CrateClient {
        work: word("client")?,
        port: word("port")?.parse().ok()?,
        user: word("user")?,
        share: word("share")?.into(),
        bytes: word("bytes")?.parse().ok()?,
    })
}

fn cpu_s() -> f64 {
    system::thread_account().map_or(f64::NAN, |account| {
        (account.user_ns + account.system_ns) as f64 / 1e9
    })
}

impl CrateClient {
    /// MB/s or operations per second, and CPU seconds for each GiB (NaN for operations on files).
    pub fn measure(&self) -> String {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("runtime");
        let (rate, cpu_s_per_gib) = runtime.block_on(async {
            match self.work.as_str() {
                "read" => self.read().await,
                "write" => self.write(false).await,
                "write-over" => self.write(true).await,
                _ => (self.files().await, f64::NAN),
            }
        });
        format!("{rate} {cpu_s_per_gib}")
    }

    fn figure(&self, begun: Instant, cpu_s: f64) -> (f64, f64) {
        (
            self.bytes as f64 / 1e6 / begun.elapsed().as_secs_f64(),
            cpu_s / (self.bytes as f64 / f64::from(1 << 30)),
        )
    }

    async fn client(&self) -> (smb2::SmbClient, smb2::Tree) {
        let mut client = smb2::connect(&format!("127.0.0.1:{}", self.port), &self.user, PASSWORD)
            .await
            .expect("smb2");
        let tree = client.connect_share("share").await.expect("share");
        (client, tree)
    }

    async fn read(&self) -> (f64, f64) {
        let (mut client, tree) = self.client().await;
        let reader = Arc::new(client.open_file_reader(&tree, "file").await.expect("file"));
        let (begun, before) = (Instant::now(), cpu_s());
        let mut tasks = tokio::task::JoinSet::new();
        for task in 0..8u64 {
            let (reader, bytes) = (reader.clone(), self.bytes);
            tasks.spawn(async move {
                for place in (task..bytes >> 20).step_by(8) {
                    assert_eq!(
                        reader
                            .read_at(place << 20, 1 << 20)
                            .await
                            .expect("read")
                            .len(),
                        1 << 20
                    );
                }
            });
        }
        tasks.join_all().await;
        self.figure(begun, cpu_s() - before)
    }

    /// Into a new file, or over the one that is there.
    async fn write(&self, over: bool) -> (f64, f64) {
        let (mut client, tree) = self.client().await;
        let writer = if over {
            client.create_file_writer_at(&tree, "file", 0).await
        } else {
            client.create_file_writer(&tree, "written").await
        };
        let mut writer = writer.expect("file");
        let block = vec![7; 1 << 20];
        let (begun, before) = (Instant::now(), cpu_s());
        for _ in 0..self.bytes >> 20 {
            writer.write_chunk(&block).await.expect("write");
        }
        writer.finish().await.expect("finish");
        let figure = self.figure(begun, cpu_s() - before);
        let _ = std::fs::remove_file(self.share.join("written"));
        figure
    }

    /// Files per second at depth 8.
    async fn files(&self) -> f64 {
        let folder = self.share.join("small");
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir(&folder).expect("folder");
        if self.work != "create" {
            (0..FILES).for_each(|number| {
                std::fs::write(folder.join(number.to_string()), [7; FILE_BYTES as usize])
                    .expect("file")
            });
        }
        let (mut client, tree) = self.client().await;
        let (connection, tree) = (client.connection_mut().clone(), Arc::new(tree));
        let begun = Instant::now();
        let mut tasks = tokio::task::JoinSet::new();
        for task in 0..8u64 {
            let (mut connection, tree, work) =
                (connection.clone(), tree.clone(), self.work.clone());
            tasks.spawn(async move {
                for number in (task..FILES).step_by(8) {
                    let path = format!("small/{number}");
                    match work.as_str() {
                        "create" => {
                            let _ = tree
                                .write_file_compound(
                                    &mut connection,
                                    &path,
                                    &[7; FILE_BYTES as usize],
                                )
                                .await
                                .expect("create");
                        }
                        "stat" => drop(tree.stat(&mut connection, &path).await.expect("stat")),
                        _ => tree
                            .delete_file(&mut connection, &path)
                            .await
                            .expect("delete"),
                    }
                }
            });
        }
        tasks.join_all().await;
        let rate = FILES as f64 / begun.elapsed().as_secs_f64();
        std::fs::remove_dir_all(&folder).expect("removed");
        rate
    }
}
