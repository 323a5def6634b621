//! What is the kernel answered? What the nodes hold, unless a fault says otherwise.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use fuser::{
    BsdFileFlags, Errno, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo,
    InitFlags, KernelConfig, LockOwner, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData,
    ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyStatfs, ReplyWrite, Request, TimeOrNow,
    WriteFlags,
};

use super::Options;
use super::faults::{Call, Effect, Faults};
use super::nodes::{Node, Nodes, ROOT};

const TTL: Duration = Duration::from_secs(1);
/// Bytes of the largest read or write.
const LARGEST: u32 = 1 << 20;

/// The state of a mounted file system.
pub struct Served {
    options: Options,
    nodes: Mutex<Nodes>,
    faults: Mutex<Faults>,
    /// Held while a call is served that waits for its turn.
    server: Arc<Mutex<()>>,
    /// The slice that is filled: its length, its number since the begin, and calls of it.
    tokens: Mutex<(Duration, u64, u32)>,
    begun: Instant,
}

impl Served {
    pub fn new(options: Options) -> Served {
        Served {
            options,
            nodes: Mutex::new(Nodes::new()),
            faults: Mutex::default(),
            server: Arc::default(),
            tokens: Mutex::default(),
            begun: Instant::now(),
        }
    }

    pub fn nodes(&self) -> MutexGuard<'_, Nodes> {
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn faults(&self) -> MutexGuard<'_, Faults> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn release(&self) {
        let held = std::mem::take(&mut self.faults().held);
        for answer in held {
            answer();
        }
    }

    fn judge(&self, call: Call, number: u64, offset: u64, size: u32) -> Option<Effect> {
        let name = self.nodes().name(number);
        self.faults().judge(call, &name, offset, size)
    }

    /// How long a call waits for a slice of time with room.
    fn wait_for_token(&self, count: u32, slice: Duration) -> Duration {
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        let (elapsed_ns, slice_ns) = (self.begun.elapsed().as_nanos(), slice.as_nanos());
        let now = (elapsed_ns / slice_ns) as u64;
        if tokens.0 != slice || tokens.1 < now {
            *tokens = (slice, now, 0);
        }
        if tokens.2 >= count {
            *tokens = (slice, tokens.1 + 1, 0);
        }
        tokens.2 += 1;
        let begins_ns = u128::from(tokens.1) * slice_ns;
        Duration::from_nanos(begins_ns.saturating_sub(elapsed_ns) as u64)
    }

    /// Answers now, later, or when released.
    fn answer(&self, effect: Option<Effect>, answer: impl FnOnce() + Send + 'static) {
        match effect {
            Some(Effect::Delay(time)) => {
                std::thread::spawn(move || {
                    std::thread::sleep(time);
                    answer();
                });
            }
            Some(Effect::Serve(time)) => {
                let server = self.server.clone();
                std::thread::spawn(move || {
                    let at_work = server.lock().unwrap_or_else(PoisonError::into_inner);
                    std::thread::sleep(time);
                    drop(at_work);
                    answer();
                });
            }
            Some(Effect::Tokens(count, slice)) => {
                let time = self.wait_for_token(count, slice);
                self.answer(Some(Effect::Delay(time)), answer);
            }
            Some(Effect::Hang) => self.faults().held.push(Box::new(answer)),
            _ => answer(),
        }
    }

    /// For calls that end with nothing but success or failure: does `act` unless they are to fail.
    fn simple(
        &self,
        effect: Option<Effect>,
        reply: ReplyEmpty,
        act: impl FnOnce(&mut Nodes) -> Result<(), Errno>,
    ) {
        let outcome = match effect {
            Some(Effect::Error(errno)) => Err(Errno::from_i32(errno)),
            _ => act(&mut self.nodes()),
        };
        self.answer(effect, move || match outcome {
            Ok(()) => reply.ok(),
            Err(errno) => reply.error(errno),
        });
    }

    /// A new node below a parent, as the kernel wants it told.
    fn make(&self, parent: INodeNo, node: Node) -> Result<fuser::FileAttr, Errno> {
        let mut nodes = self.nodes();
        if nodes.child(parent.0, &node.name).is_some() {
            return Err(Errno::EEXIST);
        }
        let number = nodes.add(parent.0, node).ok_or(Errno::ENOENT)?;
        let node = nodes.get_mut(number).ok_or(Errno::EIO)?;
        node.lookups += 1;
        Ok(node.attributes(number))
    }

    fn flags(&self) -> FopenFlags {
        if self.options.always_direct {
            FopenFlags::FOPEN_DIRECT_IO | FopenFlags::FOPEN_PARALLEL_DIRECT_WRITES
        } else {
            FopenFlags::empty()
        }
    }

    fn refuses(&self, flags: i32) -> bool {
        self.options.refuse_direct && flags & libc::O_DIRECT != 0
    }

    /// Stores what of a write is to be stored; gives the bytes to tell.
    fn write(
        &self,
        number: u64,
        offset: u64,
        data: &[u8],
        effect: Option<&Effect>,
    ) -> Result<u32, Errno> {
        let mut nodes = self.nodes();
        let node = nodes.get_mut(number).ok_or(Errno::ENOENT)?;
        let whole = data.len();
        let (stored, told) = match effect {
            Some(Effect::Error(errno)) => return Err(Errno::from_i32(*errno)),
            Some(Effect::Short(most)) => (whole.min(*most as usize), whole.min(*most as usize)),
            Some(Effect::Lost) => (0, whole),
            Some(Effect::Torn(most)) => (whole.min(*most as usize), whole),
            Some(Effect::FailAtFsync(errno)) => {
                node.fails_at_fsync = Some(*errno);
                (0, whole)
            }
            _ => (whole, whole),
        };
        node.write(offset, &data[..stored]);
        // What counts as written belongs to the file.
        node.grow(offset + told as u64);
        Ok(told as u32)
    }
}

