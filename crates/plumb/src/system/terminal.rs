//! How does a view get the whole terminal, and how is it given back whatever happens? Keys come one by one and unseen; Ctrl-C and Ctrl-Z stay signals.

#[cfg(not(unix))]
pub use elsewhere::{Screen, give_back_now};
#[cfg(unix)]
pub use unix::{Screen, give_back_now};

/// Which stream of the program is the terminal that is painted on. Keys come from standard input.
#[cfg_attr(not(unix), allow(dead_code))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    Results,
    Notices,
}

/// Who has the terminal.
#[cfg_attr(not(unix), allow(dead_code))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// Another program: this one is in the background.
    Other,
    /// This program, from now on: nothing is painted yet.
    New,
    /// This program, as before.
    Same,
}

#[cfg(unix)]
mod unix {
    use std::io::{self, IsTerminal, Write, stderr, stdin, stdout};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::process::getpgrp;
    use rustix::termios::{
        LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetpgrp, tcgetwinsize,
        tcsetattr,
    };
    use signal_hook::consts::{SIGCONT, SIGTSTP};
    use signal_hook::{flag, low_level};

    use super::{Holder, Output};

    /// The alternate screen without a cursor, and back: xterm's private modes 1049 and 25, which every terminal of today knows.
    const ENTER: &str = "\x1b[?1049h\x1b[?25l";
    const LEAVE: &str = "\x1b[0m\x1b[?25h\x1b[?1049l";
    /// Taken where the terminal does not tell its size.
    const FALLBACK: (u16, u16) = (80, 24);

    /// What the terminal is given back by.
    struct Held {
        before: Termios,
        output: Output,
    }

    /// While the screen is held. Whatever ends the program gives the terminal back, and a process has one.
    static HELD: Mutex<Option<Held>> = Mutex::new(None);

    /// Gives the terminal back before the program ends at once.
    pub fn give_back_now() {
        if let Ok(mut held) = HELD.try_lock() {
            give_back(&mut held);
        }
    }

    fn held() -> MutexGuard<'static, Option<Held>> {
        HELD.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The terminal as one screen, given back when this value goes.
    pub struct Screen {
        output: Output,
        /// The modes from before it was held first.
        before: Option<Termios>,
        /// Ctrl-Z was pressed.
        suspend: Arc<AtomicBool>,
        /// The program was stopped and goes on; others may have changed the terminal.
        continued: Arc<AtomicBool>,
        /// Ctrl-Z does what it does everywhere.
        stops_as_usual: Arc<AtomicBool>,
    }

    impl Screen {
        /// Whether standard input and this output are a terminal that can be steered, and this program is in its foreground.
        pub fn can_be_had(output: Output) -> bool {
            let is_smart = std::env::var_os("TERM").is_none_or(|term| term != "dumb");
            let is_terminal = match output {
                Output::Results => stdout().is_terminal(),
                Output::Notices => stderr().is_terminal(),
            };
            is_smart && stdin().is_terminal() && is_terminal && is_in_foreground()
        }

