//! What fields are called. Invariant: a list is in the order of how sure its names are; names compare without letter case,
//! `_` and `-`.

/// The side effect's own name, given by the client.
const INTENTS: &[&str] = &[
    "intent",
    "intentid",
    "orderid",
    "order",
    "ordernumber",
    "orderno",
    "orderref",
    "orderreference",
    "merchantorderid",
    "merchantreference",
    "merchantref",
    "clientreferenceid",
    "clientreference",
    "clientref",
    "reference",
    "referenceid",
    "referencenumber",
    "ref",
    "externalid",
    "externalreference",
    "externalref",
    "endtoendid",
    "invoiceid",
    "invoice",
    "invoicenumber",
    "paymentid",
    "paymentreference",
    "transactionid",
    "transactionreference",
    "txnid",
    "bookingid",
    "bookingreference",
    "transferid",
    "chargeid",
    "cartid",
    "eventid",
    "requestid",
    "correlationid",
    "id",
    // Free text, which a server keeps: better than none.
    "description",
    "note",
    "memo",
    "comment",
    "title",
    "subject",
];

const AMOUNTS: &[&str] = &[
    "amount",
    "amountcents",
    "amountincents",
    "amountminor",
    "amountvalue",
    "totalamount",
    "total",
    "value",
    "price",
    "sum",
    "cents",
    "unitamount",
];

/// What a server calls the effect that it made. Not what names the request or the one who asks: it is another one in a
/// replay, or the same for all.
const RECEIPTS: &[&str] = &[
    "receipt",
    "receiptid",
    "receiptnumber",
    "chargeid",
    "paymentid",
    "paymentintentid",
    "transactionid",
    "txnid",
    "transferid",
    "confirmation",
    "confirmationid",
    "confirmationnumber",
    "confirmationcode",
    "bookingid",
    "orderid",
    "jobid",
    "operationid",
    "id",
    "uuid",
    "reference",
    "number",
];

/// Others that have a name and are not the side effect.
const OTHERS: &[&str] = &[
    "customer",
    "user",
    "account",
    "merchant",
    "tenant",
    "store",
    "shop",
    "product",
    "item",
    "card",
    "source",
    "payer",
    "payee",
    "sender",
    "recipient",
    "client",
    "session",
    "request",
    "trace",
    "correlation",
    "currency",
    "location",
];

const SECRETS: &[&str] =
    &["password", "passwd", "passphrase", "secret", "token", "apikey", "accesskey", "privatekey", "credential"];
const SHORT_SECRETS: &[&str] =
    &["pin", "cvv", "cvc", "cvn", "pan", "cardnumber", "key", "sig", "signature", "auth", "pwd"];

/// How sure it is that a field holds the intent: the less the surer; None where it does not.
pub fn intent(path: &[String]) -> Option<usize> {
    rank(INTENTS, path)
}

/// The same for the amount.
pub fn amount(path: &[String]) -> Option<usize> {
    rank(AMOUNTS, path)
}

/// The same for a reply's receipt.
pub fn receipt(path: &[String]) -> Option<usize> {
    rank(RECEIPTS, path)
}

/// Whether a field or a header carries an idempotency key.
pub fn is_key(name: &str) -> bool {
    let name = squashed(name);
    name.contains("idempoten") || name == "paypalrequestid"
}

/// Whether a field is likely to hold a secret.
pub fn is_secret(path: &[String]) -> bool {
    let names = [last(path), both(path)];
    let known =
        |name: &String| SECRETS.iter().any(|secret| name.contains(secret)) || SHORT_SECRETS.contains(&name.as_str());
    names.iter().any(known) && !path.last().is_some_and(|name| is_key(name))
}

fn rank(names: &[&str], path: &[String]) -> Option<usize> {
    let parent = path.len().checked_sub(2).map(|at| squashed(&path[at])).unwrap_or_default();
    let is_of_another = OTHERS.iter().any(|other| parent.trim_end_matches('s') == *other);
    let of = |name: String| names.iter().position(|known| *known == name);
    let found = of(both(path)).into_iter().chain(of(last(path))).min();
    // A surer name, and among those of one name the one that lies less deep.
    found.filter(|_| !is_of_another).map(|rank| rank * 16 + path.len().min(15))
}

fn last(path: &[String]) -> String {
    path.last().map(|name| squashed(name)).unwrap_or_default()
}

/// As `order` and its `id`.
fn both(path: &[String]) -> String {
    path.iter().skip(path.len().saturating_sub(2)).map(|name| squashed(name)).collect()
}

fn squashed(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> Vec<String> {
        text.split('/').map(str::to_owned).collect()
    }

    fn surest(of: fn(&[String]) -> Option<usize>, fields: &[&str]) -> Option<String> {
        let ranked = fields.iter().filter_map(|field| Some((of(&path(field))?, (*field).to_owned())));
        ranked.min().map(|(_, field)| field)
    }

    #[test]
    fn the_surest_name_is_taken() {
        for (fields, found) in [
            (&["id", "order_id", "reference"][..], Some("order_id")),
            (&["customer_id", "Merchant-Reference"], Some("Merchant-Reference")),
            (&["order/id", "customer/id"], Some("order/id")),
            (&["data/id", "id"], Some("id")),
            (&["customer/id", "currency", "account_id"], None),
            (&["description", "currency"], Some("description")),
        ] {
            assert_eq!(surest(intent, fields).as_deref(), found, "{fields:?}");
        }
        assert_eq!(surest(amount, &["price", "amount/value"]).as_deref(), Some("amount/value"));
        assert_eq!(surest(receipt, &["request_id", "id", "charge_id"]).as_deref(), Some("charge_id"));
        assert_eq!(surest(receipt, &["request_id", "request/id", "users/id"]), None);
    }

    #[test]
    fn keys_and_secrets_are_told_by_their_names() {
        assert!(is_key("Idempotency-Key") && is_key("idempotencyKey") && is_key("X-Idempotent-Id"));
        assert!(is_key("PayPal-Request-Id") && !is_key("X-Request-Id") && !is_key("api_key"));
        let secret = |text: &str| is_secret(&path(text));
        assert!(secret("client_secret") && secret("card/number") && secret("apiKey") && secret("cvc") && secret("key"));
        assert!(!secret("idempotency_token") && !secret("order_id") && !secret("number") && !secret("keyboard"));
    }
}
