//! What must another process know to work on the files of a site?

use plumb_model::run::ranks::JointTarget;

use crate::site::Site;

impl Site {
    /// What others must know to join.
    pub fn joint(&self) -> JointTarget {
        JointTarget {
            folder: self.folder_name.clone(),
            size_bytes: self.size_bytes(),
        }
    }

    /// True when another process made the files and takes care of them ([`Site::join`]).
    pub fn is_joined(&self) -> bool {
        self.is_joined
    }
}
