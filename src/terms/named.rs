//! Enums whose variants have one name each, used in every report. Invariant: a name stands in one place, beside its
//! variant.

/// Declares a fieldless enum with a printed name for each variant: `name()`, `Display` (which pads) and `Serialize`
/// all give that name, and `ALL` lists the variants in declared order. A variant's doc comment is what `idem explain` says
/// of it: `meaning()` gives it, so the text that a reader of the code finds is the text that a user reads.
macro_rules! named_enum {
    ($(#[$meta:meta])* pub enum $type:ident { $($(#[doc = $note:literal])* $variant:ident = $name:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $type { $($(#[doc = $note])* $variant,)+ }

        impl $type {
            #[allow(dead_code)]
            pub const ALL: &'static [$type] = &[$($type::$variant),+];

            pub const fn name(self) -> &'static str {
                match self { $($type::$variant => $name,)+ }
            }

            /// What it means, in the words of its doc comment.
            #[allow(dead_code)]
            pub const fn meaning(self) -> &'static str {
                match self { $($type::$variant => concat!("", $($note),*),)+ }.trim_ascii()
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }
    };
}

pub(crate) use named_enum;
