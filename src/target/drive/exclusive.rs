//! Who may drive the target when. Invariant: a retry that is alone with the target meets no request of another check, and
//! comes after the check that drives now, not after all that queue.

use std::cell::Cell;
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep_until};

/// The places at the target.
pub struct Exclusive {
    /// How many checks may drive it side by side.
    places: u32,
    /// Checks queue here, each until its cases are driven; those that wait for a lease do not.
    queue: Semaphore,
    /// Whoever sends requests now: the checks that left the queue, or one retry that takes all the places.
    drivers: Semaphore,
    /// When a check last stopped driving; what it began and did not wait for takes as long as a plain request at most.
    idle_since: Cell<Instant>,
}

/// A place; it is given up when this is dropped. None where the run is over.
pub type Place<'a> = Option<SemaphorePermit<'a>>;

impl Exclusive {
    pub fn new(places: usize) -> Exclusive {
        let (queue, drivers) = (Semaphore::new(places), Semaphore::new(places));
        Exclusive { places: places as u32, queue, drivers, idle_since: Cell::new(Instant::now()) }
    }

    /// Waits for a check's turn.
    pub async fn turn(&self) -> Place<'_> {
        self.queue.acquire().await.ok()
    }

    /// Waits until it may drive beside at most the other checks.
    pub async fn drive(&self) -> Place<'_> {
        self.drivers.acquire().await.ok()
    }

    /// Notes that a check has stopped driving.
    pub fn driven(&self) {
        self.idle_since.set(Instant::now());
    }

    /// Waits until nobody else drives, and `settling` more for what the last check left behind.
    pub async fn alone(&self, settling: Duration) -> Place<'_> {
        let all = self.drivers.acquire_many(self.places).await.ok();
        sleep_until(self.idle_since.get() + settling).await;
        all
    }
}
