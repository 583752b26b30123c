//! Text inside XML 1.0. Invariant: what comes out is valid in an element and in a quoted attribute, whatever went in.

/// Without the characters that XML cannot hold (W3C Recommendation XML 1.0, 2.2).
pub fn escaped(text: &str) -> String {
    let legal = |c: &char| matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{fffd}' | '\u{10000}'..);
    let legal: String = text.chars().filter(legal).collect();
    legal.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_says_cannot_break_the_document() {
        assert_eq!(escaped("<a b=\"c\">&\u{0}\u{1b}\u{ffff}"), "&lt;a b=&quot;c&quot;&gt;&amp;");
    }
}