/// The state as fuser wants it.
pub struct Answers(pub Arc<Served>);

impl Filesystem for Answers {
    fn init(&mut self, _: &Request, config: &mut KernelConfig) -> io::Result<()> {
        let _ = config.set_max_write(LARGEST);
        let _ = config.set_max_background(256);
        let mut wanted = vec![
            InitFlags::FUSE_ASYNC_DIO,
            InitFlags::FUSE_ATOMIC_O_TRUNC,
            InitFlags::FUSE_PARALLEL_DIROPS,
        ];
        if self.0.options.write_back_cache {
            wanted.push(InitFlags::FUSE_WRITEBACK_CACHE);
        }
        for flag in wanted {
            let _ = config.add_capabilities(flag);
        }
        Ok(())
    }

    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let mut nodes = self.0.nodes();
        let found = nodes
            .child(parent.0, name)
            .and_then(|number| Some((number, nodes.get_mut(number)?)));
        let found = found.map(|(number, node)| {
            node.lookups += 1;
            node.attributes(number)
        });
        drop(nodes);
        let effect = self.0.judge(Call::Lookup, parent.0, 0, 0);
        self.0.answer(effect, move || match found {
            Some(attributes) => reply.entry(&TTL, &attributes, Generation(0)),
            None => reply.error(Errno::ENOENT),
        });
    }

    fn forget(&self, _: &Request, number: INodeNo, references: u64) {
        if number.0 != ROOT {
            self.0.nodes().forget(number.0, references);
        }
    }

    fn getattr(&self, _: &Request, number: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        let nodes = self.0.nodes();
        let found = nodes.get(number.0).map(|node| node.attributes(number.0));
        drop(nodes);
        let effect = self.0.judge(Call::Lookup, number.0, 0, 0);
        self.0.answer(effect, move || match found {
            Some(attributes) => reply.attr(&TTL, &attributes),
            None => reply.error(Errno::ENOENT),
        });
    }

    fn setattr(
        &self,
        _: &Request,
        number: INodeNo,
        mode: Option<u32>,
        uid: Option<u32>,
        gid: Option<u32>,
        size: Option<u64>,
        _: Option<TimeOrNow>,
        modified: Option<TimeOrNow>,
        _: Option<SystemTime>,
        _: Option<FileHandle>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let effect = self.0.judge(Call::SetAttributes, number.0, 0, 0);
        if let Some(Effect::Error(errno)) = effect {
            return reply.error(Errno::from_i32(errno));
        }
        let mut nodes = self.0.nodes();
        let Some(node) = nodes.get_mut(number.0) else {
            return reply.error(Errno::ENOENT);
        };
        node.mode = mode.map_or(node.mode, |mode| mode & 0o7777);
        node.uid = uid.unwrap_or(node.uid);
        node.gid = gid.unwrap_or(node.gid);
        if let Some(size) = size {
            node.truncate(size);
        }
        match modified {
            Some(TimeOrNow::SpecificTime(time)) => node.modified = time,
            Some(TimeOrNow::Now) => node.modified = SystemTime::now(),
            None => {}
        }
        let attributes = node.attributes(number.0);
        drop(nodes);
        self.0.answer(effect, move || reply.attr(&TTL, &attributes));
    }

    fn readlink(&self, _: &Request, number: INodeNo, reply: ReplyData) {
        use std::os::unix::ffi::OsStrExt;
        match self.0.nodes().get(number.0) {
            Some(node) => reply.data(node.link.as_os_str().as_bytes()),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn symlink(
        &self,
        request: &Request,
        parent: INodeNo,
        name: &OsStr,
        target: &Path,
        reply: ReplyEntry,
    ) {
        let mut node = Node::new(
            FileType::Symlink,
            name,
            0o777,
            (request.uid(), request.gid()),
        );
        node.link = target.into();
        match self.0.make(parent, node) {
            Ok(attributes) => reply.entry(&TTL, &attributes, Generation(0)),
            Err(errno) => reply.error(errno),
        }
    }

    fn mkdir(
        &self,
        request: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        umask: u32,
        reply: ReplyEntry,
    ) {
        let effect = self
            .0
            .faults()
            .judge(Call::MakeFolder, &name.to_string_lossy(), 0, 0);
        let made = match effect {
            Some(Effect::Error(errno)) => Err(Errno::from_i32(errno)),
            _ => self.0.make(
                parent,
                Node::new(
                    FileType::Directory,
                    name,
                    mode & !umask,
                    (request.uid(), request.gid()),
                ),
            ),
        };
        self.0.answer(effect, move || match made {
            Ok(attributes) => reply.entry(&TTL, &attributes, Generation(0)),
            Err(errno) => reply.error(errno),
        });
    }

    fn create(
        &self,
        request: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        umask: u32,
        flags: i32,
        reply: ReplyCreate,
    ) {
        let effect = self
            .0
            .faults()
            .judge(Call::Create, &name.to_string_lossy(), 0, 0);
        let mode = mode
            & if self.0.options.permissions_only {
                0o777
            } else {
                0o7777
            };
        let made = match effect {
            Some(Effect::Error(errno)) => Err(Errno::from_i32(errno)),
            _ if self.0.refuses(flags) => Err(Errno::EINVAL),
            _ => self.0.make(
                parent,
                Node::new(
                    FileType::RegularFile,
                    name,
                    mode & !umask,
                    (request.uid(), request.gid()),
                ),
            ),
        };
        let flags = self.0.flags();
        self.0.answer(effect, move || match made {
            Ok(attributes) => reply.created(&TTL, &attributes, Generation(0), FileHandle(0), flags),
            Err(errno) => reply.error(errno),
        });
    }

    fn open(&self, _: &Request, number: INodeNo, flags: OpenFlags, reply: ReplyOpen) {
        let effect = self.0.judge(Call::Open, number.0, 0, 0);
        let refused = match effect {
            Some(Effect::Error(errno)) => Some(Errno::from_i32(errno)),
            _ => self.0.refuses(flags.0).then_some(Errno::EINVAL),
        };
        if flags.0 & libc::O_TRUNC != 0
            && refused.is_none()
            && let Some(node) = self.0.nodes().get_mut(number.0)
        {
            node.truncate(0);
        }
        let flags = self.0.flags();
        self.0.answer(effect, move || match refused {
            Some(errno) => reply.error(errno),
            None => reply.opened(FileHandle(0), flags),
        });
    }

    fn read(
        &self,
        _: &Request,
        number: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let effect = self.0.judge(Call::Read, number.0, offset, size);
        let read = self
            .0
            .nodes()
            .get(number.0)
            .map(|node| node.read(offset, u64::from(size)));
        let read = match (&effect, read) {
            (Some(Effect::Error(errno)), _) => Err(Errno::from_i32(*errno)),
            (_, None) => Err(Errno::ENOENT),
            (Some(Effect::Short(most)), Some(mut data)) => {
                data.truncate(*most as usize);
                Ok(data)
            }
            (Some(Effect::FlipBit(at)), Some(mut data)) => {
                if let Some(byte) = data.get_mut(*at) {
                    *byte ^= 1;
                }
                Ok(data)
            }
            (_, Some(data)) => Ok(data),
        };
        self.0.answer(effect, move || match read {
            Ok(data) => reply.data(&data),
            Err(errno) => reply.error(errno),
        });
    }

    fn write(
        &self,
        _: &Request,
        number: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let effect = self
            .0
            .judge(Call::Write, number.0, offset, data.len() as u32);
        let written = self.0.write(number.0, offset, data, effect.as_ref());
        self.0.answer(effect, move || match written {
            Ok(bytes) => reply.written(bytes),
            Err(errno) => reply.error(errno),
        });
    }

    fn flush(&self, _: &Request, number: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        let effect = self.0.judge(Call::Close, number.0, 0, 0);
        self.0.simple(effect, reply, |_| Ok(()));
    }

    fn fsync(&self, _: &Request, number: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        let effect = self.0.judge(Call::Fsync, number.0, 0, 0);
        self.0.simple(effect, reply, |nodes| {
            match nodes
                .get_mut(number.0)
                .and_then(|node| node.fails_at_fsync.take())
            {
                Some(errno) => Err(Errno::from_i32(errno)),
                None => Ok(()),
            }
        });
    }

    fn fallocate(
        &self,
        _: &Request,
        number: INodeNo,
        _: FileHandle,
        offset: u64,
        length: u64,
        mode: i32,
        reply: ReplyEmpty,
    ) {
        let effect = self
            .0
            .judge(Call::Allocate, number.0, offset, length as u32);
        self.0.simple(effect, reply, |nodes| {
            let node = nodes.get_mut(number.0).ok_or(Errno::ENOENT)?;
            if mode & (libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_ZERO_RANGE) != 0 {
                node.punch(offset, length);
            }
            if mode & libc::FALLOC_FL_KEEP_SIZE == 0 {
                node.grow(offset + length);
            }
            Ok(())
        });
    }

    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let effect = self
            .0
            .faults()
            .judge(Call::Remove, &name.to_string_lossy(), 0, 0);
        self.0.simple(effect, reply, |nodes| {
            nodes.child(parent.0, name).ok_or(Errno::ENOENT)?;
            nodes.remove(parent.0, name);
            Ok(())
        });
    }

    fn rmdir(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let effect = self
            .0
            .faults()
            .judge(Call::Remove, &name.to_string_lossy(), 0, 0);
        self.0.simple(effect, reply, |nodes| {
            let number = nodes.child(parent.0, name).ok_or(Errno::ENOENT)?;
            if nodes
                .get(number)
                .is_some_and(|node| !node.children.is_empty())
            {
                return Err(Errno::ENOTEMPTY);
            }
            nodes.remove(parent.0, name);
            Ok(())
        });
    }

    fn rename(
        &self,
        _: &Request,
        from: INodeNo,
        name: &OsStr,
        to: INodeNo,
        new_name: &OsStr,
        flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        let effect = self
            .0
            .faults()
            .judge(Call::Rename, &name.to_string_lossy(), 0, 0);
        self.0.simple(effect, reply, |nodes| {
            nodes.child(from.0, name).ok_or(Errno::ENOENT)?;
            match nodes.child(to.0, new_name) {
                Some(_) if flags.contains(RenameFlags::RENAME_NOREPLACE) => {
                    return Err(Errno::EEXIST);
                }
                Some(old) if nodes.get(old).is_some_and(|node| !node.children.is_empty()) => {
                    return Err(Errno::ENOTEMPTY);
                }
                _ => {}
            }
            nodes.rename((from.0, name), (to.0, new_name));
            Ok(())
        });
    }

    fn readdir(
        &self,
        _: &Request,
        number: INodeNo,
        _: FileHandle,
        offset: u64,
        mut reply: ReplyDirectory,
    ) {
        let effect = if offset == 0 {
            self.0.judge(Call::List, number.0, 0, 0)
        } else {
            None
        };
        if let Some(Effect::Error(errno)) = effect {
            return reply.error(Errno::from_i32(errno));
        }
        let nodes = self.0.nodes();
        let Some(folder) = nodes.get(number.0) else {
            return reply.error(Errno::ENOENT);
        };
        let own = [(OsStr::new("."), number.0), (OsStr::new(".."), number.0)];
        let all = own.into_iter().chain(
            folder
                .children
                .iter()
                .map(|(name, child)| (name.as_os_str(), *child)),
        );
        for (place, (name, child)) in all.enumerate().skip(offset as usize) {
            let kind = nodes
                .get(child)
                .map_or(FileType::Directory, |node| node.kind);
            if reply.add(INodeNo(child), place as u64 + 1, kind, name) {
                break;
            }
        }
        drop(nodes);
        self.0.answer(effect, move || reply.ok());
    }

    fn fsyncdir(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        reply.ok();
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        let capacity = if self.0.options.capacity == 0 {
            64 << 30
        } else {
            self.0.options.capacity
        };
        let free = capacity.saturating_sub(self.0.nodes().stored_bytes()) / 4096;
        reply.statfs(
            capacity / 4096,
            free,
            free,
            1 << 20,
            1 << 20,
            4096,
            255,
            4096,
        );
    }
}
