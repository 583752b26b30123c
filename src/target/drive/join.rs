//! Many futures at once, without spawning: they may borrow. Invariant: results come in the order of the futures, and
//! the futures are first polled in that order, back to back.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

/// A future that may borrow and stays on its thread.
pub type Local<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Waits for all.
pub async fn join_all<T>(futures: impl IntoIterator<Item = impl Future<Output = T>>) -> Vec<T> {
    let mut waiting: Vec<_> = futures.into_iter().map(|future| Some(Box::pin(future))).collect();
    let mut done: Vec<Option<T>> = waiting.iter().map(|_| None).collect();
    poll_fn(|context| {
        for (slot, result) in waiting.iter_mut().zip(&mut done) {
            if let Some(future) = slot
                && let Poll::Ready(value) = future.as_mut().poll(context)
            {
                *result = Some(value);
                *slot = None;
            }
        }
        if waiting.iter().all(Option::is_none) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    done.into_iter().flatten().collect()
}
