//! Faults on the connection to the target. Invariant: a moment is counted from the last request byte written, and is met
//! to a few microseconds: the runtime's timers are a thousand times coarser.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::client::Connection;
use crate::http1::{Limits, Parser};
use crate::named::named_enum;

named_enum! {
    /// How a connection is given up.
    pub enum Close {
        /// An orderly end of stream, as from a client that exits.
        Fin = "FIN",
        /// A reset, as from a proxy that drops the connection.
        Rst = "RST",
    }
}

/// What came of an exchange that was to be cut.
pub struct Cut {
    /// Whether the whole reply came before the moment.
    pub answered: bool,
}

/// Sends the request and closes the connection `after` the last byte was written, reading until then: data left unread would
/// turn a FIN into a RST.
pub async fn cut(connection: Connection, request: &[u8], after: Duration, how: Close) -> std::io::Result<Cut> {
    let mut stream = connection.into_stream();
    stream.write_all(request).await?;
    let moment = std::time::Instant::now() + after;
    let mut parser = Parser::response(Limits::default(), "POST");
    let answered = tokio::select! {
        biased;
        () = exactly(moment) => false,
        answered = read(&mut stream, &mut parser) => answered,
    };
    if answered {
        exactly(moment).await;
    }
    close(stream, how);
    Ok(Cut { answered })
}

/// Sends `part`, then ends the sending by `how`. With a FIN the target's reaction is waited for, at most `patience`, so that
/// a retry can come after it.
pub async fn upload(connection: Connection, part: &[u8], how: Close, patience: Duration) -> std::io::Result<()> {
    let mut stream = connection.into_stream();
    stream.write_all(part).await?;
    if how == Close::Fin && !patience.is_zero() {
        stream.shutdown().await?;
        let mut parser = Parser::response(Limits::default(), "POST");
        let _ = tokio::time::timeout(patience, read(&mut stream, &mut parser)).await;
    }
    close(stream, how);
    Ok(())
}

fn close(stream: TcpStream, how: Close) {
    match how {
        Close::Fin => {}
        // A socket that is already gone cannot be reset.
        Close::Rst => drop(stream.set_zero_linger()),
    }
    drop(stream);
}

/// True when the whole reply came, false where the stream ended before.
async fn read(stream: &mut TcpStream, parser: &mut Parser) -> bool {
    let mut buffer = [0; 8 * 1024];
    loop {
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return parser.finish().is_ok() && parser.is_complete(),
            Ok(n) if parser.push(&buffer[..n]).is_err() => return false,
            Ok(_) if parser.is_complete() => return true,
            Ok(_) => {}
        }
    }
}

/// Sleeps through most of the time and yields through the rest.
pub async fn exactly(moment: std::time::Instant) {
    const COARSE: Duration = Duration::from_millis(2);
    if let Some(early) = moment.checked_duration_since(std::time::Instant::now() + COARSE) {
        tokio::time::sleep_until(Instant::now() + early).await;
    }
    while std::time::Instant::now() < moment {
        tokio::task::yield_now().await;
    }
}
