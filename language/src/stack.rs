//! A stack for functions that recurse along syntax trees and models.
//!
//! The parser refuses a formula that is nested deeper than 200 levels or whose tree is higher than 1,000, and the
//! checker one that definitions make deeper than 1,500. So every later pass may recurse plainly, but needs more stack
//! than a thread usually has. A program calls [`with_large_stack`] once around all its work, and so does every thread
//! that it starts and every test with deep recursion.

use std::cell::Cell;
use std::sync::Mutex;
use std::thread::{Builder, scope};

use crate::tuning::tuning;

// Address space, not memory: pages that the recursion does not reach are never touched.

thread_local! {
    static IS_LARGE: Cell<bool> = const { Cell::new(false) };
}

/// Runs a function on a stack of 256 MiB and returns its result. A panic in it propagates to the caller.
///
/// On a thread that was made here the function runs at once: no second stack is made.
pub fn with_large_stack<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    if IS_LARGE.get() {
        return f();
    }
    // The first call of `run` takes the function.
    let waiting = Mutex::new(Some(f));
    let run = || {
        let f = waiting.lock().ok().and_then(|mut f| f.take());
        f.map(|f| f())
    };
    let name = std::thread::current().name().unwrap_or("large stack").to_owned();
    let result = scope(|scope| {
        let on_new_thread = || {
            IS_LARGE.set(true);
            run()
        };
        match Builder::new().name(name).stack_size(tuning().depth.stack).spawn_scoped(scope, on_new_thread) {
            Ok(handle) => handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            // Without a new thread, the current stack must suffice.
            Err(_) => run(),
        }
    });
    result.expect("the function is waiting until it is run once")
}

/// Starts a thread with a stack of 256 MiB that nothing waits for.
///
/// # Panics
/// If the system has no further thread.
pub fn spawn_with_large_stack(f: impl FnOnce() + Send + 'static) {
    let on_new_thread = || {
        IS_LARGE.set(true);
        f();
    };
    let name = std::thread::current().name().unwrap_or("large stack").to_owned();
    let started = Builder::new().name(name).stack_size(tuning().depth.stack).spawn(on_new_thread);
    drop(started.expect("the system has a thread for an engine"));
}

/// Declares that the current thread was started with a stack of 256 MiB or more.
pub fn declare_large() {
    IS_LARGE.set(true);
}

/// Returns whether the current thread has the stack of [`with_large_stack`].
pub fn is_large() -> bool {
    IS_LARGE.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(n: usize) -> usize {
        let page = std::hint::black_box([n as u8; 4096]);
        if n == 0 { 0 } else { depth(n - 1) + usize::from(page[0] == n as u8) }
    }

    #[test]
    fn there_is_room_for_tens_of_thousands_of_calls() {
        assert_eq!(with_large_stack(|| depth(20_000)), 20_000);
        assert_eq!(with_large_stack(|| with_large_stack(|| depth(20_000))), 20_000);
    }

    #[test]
    fn a_panic_goes_on_in_the_caller() {
        let result = std::panic::catch_unwind(|| with_large_stack(|| panic!("on purpose")));
        assert_eq!(result.unwrap_err().downcast_ref(), Some(&"on purpose"));
    }
}
