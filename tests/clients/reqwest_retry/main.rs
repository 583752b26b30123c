//! reqwest with reqwest-retry, as its README sets it up: pays one order through IDEM_PROXY.

use std::time::Duration;

use reqwest_middleware::ClientBuilder;
use reqwest_retry::policies::ExponentialBackoff;
use reqwest_retry::RetryTransientMiddleware;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let policy = ExponentialBackoff::builder()
        .retry_bounds(Duration::from_millis(50), Duration::from_millis(200))
        .build_with_max_retries(2);
    let client = reqwest::Client::builder().timeout(Duration::from_secs(1)).build()?;
    let client = ClientBuilder::new(client).with(RetryTransientMiddleware::new_with_policy(policy)).build();
    let body = serde_json::json!({"intent": std::env::var("IDEM_RUN")?, "amount": 5});
    let url = format!("{}/charges", std::env::var("IDEM_PROXY")?);
    client.post(url).json(&body).send().await?.error_for_status()?.bytes().await?;
    Ok(())
}
