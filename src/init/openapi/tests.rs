use serde_json::json;

use super::*;

fn document() -> Value {
    json!({
        "openapi": "3.0.3",
        "servers": [{"url": "https://api.example.com/v1/"}],
        "paths": {
            "/charges": {"post": {
                "operationId": "createCharge",
                "parameters": [
                    {"name": "Idempotency-Token", "in": "header", "required": true, "schema": {"type": "string"}},
                    {"name": "X-Version", "in": "header", "required": true, "schema": {"enum": ["2"]}},
                    {"name": "X-Other", "in": "header", "schema": {"type": "string"}},
                    {"name": "mode", "in": "query", "required": true, "example": "a b"}
                ],
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Charge"}}}}
            }},
            "/accounts/{account}/charges/{id}": {
                "parameters": [{"name": "account", "in": "path", "example": "a/1"}, {"name": "id", "in": "path", "example": "c"}],
                "put": {"requestBody": {"content": {"application/x-www-form-urlencoded": {"schema": {
                    "type": "object", "required": ["amount", "card"],
                    "properties": {"card": {"properties": {"number": {"example": "42 42"}}}, "amount": {"type": "integer", "minimum": 50},
                        "tags": {"type": "array", "items": {"type": "string"}, "default": ["x", "y"]}}
                }}}}}
            },
            "/upload": {"post": {"requestBody": {"content": {"image/png": {}}}}}
        },
        "components": {"schemas": {
            "Charge": {"allOf": [{"$ref": "#/components/schemas/Base"}, {
                "required": ["order_id", "amount"],
                "properties": {
                    "zone": {"type": "string", "default": "eu"}, "unsaid": {"type": "string"},
                    "amount": {"type": "integer"}, "order_id": {"type": "string", "minLength": 6},
                    "id": {"type": "string", "readOnly": true}
                }
            }]},
            "Base": {"required": ["at"], "properties": {"at": {"type": ["null", "string"], "format": "date"}, "loop": {"$ref": "#/components/schemas/Base"}}}
        }}
    })
}

#[test]
fn a_body_has_what_is_required_first_and_what_is_known() {
    let made = of_document(&document(), "createCharge").unwrap();
    let body = r#"{"at":"2026-01-31","order_id":"idemxx","amount":1,"zone":"eu"}"#;
    assert_eq!((made.method.as_str(), made.body.as_deref()), ("POST", Some(body)));
    assert_eq!(made.key_header.as_deref(), Some("Idempotency-Token"));
    assert_eq!((made.headers.clone(), made.notes.len()), (vec!["X-Version: 2".to_owned()], 0));
    for (given, path) in [
        ("/", "/v1/charges?mode=a+b"),
        ("/api/", "/api/charges?mode=a+b"),
        ("/v2/charges?k=1", "/v2/charges?k=1&mode=a+b"),
    ] {
        assert_eq!(made.at(given), path);
    }
}

#[test]
fn a_path_parameter_is_the_intent_and_a_form_has_brackets() {
    let made = of_document(&document(), "put /accounts/{account}/charges/{id}").unwrap();
    assert_eq!(made.at("/"), "/v1/accounts/a%2F1/charges/{{intent}}");
    assert_eq!(made.body.as_deref(), Some("amount=50&card[number]=42+42&tags[]=x&tags[]=y"));
}

#[test]
fn what_is_not_understood_is_refused() {
    let refused = |document: &Value, wanted: &str| format!("{:#}", of_document(document, wanted).unwrap_err());
    let none = refused(&document(), "POST /charge");
    assert!(
        none.contains("there are \"PUT /accounts/{account}/charges/{id}\", createCharge, \"POST /upload\""),
        "{none}"
    );
    assert!(refused(&document(), "POST /upload").contains("of image/png, none is JSON or a form"));
    assert!(refused(&json!({"swagger": "2.0"}), "x").contains("not OpenAPI 3"));
    let mut broken = document();
    broken["components"]["schemas"]["Base"] = json!({"$ref": "#/nowhere"});
    assert!(refused(&broken, "createCharge").contains("nothing is there"));
    broken["components"]["schemas"]["Base"] = json!({"$ref": "other.json"});
    assert!(refused(&broken, "createCharge").contains("only this file is read"));
    broken["components"]["schemas"]["Base"] =
        json!({"required": ["loop"], "properties": {"loop": {"$ref": "#/components/schemas/Base"}}});
    assert!(refused(&broken, "createCharge").contains("deep in one another"));
}
