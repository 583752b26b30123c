use serde_json::Value;

use super::fixtures::template;
use super::*;

fn call() -> Call {
    Call { intent: "a\"b".into(), amount: 7, keys: vec![b"k/1".to_vec()], ..Call::default() }
}

fn header() -> KeyPlace {
    KeyPlace::Header("X-Key".into())
}

fn body(request: Request) -> String {
    String::from_utf8(request.body).unwrap()
}

fn with_body(place: KeyPlace, text: &str) -> Template {
    Template { body: Body::parse(text, None).unwrap(), ..template(place) }
}

#[test]
fn an_intent_is_escaped_into_the_body() {
    assert_eq!(body(template(header()).request(&call(), "h")), r#"{"intent":"a\"b","amount":7}"#);
}

#[test]
fn a_key_goes_where_it_is_to_go() {
    let by_header = template(header()).request(&call(), "h");
    assert!(by_header.headers.contains(&("X-Key".to_string(), b"k/1".to_vec())));
    let by_body = body(template(KeyPlace::Body("/params/key".into())).request(&call(), "h"));
    assert_eq!(serde_json::from_str::<Value>(&by_body).unwrap().pointer("/params/key").unwrap(), "k/1");
    let by_form = with_body(KeyPlace::Form("key".into()), "i={{intent}}&key=");
    assert_eq!(body(by_form.request(&call(), "h")), "i=a%22b&key=k%2F1");
    let target = |path: &str| {
        let template = Template { path: path.into(), ..template(KeyPlace::Query("key".into())) };
        template.request(&call(), "h").target
    };
    assert_eq!(target("/c"), "/c?key=k%2F1");
    assert_eq!(target("/c?key=old&i={{intent}}"), "/c?key=k%2F1&i=a%22b");
    let by_template = with_body(KeyPlace::Template, r#"{"id":"{{key}}","order":"{{intent}}"}"#);
    assert_eq!(body(by_template.request(&call(), "h")), r#"{"id":"k/1","order":"a\"b"}"#);
}

#[test]
fn without_a_key_no_place_has_one() {
    let none = Call { keys: vec![], ..call() };
    let query = template(KeyPlace::Query("key".into())).request(&none, "h");
    assert_eq!(query.target, "/charges");
    assert_eq!(body(with_body(KeyPlace::Form("key".into()), "i=1").request(&none, "h")), "i=1");
}

#[test]
fn holes_are_filled_in_path_query_and_headers() {
    let mut template = Template { path: "/c/{{intent}}?t={{now_epoch}}".into(), ..template(header()) };
    template.headers = vec![Header::parse("X-Order: <{{intent}}>").unwrap(), Header::parse("X-Now: {{now}}").unwrap()];
    let request = template.request(&Call { made: Duration::from_secs(9), ..call() }, "h");
    assert_eq!(request.target, "/c/a%22b?t=9");
    let value = |name: &str| &request.headers.iter().find(|(known, _)| known == name).unwrap().1;
    assert_eq!(value("X-Order"), b"<a\"b>");
    assert!(value("X-Now").starts_with(b"20"), "the moment of the request, not that of the call");
    assert_eq!(template.request(&call(), "h").target, template.request(&call(), "h").target);
}

#[test]
fn the_fixed_leaves_are_neither_intent_nor_amount_nor_key() {
    let json = r#"{"intent":"a-{{intent}}","amount":{{amount}},"meta":{"key":"k","n":[7]},"currency":"EUR"}"#;
    let template = with_body(KeyPlace::Body("/meta/key".into()), json);
    assert_eq!(template.fixed_leaves(), ["/meta/n/0", "/currency"]);
    let altered = Call { altered: Some("/currency".into()), ..call() };
    assert!(body(template.request(&altered, "h")).contains(r#""currency":"USD""#));
    assert_eq!(with_body(KeyPlace::Form("key".into()), "i={{intent}}&key=k&c=eur").fixed_leaves(), ["c"]);
}

#[test]
fn the_type_that_is_sent_is_the_users_or_that_of_the_body() {
    let typed = |template: &Template| {
        let headers = template.request(&call(), "h").headers;
        let mut found = headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        let value = found.next().map(|(_, value)| String::from_utf8(value.clone()).unwrap());
        assert!(found.next().is_none());
        assert_eq!(value.as_deref(), template.content_type());
        value.unwrap_or_default()
    };
    let mut form = with_body(header(), "i={{intent}}");
    assert_eq!(typed(&form), "application/x-www-form-urlencoded");
    form.headers = vec![Header::parse("content-type: application/x-www-form-urlencoded; charset=utf-8").unwrap()];
    assert_eq!(typed(&form), "application/x-www-form-urlencoded; charset=utf-8");
    assert_eq!(typed(&with_body(header(), "")), "");
}

#[test]
fn a_template_must_name_the_intent_and_have_a_place_for_the_key() {
    let refused = |template: Template| template.check().unwrap_err().to_string();
    assert!(refused(with_body(header(), r#"{"amount":{{amount}}}"#)).contains("no {{intent}}"));
    assert!(refused(with_body(KeyPlace::Body("/k".into()), "i={{intent}}")).contains("give form:NAME"));
    assert!(refused(with_body(KeyPlace::Form("k".into()), Body::DEFAULT)).contains("no form"));
    assert!(refused(template(KeyPlace::Url)).contains("in the URL"));
    assert!(refused(template(KeyPlace::Template)).contains("no {{key}}"));
    let url = Template { path: "/c/{{intent}}".into(), ..with_body(KeyPlace::Url, "") };
    assert!(url.check().is_ok());
}

#[test]
fn under_the_same_key_another_intent_or_where_that_is_the_key_another_amount() {
    let fresh = || Call { intent: "b".into(), amount: 8, keys: vec![b"k2".to_vec()], ..Call::default() };
    let other = template(header()).reused(&call(), fresh()).unwrap();
    assert_eq!((other.intent.as_str(), other.amount, &other.keys), ("b", 7, &call().keys));
    let other = template(KeyPlace::Url).reused(&call(), fresh()).unwrap();
    assert_eq!((other.intent, other.amount), (call().intent, 8));
    assert_eq!(with_body(KeyPlace::Url, "").reused(&call(), fresh()), None);
}
