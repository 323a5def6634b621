//! What are the arguments of a system call? Numbers from the kernel, text from other programs.

/// Arguments of one call, counted from 0.
pub trait Arguments {
    /// A number; missing if unknown or not a number.
    fn number(&self, at: usize) -> Option<i64>;

    /// A path or another string.
    fn text(&self, at: usize) -> Option<String>;

    /// The name of the file that the call opened, whose path is this argument.
    fn opened_name(&self, path: usize) -> Option<String> {
        self.text(path)
    }

    /// Total bytes of the buffers of a vector.
    fn vector_bytes(&self, at: usize) -> Option<u64>;

    /// Whether a flag is set in this argument: by its bits, or by its name.
    fn has_flag(&self, at: usize, bits: u64, name: &str) -> bool;

    /// The name of this descriptor's file, if it comes with the call.
    fn descriptor_name(&self, at: usize) -> Option<String>;

    /// Whether a descriptor without a known open or name is treated as a file until proven otherwise.
    fn takes_for_file(&self, descriptor: i64) -> bool;

    /// Descriptors that the call returned (pipe, socketpair).
    fn descriptors(&self, at: usize) -> Vec<i64>;

    /// The file mode that the call returned (stat): whether it is a file or directory; missing if unknown.
    fn is_file(&self, at: usize) -> Option<bool>;

    /// A number behind a pointer, before the call.
    fn number_behind(&self, at: usize) -> Option<i64>;
}
