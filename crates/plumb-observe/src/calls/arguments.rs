//! What was a system call asked? Numbers where the kernel told them, text where another program wrote it.

/// Arguments of one call, counted from 0.
pub trait Arguments {
    /// A number; missing when it is not known or is none.
    fn number(&self, at: usize) -> Option<i64>;

    /// A path or other text.
    fn text(&self, at: usize) -> Option<String>;

    /// The name of the file that the call opened, whose path is this argument.
    fn opened_name(&self, path: usize) -> Option<String> {
        self.text(path)
    }

    /// Bytes that the buffers of a vector hold together.
    fn vector_bytes(&self, at: usize) -> Option<u64>;

    /// Whether a flag is among those of this argument: its bits, and its name.
    fn has_flag(&self, at: usize, bits: u64, name: &str) -> bool;

    /// What the file of this descriptor is called, where it is told with the call.
    fn descriptor_name(&self, at: usize) -> Option<String>;

    /// Whether a descriptor of which neither the begin nor the name was seen is taken for a file, until something says what it is.
    fn takes_for_file(&self, descriptor: i64) -> bool;

    /// Descriptors that the call filled in (pipe, socketpair).
    fn descriptors(&self, at: usize) -> Vec<i64>;

    /// The mode of the file that the call filled in (stat): whether it is a file or directory; missing when not told.
    fn is_file(&self, at: usize) -> Option<bool>;

    /// A number that stands behind a pointer, before the call.
    fn number_behind(&self, at: usize) -> Option<i64>;
}
