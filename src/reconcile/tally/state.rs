//! What is known of one intent, in one word, since there may be ten million. Invariant: what it says follows from the
//! mentions of the intent, in whatever order they came.

/// When something happened, by the window that is looked at. Without a window everything is inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    Inside,
    Outside,
    /// The record does not say.
    Undated,
}

/// Its charges, and above which of these hold.
#[derive(Clone, Copy, Default)]
pub struct State(u64);

/// Expected within the window.
const DUE: u64 = 1;
/// Expected, maybe at another time.
const EXPECTED: u64 = 1 << 1;
/// A charge of it lies within the window.
const CHARGED_INSIDE: u64 = 1 << 2;
/// An amount was named.
const PRICED: u64 = 1 << 3;
/// Another amount was named too.
const DIFFERS: u64 = 1 << 4;
const FLAGS: u32 = 5;

impl State {
    fn has(self, flag: u64) -> bool {
        self.0 & flag != 0
    }

    pub fn expect(&mut self, when: When) {
        self.0 |= match when {
            When::Inside => DUE | EXPECTED,
            When::Outside | When::Undated => EXPECTED,
        };
    }

    pub fn charge(&mut self, when: When) {
        self.0 += 1 << FLAGS;
        self.0 |= match when {
            When::Inside => CHARGED_INSIDE,
            When::Outside | When::Undated => 0,
        };
    }

    /// Notes that an amount was named; false where one was named before.
    pub fn price(&mut self) -> bool {
        let is_first = !self.has(PRICED);
        self.0 |= PRICED;
        is_first
    }

    pub fn differ(&mut self) {
        self.0 |= DIFFERS;
    }

    /// All of them, those outside of the window too: a duplicate made after midnight is one.
    pub fn charges(self) -> u64 {
        self.0 >> FLAGS
    }

    /// Whether it was expected at any time.
    pub fn is_named(self) -> bool {
        self.has(EXPECTED)
    }

    /// Whether it is held to the window: it was expected in it, or charged in it.
    pub fn is_judged(self) -> bool {
        self.has(DUE) || self.has(CHARGED_INSIDE)
    }

    /// Whether it counts as expected: what was ordered before midnight and charged after it is in order.
    pub fn is_expected(self) -> bool {
        self.is_judged() && self.is_named()
    }

    pub fn differs(self) -> bool {
        self.has(DIFFERS)
    }
}
