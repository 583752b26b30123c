//! One connection, whatever carries it. Invariant: what is sent has left us when `send` returns, and an end or a reset is
//! what the carrier has of it.

use std::io::Result;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};
use tokio_rustls::client::TlsStream;

#[derive(Debug)]
pub enum Stream {
    Tcp(TcpStream),
    /// On the heap: it is ten times the size of the others, and thousands of attempts may be waiting at one moment.
    Tls(Box<TlsStream<TcpStream>>),
    Unix(UnixStream),
}

impl Stream {
    /// The next bytes; 0 at the end. An end of TLS without its close_notify is an error (`UnexpectedEof`): anybody on the
    /// way could have made it. May be dropped and called again.
    pub async fn read(&mut self, piece: &mut [u8]) -> Result<usize> {
        match self {
            Stream::Tcp(stream) => stream.read(piece).await,
            Stream::Tls(stream) => stream.read(piece).await,
            Stream::Unix(stream) => stream.read(piece).await,
        }
    }

    pub async fn send(&mut self, bytes: &[u8]) -> Result<()> {
        match self {
            Stream::Tcp(stream) => stream.write_all(bytes).await,
            Stream::Tls(stream) => {
                stream.write_all(bytes).await?;
                // Else the last record could wait in the session.
                stream.flush().await
            }
            Stream::Unix(stream) => stream.write_all(bytes).await,
        }
    }

    /// Nothing more is sent: a FIN, after a close_notify where it is TLS. What comes can still be read.
    pub async fn end(&mut self) -> Result<()> {
        match self {
            Stream::Tcp(stream) => stream.shutdown().await,
            Stream::Tls(stream) => stream.shutdown().await,
            Stream::Unix(stream) => stream.shutdown().await,
        }
    }

    /// Ends it at once: by a reset, without a word of TLS. A Unix socket has no reset, so there it is a close.
    pub fn reset(self) {
        // Fails only where the connection has ended already.
        let _ = match &self {
            Stream::Tcp(stream) => stream.set_zero_linger(),
            Stream::Tls(stream) => stream.get_ref().0.set_zero_linger(),
            Stream::Unix(_) => Ok(()),
        };
    }
}
