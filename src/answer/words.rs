//! Words that mean the same in JSON, in its schema and in text.

/// Defines an enum, one row a word.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$row:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(
            serde::Serialize, serde::Deserialize, schemars::JsonSchema, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug,
        )]
        pub enum $name {
            $($(#[$row])* #[serde(rename = $word)] $variant,)*
        }

        impl $name {
            /// The word.
            #[allow(dead_code)] // not every word stands in a text
            pub fn word(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)*
                }
            }
        }
    };
}

pub(crate) use words;
