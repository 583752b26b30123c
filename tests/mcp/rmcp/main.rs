//! The charge tool of server.py by the official Rust SDK.
//!
//! usage: rmcp-server MODE LEDGER [PORT]     the modes are those of server.py; stdio without PORT, else HTTP on it

use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::request::Parts;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use rmcp::model::*;
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::StreamableHttpService;
use rmcp::{ErrorData, ServerHandler, ServiceExt};
use serde_json::{Value, json};

#[derive(Clone)]
struct Charges {
    mode: String,
    ledger: Arc<File>,
    /// What was charged, and its receipt, by what makes two calls the same one.
    known: Arc<Mutex<HashMap<String, (Value, u64)>>>,
}

/// A request's body as it came.
#[derive(Clone)]
struct Raw(Bytes);

impl Charges {
    fn pay(&self, charge: Value, identity: Option<String>) -> Result<Value, &'static str> {
        let mut known = self.known.lock().unwrap();
        // Without an identity each charge has one of its own.
        let receipt = known.len() as u64;
        let identity = identity.unwrap_or_else(|| format!("charge {receipt}"));
        match known.get(&identity) {
            Some((before, receipt)) if *before == charge => return Ok(json!({"receipt": receipt, "replay": true})),
            Some(_) => return Err("this key came before with another charge"),
            None => {}
        }
        self.ledger.as_ref().write_all(format!("{charge}\n").as_bytes()).unwrap();
        known.insert(identity, (charge, receipt));
        Ok(json!({"receipt": receipt, "replay": false}))
    }

    /// As a wait that ends when the call is cancelled.
    async fn wait(&self, mode: &str, context: &RequestContext<RoleServer>) -> Result<(), &'static str> {
        if self.mode != mode {
            return Ok(());
        }
        tokio::select! {
            () = context.ct.cancelled() => Err("cancelled"),
            () = tokio::time::sleep(Duration::from_millis(30)) => Ok(()),
        }
    }

    async fn charge(&self, arguments: &Value, context: &RequestContext<RoleServer>) -> Result<Value, &'static str> {
        let raw = context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<Raw>());
        let identity = match self.mode.as_str() {
            "key" => Some(arguments["key"].as_str().ok_or("key is missing")?.to_owned()),
            "request" => Some(context.id.to_string()),
            "body" => Some(String::from_utf8_lossy(&raw.ok_or("no body")?.0).into_owned()),
            _ => None,
        };
        self.wait("after", context).await?;
        let charge = json!({"intent": arguments["intent"], "amount": arguments["amount"]});
        let paid = self.pay(charge, identity)?;
        self.wait("before", context).await?;
        Ok(paid)
    }
}

impl ServerHandler for Charges {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let properties =
            json!({"intent": {"type": "string"}, "amount": {"type": "integer"}, "key": {"type": "string"}});
        let schema = json!({"type": "object", "properties": properties, "required": ["intent", "amount"]});
        let schema: JsonObject = serde_json::from_value(schema).unwrap();
        let claims = matches!(self.mode.as_str(), "none" | "key");
        let tool = Tool::new("charge", "Charges an amount for an intent", schema);
        let tool = tool.with_annotations(ToolAnnotations::new().idempotent(claims).read_only(false));
        Ok(ListToolsResult::with_all_items(vec![tool]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        Ok(match self.charge(&arguments, &context).await {
            Ok(paid) => CallToolResult::structured(paid),
            Err(why) => CallToolResult::error(vec![ContentBlock::text(why)]),
        }
        .into())
    }
}

async fn keep_raw(request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let body = to_bytes(body, 1 << 20).await.unwrap();
    parts.extensions.insert(Raw(body.clone()));
    next.run(Request::from_parts(parts, Body::from(body))).await
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let args: Vec<_> = std::env::args().skip(1).collect();
    let ledger = Arc::new(File::options().create(true).append(true).open(&args[1]).unwrap());
    let charges = Charges { mode: args[0].clone(), ledger, known: Arc::default() };
    let Some(port) = args.get(2) else {
        charges.serve(rmcp::transport::stdio()).await.unwrap().waiting().await.unwrap();
        return;
    };
    let sessions = Arc::<rmcp::transport::streamable_http_server::session::local::LocalSessionManager>::default();
    let service = StreamableHttpService::new(move || Ok(charges.clone()), sessions, Default::default());
    let router = axum::Router::new().nest_service("/mcp", service).layer(from_fn(keep_raw));
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await.unwrap();
    axum::serve(listener, router).await.unwrap();
}
