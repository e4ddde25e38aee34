//! Tuning: how each crate keeps its heuristic constants and thresholds in one place; and those of this crate.
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

crate::tuning! {
    /// The limits of reading and checking. Most exist so that every later pass may recurse along a tree on one
    /// [large stack](crate::stack). Where nothing else is said, a value was not measured.
    pub struct Tuning {
        /// Texts, terms and trees.
        depth: Depth = Depth::DEFAULT,
        /// Results of checking a text.
        check: Check = Check::DEFAULT,
        /// The machines that a text refers to.
        project: Project = Project::DEFAULT,
        /// What is written for people.
        text: Text = Text::DEFAULT,
        /// Archives, which may come from anybody.
        archive: Archive = Archive::DEFAULT,
    }

    /// Texts, terms and trees (`classical/parser/depth.rs`, `eventb/`, `stack.rs`).
    pub struct Depth {
        /// Most levels of formulas and substitutions of classical B within each other. A pair of parentheses is one level, and every operand of
        /// an operator that binds tighter than its neighbour is another one.
        nesting: u32 = 200,
        /// Greatest height of the tree of a formula.
        height: usize = 1000,
        /// Most operands of a chain that keep the grouping to the left; more of them become a balanced tree.
        chain: usize = 64,
        /// Most levels of a formula of Event-B; a pair of parentheses with an operator counts as two.
        eventb: usize = 400,
        /// Most levels of a Prolog term, along which later passes recurse.
        prolog: usize = 2_000,
        /// Greatest height of a formula whose definitions are expanded: not much more than the parser allows.
        expanded: usize = 1_500,
        /// Most definitions within each other that a number of a `SET_PREF` is read through.
        number: usize = 100,
        /// Bytes of the stack on which all passes run. It is address space: pages that no recursion reaches are never touched.
        stack: usize = 256 << 20,
    }

    /// Results of checking a text (`check/`, `model/`, `int.rs`).
    pub struct Check {
        /// Most expansions of definitions.
        expansions: usize = 200_000,
        /// Most nodes made by expanding definitions.
        expanded_nodes: usize = 4_000_000,
        /// Most instances of machines: more than any project has. Two prefixes on each level of a chain double them.
        instances: usize = 2_000,
        /// Largest size of a set that its form or an equation tells.
        known_size: usize = 1024,
        /// Most nodes of a value on a path: a sequence may double the value of a name with every assignment.
        path_value: usize = 100_000,
        /// Most paths through a part of an operation whose before-after predicate is written. Not measured.
        paths: usize = 64,
        /// Most bits of a power.
        power_bits: u64 = 1 << 32,
    }

    /// The machines that a text refers to (`classical/project.rs`).
    pub struct Project {
        /// Folders that are looked into for a machine that is missing, so that its place can be named.
        folders: usize = 200,
        /// Largest depth of these folders below the first ones.
        depth: usize = 3,
    }

    /// What is written for people (`check/remedies.rs`, `print/names.rs`).
    pub struct Text {
        /// Bytes of a text of the source above which an advice does not repeat it.
        repeated: usize = 40,
        /// Most elements of a set that an advice lists.
        listed: usize = 5,
        /// Questions about names of constants, variables and sets that are answered by a look at each of them; more of them are worth
        /// a table.
        asked: usize = 16,
    }

    /// Archives, which may come from anybody (`text/archive.rs`). The largest file of a published project, a tree of proofs, has 20 MB and
    /// shrinks to a fortieth; Deflate cannot shrink to less than a thousandth.
    pub struct Archive {
        /// Most entries.
        entries: usize = 20_000,
        /// Most bytes of one file.
        file: u64 = 512 << 20,
        /// Most bytes of all files.
        total: u64 = 2 << 30,
        /// Largest factor by which a file grows when it is unpacked.
        ratio: u64 = 400,
        /// Bytes from which that matters.
        ratio_from: u64 = 1 << 20,
        /// Most folders within each other.
        depth: usize = 12,
    }
}
