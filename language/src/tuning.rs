//! How each crate keeps the numbers that steer it in one place.
//!
//! A crate has one `tuning.rs` with a [`tuning!`](crate::tuning!) of all its thresholds, sizes and times. Every field has its value
//! beside its doc comment, which gives the unit, the reason, and the benchmark, test or model that pays for it. Array sizes, format
//! versions and bit widths are facts, not choices, and stay where they are used.

use std::time::Duration;

/// A value of a tuning that can be adapted to a slower machine.
pub trait Slower: Sized {
    /// Returns the value for a machine that takes `times` as long: a longer time, anything else unchanged.
    fn slower(self, _times: u32) -> Self {
        self
    }
}

impl Slower for Duration {
    fn slower(self, times: u32) -> Self {
        self * times
    }
}

macro_rules! unchanged {
    ($($ty:ty)*) => { $(impl Slower for $ty {})* };
}

unchanged!(bool u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 f64);

impl<T: Slower, const N: usize> Slower for [T; N] {
    fn slower(self, times: u32) -> Self {
        self.map(|value| value.slower(times))
    }
}

impl<A: Slower, B: Slower> Slower for (A, B) {
    fn slower(self, times: u32) -> Self {
        (self.0.slower(times), self.1.slower(times))
    }
}

/// Declares a crate's `Tuning`, the structs that it is grouped into, and `tuning()`, which returns the values in use.
///
/// A field is written `name: type = value,` below its doc comment.
///
/// ```
/// mod search {
///     use std::time::Duration;
///
///     bsym_language::tuning! {
///         /// The numbers of a search.
///         pub struct Tuning {
///             /// Longest time for one query.
///             query: Duration = Duration::from_secs(2),
///             /// Numbers of the queue.
///             queue: Queue = Queue::DEFAULT,
///         }
///         /// Numbers of the queue.
///         pub struct Queue {
///             /// Longest queue, in states.
///             longest: usize = 64,
///         }
///     }
/// }
///
/// search::Tuning::DEFAULT.slower(3).install();
/// assert_eq!(search::tuning().query.as_secs(), 6);
/// assert_eq!(search::tuning().queue.longest, 64);
/// ```
#[macro_export]
macro_rules! tuning {
    ($(
        $(#[$about:meta])*
        pub struct $name:ident { $($(#[$doc:meta])* $field:ident: $ty:ty = $value:expr,)* }
    )*) => {
        $(
            $(#[$about])*
            #[derive(Clone, Copy, PartialEq, Debug)]
            pub struct $name { $($(#[$doc])* pub $field: $ty,)* }

            impl $name {
                /// The values in use unless a test installs others.
                pub const DEFAULT: Self = Self { $($field: $value,)* };
            }

            impl Default for $name {
                fn default() -> Self {
                    Self::DEFAULT
                }
            }

            impl $crate::tuning::Slower for $name {
                fn slower(self, times: u32) -> Self {
                    Self { $($field: $crate::tuning::Slower::slower(self.$field, times),)* }
                }
            }
        )*

        static INSTALLED: std::sync::OnceLock<Tuning> = std::sync::OnceLock::new();

        /// Returns the values in use, which stay the same as long as the process runs.
        pub fn tuning() -> &'static Tuning {
            INSTALLED.get_or_init(Tuning::default)
        }

        impl Tuning {
            /// Returns the tuning for a machine that takes `times` as long: every time is longer, nothing else changes.
            pub fn slower(self, times: u32) -> Self {
                $crate::tuning::Slower::slower(self, times)
            }

            /// Makes these the values in use. For tests, before anything is run.
            ///
            /// # Panics
            /// If other values are in use.
            pub fn install(self) {
                let used = INSTALLED.get_or_init(|| self);
                assert!(*used == self, "another tuning is in use");
            }
        }
    };
}
