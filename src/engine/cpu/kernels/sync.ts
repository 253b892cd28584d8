// Threads: a barrier between ops and a counter that hands out uneven work. Every result is the same whoever computes
// it, so who takes what may depend on time. Knows nothing of ops. The control block lies at fixed addresses below 4 KB.

const GENERATION: usize = 0x40; // helpers wait here for the next plan
const PLAN: usize = 0x44;
const COUNT: usize = 0x48;
const THREADS: usize = 0x4c;
const QUIT: usize = 0x50;
const ARRIVED: usize = 0x80;
const EPOCH: usize = 0xc0;
const NEXT: usize = 0x100;

const SPINS: i32 = 4000; // some 10 us: shorter than a futex, too short to hurt a busy neighbour

export let scratch: usize = 0;
export let scratchBytes: usize = 0;

let maySleep: bool = true;

/** Each thread's own working memory; a page's main thread may not sleep, only spin. */
export function setThread(address: usize, bytes: usize, sleep: bool): void {
  scratch = address;
  scratchBytes = bytes;
  maySleep = sleep;
}

function waitFor(address: usize, old: i32, spins: i32): void {
  for (let i = 0; i < spins; i++) if (atomic.load<i32>(address) != old) return;
  while (atomic.load<i32>(address) == old) if (maySleep) atomic.wait<i32>(address, old, -1);
}

export function barrier(threads: i32): void {
  if (threads == 1) {
    store<i32>(NEXT, 0);
    return;
  }
  let epoch = atomic.load<i32>(EPOCH);
  if (atomic.add<i32>(ARRIVED, 1) == threads - 1) {
    atomic.store<i32>(ARRIVED, 0);
    atomic.store<i32>(NEXT, 0);
    atomic.add<i32>(EPOCH, 1);
    atomic.notify(EPOCH, threads);
  } else {
    waitFor(EPOCH, epoch, SPINS);
  }
}

/** Next piece of uneven work within an op; reset by the barrier. */
export function nextItem(threads: i32): i32 {
  if (threads == 1) {
    let item = load<i32>(NEXT);
    store<i32>(NEXT, item + 1);
    return item;
  }
  return atomic.add<i32>(NEXT, 1);
}

/**
 * How many of `total` units (panels, quads of rows) make one item: enough items for uneven or interrupted threads to
 * even out, none much below 10 us of work (multiply-adds), whole multiples.
 */
export function itemSize(total: i32, work: f64, threads: i32, multiple: i32): i32 {
  if (threads == 1) return total;
  let items = <i32>max(<f64>threads, min(<f64>(8 * threads), work / 131072));
  return ((total + items - 1) / items + multiple - 1) / multiple * multiple;
}

export function announce(plan: usize, count: i32, threads: i32): void {
  atomic.store<i32>(PLAN, <i32>plan);
  atomic.store<i32>(COUNT, count);
  atomic.store<i32>(THREADS, threads);
  atomic.add<i32>(GENERATION, 1);
  atomic.notify(GENERATION, threads);
}

export function awaitPlan(seen: i32): i32 {
  waitFor(GENERATION, seen, SPINS);
  return atomic.load<i32>(GENERATION);
}

export function generation(): i32 {
  return atomic.load<i32>(GENERATION);
}
export function announcedPlan(): usize {
  return <usize>atomic.load<i32>(PLAN);
}
export function announcedCount(): i32 {
  return atomic.load<i32>(COUNT);
}
export function announcedThreads(): i32 {
  return atomic.load<i32>(THREADS);
}
export function quitting(): bool {
  return atomic.load<i32>(QUIT) != 0;
}
export function quit(): void {
  atomic.store<i32>(QUIT, 1);
  atomic.add<i32>(GENERATION, 1);
  atomic.notify(GENERATION, 64);
}
