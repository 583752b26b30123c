//! The canonical form.

use super::subject::{Checked, SelfCheck, Subject, same};
use crate::terms::canonical::{Defect, NotCanonical};

pub(super) const CHECKS: &[SelfCheck] = &[
    SelfCheck { name: "canonical-sorts-keys", run: sorts_keys },
    SelfCheck { name: "canonical-sorts-by-utf8-bytes", run: sorts_by_utf8_bytes },
    SelfCheck { name: "canonical-trims-keys-and-values", run: trims },
    SelfCheck { name: "canonical-drops-insignificant-space", run: drops_space },
    SelfCheck { name: "canonical-escapes-only-what-json-requires", run: escapes },
    SelfCheck { name: "canonical-keeps-case-and-width", run: keeps_case_and_width },
    SelfCheck { name: "canonical-takes-64-bit-integers-alone", run: takes_integers_alone },
    SelfCheck { name: "canonical-refuses-equal-keys", run: refuses_equal_keys },
    SelfCheck { name: "canonical-is-its-own-canonical-form", run: is_its_own_form },
];

fn form(subject: &Subject, json: &str, form: &str) -> Checked {
    same(json, (subject.canonical)(json), Ok(form.to_owned()))
}

fn refused(subject: &Subject, json: &str, pointer: &str, defect: Defect) -> Checked {
    same(json, (subject.canonical)(json), Err(NotCanonical { pointer: pointer.to_owned(), defect }))
}

fn sorts_keys(subject: &Subject) -> Checked {
    form(subject, r#"{"b":1,"a":[{"d":2,"c":3}]}"#, r#"{"a":[{"c":3,"d":2}],"b":1}"#)?;
    form(subject, r#"{"ab":1,"a":2,"":3}"#, r#"{"":3,"a":2,"ab":1}"#)
}

/// UTF-16 code units, as in RFC 8785, would put these two the other way round.
fn sorts_by_utf8_bytes(subject: &Subject) -> Checked {
    form(subject, "{\"\u{1f600}\":1,\"\u{ff01}\":2}", "{\"\u{ff01}\":2,\"\u{1f600}\":1}")
}

fn trims(subject: &Subject) -> Checked {
    form(subject, r#"{"id":" x "}"#, r#"{"id":"x"}"#)?;
    form(subject, r#"{" id\t":["\n x y "]}"#, r#"{"id":["x y"]}"#)?;
    form(subject, "\"\u{3000}\u{a0}\u{85}\u{2028}x\"", r#""x""#)?;
    form(subject, "\"\u{200b}x\u{feff}\"", "\"\u{200b}x\u{feff}\"")
}

fn drops_space(subject: &Subject) -> Checked {
    form(subject, " { \"a\" : [ 1 ,\n2 , { } , [ ] ] }\r\n", r#"{"a":[1,2,{},[]]}"#)
}

fn escapes(subject: &Subject) -> Checked {
    form(subject, r#""\u00e9\/\u0041\ud83d\ude00""#, "\"é/A\u{1f600}\"")?;
    form(subject, r#""\u0022\u005c""#, r#""\"\\""#)?;
    form(subject, r#""a\u0008\u0009\u000a\u000c\u000d\u001F\u007fz""#, "\"a\\b\\t\\n\\f\\r\\u001f\u{7f}z\"")
}

fn keeps_case_and_width(subject: &Subject) -> Checked {
    form(subject, r#"{"Id":"Ord-ＡＢ１"}"#, r#"{"Id":"Ord-ＡＢ１"}"#)?;
    form(subject, r#"{"a":1,"A":2}"#, r#"{"A":2,"a":1}"#)
}

fn takes_integers_alone(subject: &Subject) -> Checked {
    form(subject, "[9223372036854775807,-9223372036854775808,0]", "[9223372036854775807,-9223372036854775808,0]")?;
    for number in ["1000.0", "1e3", "-0", "9223372036854775808"] {
        refused(subject, &format!(r#"{{"amount":{number}}}"#), "/amount", Defect::NotAnInteger)?;
    }
    Ok(())
}

fn refuses_equal_keys(subject: &Subject) -> Checked {
    refused(subject, r#"{"a":1," a":1}"#, "", Defect::SameKey("a".to_owned()))?;
    refused(subject, r#"[{"b":{"a":1,"a":2}}]"#, "/0/b", Defect::SameKey("a".to_owned()))
}

fn is_its_own_form(subject: &Subject) -> Checked {
    let own = "{\"a\":[null,true,false,-1,\"x  y\",{}],\"é\\\"\\\\\\nz\":\"\u{1f600}\"}";
    form(subject, own, own)
}
