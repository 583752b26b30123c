//! Options of `idem init`. Invariant: each is an option of `idem probe --target` under the same name, or says where the
//! request comes from or the file goes.

use std::path::PathBuf;

use clap::Args;

use crate::config::FILE;

/// Write a commented idem.toml, after one real request to your endpoint
///
/// The request may make a real charge, so only a loopback host is asked unless --allow-host names another. The reply
/// tells where the receipt is, the ledger where it holds the intent; what is guessed is said beside it in the file.
#[derive(Args, Debug)]
#[command(verbatim_doc_comment, after_help = EXAMPLES)]
pub struct InitArgs {
    /// Endpoint to describe; with --openapi the address of the service
    #[arg(value_name = "URL")]
    pub url: String,
    /// A body that the endpoint takes: its order id and its amount are found, unless it has {{intent}} and {{amount}}
    #[arg(long, value_name = "TEXT|@FILE")]
    pub body: Option<String>,
    /// OpenAPI 3 description (JSON) to make the request from
    #[arg(long, value_name = "FILE", requires = "operation", conflicts_with_all = ["body", "method", "content_type"])]
    pub openapi: Option<PathBuf>,
    /// Which of its operations: an operationId, or as "POST /charges"
    #[arg(long, value_name = "ID|METHOD PATH", requires = "openapi")]
    pub operation: Option<String>,
    /// Type of the body [default: told from the body: JSON or a form]
    #[arg(long, value_name = "TYPE")]
    pub content_type: Option<String>,
    /// Request method [default: POST]
    #[arg(long, value_name = "METHOD")]
    pub method: Option<String>,
    /// Request header, repeatable; its value goes to the environment, not into the file
    #[arg(long, value_name = "K: V")]
    pub header: Vec<String>,
    /// Header that carries the key [default: the one of --header that is called so, else Idempotency-Key]
    #[arg(long, value_name = "NAME")]
    pub key_header: Option<String>,
    /// Where side effects are counted: a file, a URL, or `none`
    #[arg(long, value_name = "FILE|URL", conflicts_with = "ledger_cmd")]
    pub ledger: Option<String>,
    /// Command that prints the ledger, run by /bin/sh
    #[arg(long, value_name = "CMD")]
    pub ledger_cmd: Option<String>,
    /// Allow a host that is not loopback: the request is a real one; repeatable
    #[arg(long, value_name = "HOST")]
    pub allow_host: Vec<String>,
    /// Certificate authorities (PEM) to trust for https, beside the built-in ones
    #[arg(long, value_name = "FILE", conflicts_with = "insecure")]
    pub cacert: Option<PathBuf>,
    /// Do not verify certificates; on loopback only
    #[arg(long)]
    pub insecure: bool,
    /// The file to write
    #[arg(long, value_name = "FILE", default_value = FILE)]
    pub output: PathBuf,
    /// Name of the target, as in `idem probe NAME`; `target` writes [target], which holds for every other one too
    #[arg(long, value_name = "NAME", default_value = "target")]
    pub name: String,
    /// Overwrite a file that is there
    #[arg(long)]
    pub force: bool,
}

const EXAMPLES: &str = "\
Examples:
  idem init http://127.0.0.1:8080/charges --ledger charges.jsonl --body '{\"order_id\":\"ord-1\",\"amount\":1000}'
  idem init http://127.0.0.1:8080 --openapi api.json --operation createCharge --header 'Authorization: Bearer ...'

Exit codes: 0 the answer was a success, 4 it was not (the file is written, and says what was answered), 3 nothing written";
