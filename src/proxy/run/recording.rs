//! The proxy of one run, and the readings of what went through it. Invariant: every attempt becomes one reading, also when
//! the run is broken off.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::bail;
use tokio::time::{Instant, timeout_at};

use crate::http::address::Address;
use crate::proxy::attempt_line::AttemptLine;
use crate::proxy::attempt_log::{AttemptLog, Rules};
use crate::proxy::command::{locked, start};
use crate::proxy::event::{Event, EventKind};
use crate::proxy::listener::Proxy;
use crate::proxy::readings::Readings;
use crate::proxy::settings::Settings;

/// What the client sent before it ended may still be on its way to us: silence for so long ends the wait.
const SILENCE: Duration = Duration::from_millis(20);

pub struct Recording<'f> {
    proxy: Proxy,
    log: Arc<Mutex<AttemptLog>>,
    attempts: Vec<AttemptLine>,
    file: Option<&'f mut Readings>,
}

impl<'f> Recording<'f> {
    /// # Errors
    /// The port is taken.
    pub async fn start(
        listen: SocketAddr,
        upstream: &Address,
        settings: Settings,
        rules: Rules,
        file: Option<&'f mut Readings>,
    ) -> anyhow::Result<Recording<'f>> {
        let log = Arc::new(Mutex::new(AttemptLog::new(rules)));
        let proxy = start(listen, upstream, settings, &log).await?;
        Ok(Recording { proxy, log, attempts: Vec::new(), file })
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.proxy.address())
    }

    /// The readings so far, in the order in which they were finished.
    pub fn attempts(&self) -> &[AttemptLine] {
        &self.attempts
    }

    /// Waits for the next thing to happen, and takes it in. True where something is held back by a fault. May be dropped
    /// and called again.
    ///
    /// # Errors
    /// The readings cannot be written.
    pub async fn next(&mut self) -> anyhow::Result<bool> {
        let Some(event) = self.proxy.events().next().await else { bail!("the proxy ended by itself") };
        self.take(&event)?;
        Ok(matches!(event.what, EventKind::Held))
    }

    /// From now on all requests pass.
    pub fn fault_no_more(&self) {
        locked(&self.log).fault_no_more();
    }

    /// No client is left: what is held back for one goes on, and what is under way at the server is waited for, at most
    /// so long.
    ///
    /// # Errors
    /// The readings cannot be written.
    pub async fn settle(&mut self, patience: Duration) -> anyhow::Result<()> {
        let end = Instant::now() + patience;
        while Instant::now() < end {
            locked(&self.log).release();
            let is_idle = locked(&self.log).is_idle();
            let wait = if is_idle { end.min(Instant::now() + SILENCE) } else { end };
            match timeout_at(wait, self.next()).await {
                Ok(taken) => taken?,
                Err(_) => break,
            };
        }
        Ok(())
    }

    /// Ends the proxy, and gives all readings.
    ///
    /// # Errors
    /// The readings cannot be written.
    pub fn finish(mut self) -> anyhow::Result<Vec<AttemptLine>> {
        self.take_rest()?;
        Ok(std::mem::take(&mut self.attempts))
    }

    fn take_rest(&mut self) -> anyhow::Result<()> {
        while let Some(event) = self.proxy.events().ready() {
            self.take(&event)?;
        }
        let rest = locked(&self.log).stop();
        self.keep(rest)
    }

    fn take(&mut self, event: &Event) -> anyhow::Result<()> {
        let finished = locked(&self.log).observe(event);
        self.keep(finished)
    }

    fn keep(&mut self, finished: Vec<AttemptLine>) -> anyhow::Result<()> {
        if let Some(file) = &mut self.file {
            file.append(&finished)?;
        }
        self.attempts.extend(finished);
        Ok(())
    }
}

impl Drop for Recording<'_> {
    fn drop(&mut self) {
        // Where it was broken off, nobody is left to be told that the last readings could not be written.
        let _ = self.take_rest();
    }
}