        /// Changes nothing yet: [`Screen::turn`] does.
        ///
        /// Errors: signals cannot be caught.
        pub fn new(output: Output) -> io::Result<Screen> {
            let screen = Screen {
                output,
                before: None,
                suspend: Arc::default(),
                continued: Arc::default(),
                stops_as_usual: Arc::default(),
            };
            flag::register_conditional_default(SIGTSTP, screen.stops_as_usual.clone())?;
            flag::register(SIGTSTP, screen.suspend.clone())?;
            flag::register(SIGCONT, screen.continued.clone())?;
            // What a panic says is to be read on the screen from before.
            let next = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                give_back_now();
                next(panic);
            }));
            Ok(screen)
        }

        /// To be called before each frame: stops the program when that was asked for, the terminal given back, and takes the terminal when the program is in
        /// its foreground.
        ///
        /// Errors: the terminal is gone.
        pub fn turn(&mut self) -> io::Result<Holder> {
            let mut held = held();
            if self.suspend.swap(false, Ordering::SeqCst) {
                give_back(&mut held);
                low_level::emulate_default_handler(SIGTSTP)?;
            }
            if self.continued.swap(false, Ordering::SeqCst) {
                *held = None;
            }
            if held.is_some() {
                return Ok(Holder::Same);
            }
            if !is_in_foreground() {
                return Ok(Holder::Other);
            }
            let found = tcgetattr(stdin())?;
            // Shells give a program that goes on the modes with which it was stopped: those are not the ones from before.
            let is_usual = found
                .local_modes
                .contains(LocalModes::ICANON | LocalModes::ECHO);
            let before = match self.before.take() {
                Some(before) if !is_usual => before,
                _ => found.clone(),
            };
            self.before = Some(before.clone());
            let mut modes = found;
            modes
                .local_modes
                .remove(LocalModes::ICANON | LocalModes::ECHO);
            // Reading never waits (termios(3), MIN == 0, TIME == 0).
            modes.special_codes[SpecialCodeIndex::VMIN] = 0;
            modes.special_codes[SpecialCodeIndex::VTIME] = 0;
            tcsetattr(stdin(), OptionalActions::Now, &modes)?;
            *held = Some(Held {
                before,
                output: self.output,
            });
            write(self.output, ENTER)?;
            Ok(Holder::New)
        }

        /// Columns and lines.
        pub fn size(&self) -> (u16, u16) {
            let told = match self.output {
                Output::Results => tcgetwinsize(stdout()),
                Output::Notices => tcgetwinsize(stderr()),
            };
            match told {
                Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col, size.ws_row),
                _ => FALLBACK,
            }
        }

        /// Writes at once. Errors: the terminal is gone.
        pub fn paint(&self, text: &str) -> io::Result<()> {
            write(self.output, text)
        }

        /// What was typed within this time; it returns with the first of it.
        pub fn typed(&self, wait: Duration) -> Vec<u8> {
            let stdin = stdin();
            let mut asked = [PollFd::new(&stdin, PollFlags::IN)];
            let wait_for = Timespec::try_from(wait).ok();
            // Read only when there is something: others may have set the modes in which a read waits.
            if !poll(&mut asked, wait_for.as_ref()).is_ok_and(|ready| ready > 0) {
                return Vec::new();
            }
            let mut read = [0; 256];
            match rustix::io::read(&stdin, &mut read) {
                Ok(count @ 1..) => read[..count].to_vec(),
                // Ready, and nothing there: the terminal is gone, and would be ready for ever.
                _ => {
                    std::thread::sleep(wait);
                    Vec::new()
                }
            }
        }
    }

    impl Drop for Screen {
        fn drop(&mut self) {
            self.stops_as_usual.store(true, Ordering::SeqCst);
            give_back(&mut held());
        }
    }

    /// A program in the background is stopped when it changes the terminal (SIGTTOU), and would change it for another.
    fn is_in_foreground() -> bool {
        tcgetpgrp(stdin()).is_ok_and(|group| group == getpgrp())
    }

    /// What was typed and not read yet was meant for the view, and is thrown away: no shell is to take it. Nothing can be done about a terminal that is gone.
    fn give_back(held: &mut Option<Held>) {
        if let Some(Held { before, output }) = held.take().filter(|_| is_in_foreground()) {
            let _ = tcsetattr(stdin(), OptionalActions::Flush, &before);
            let _ = write(output, LEAVE);
        }
    }

    fn write(output: Output, text: &str) -> io::Result<()> {
        let all = |out: &mut dyn Write| {
            out.write_all(text.as_bytes())?;
            out.flush()
        };
        match output {
            Output::Results => all(&mut stdout().lock()),
            Output::Notices => all(&mut stderr().lock()),
        }
    }
}

#[cfg(not(unix))]
mod elsewhere {
    use std::io;
    use std::time::Duration;

    use super::{Holder, Output};

    /// There is none to be given back.
    pub fn give_back_now() {}

    /// There is none here yet.
    pub enum Screen {}

    impl Screen {
        pub fn can_be_had(_: Output) -> bool {
            false
        }

        pub fn new(_: Output) -> io::Result<Screen> {
            Err(io::ErrorKind::Unsupported.into())
        }

        pub fn turn(&mut self) -> io::Result<Holder> {
            match *self {}
        }

        pub fn size(&self) -> (u16, u16) {
            match *self {}
        }

        pub fn paint(&self, _: &str) -> io::Result<()> {
            match *self {}
        }

        pub fn typed(&self, _: Duration) -> Vec<u8> {
            match *self {}
        }
    }
}
