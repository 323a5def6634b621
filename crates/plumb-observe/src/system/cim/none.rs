//! What do systems say that have no management classes of Windows? That they have none.

use super::{Class, Refusal, Row};

pub(crate) fn rows(_: Class) -> Result<Vec<Row>, Refusal> {
    Err(Refusal::Other("this system is not Windows".into()))
}
