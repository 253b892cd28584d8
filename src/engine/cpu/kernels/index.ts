// The interpreter: runs records of 32 words, one op each, [code, operands...]; codes and operand order are those of
// plan/ops.ts. All threads walk the same list and meet at a barrier after each op. Thread 0 keeps the time per code.
import { attention } from './attention';
import { attentionGrad } from './attention-grad';
import { linear } from './linear';
import { linearDw, linearDx } from './linear-grad';
import { crossEntropy } from './loss';
import { columnSum, rmsNorm, rmsNormGrad } from './norm';
import { adamw, clip, squareSum } from './optimizer';
import { rope, storeKv } from './rope';
import { embed, embedGrad, moveRows, zero } from './rows';
import { sample } from './sample';
import { swiglu, swigluGrad } from './swiglu';
import { madd } from './tile';
import * as sync from './sync';

declare function now(): f64;

const RECORD: usize = 128;
const TIMES: usize = 0x200; // f64 milliseconds per code
const TIMING: usize = 0x140; // 1: keep times

function dispatch(op: usize, thread: i32, threads: i32): void {
  switch (load<i32>(op)) {
    case 1:
      return embed(op, thread, threads);
    case 2:
      return rmsNorm(op, thread, threads);
    case 3:
      return linear(op, thread, threads);
    case 4:
      return rope(op, thread, threads);
    case 5:
      return storeKv(op, thread, threads);
    case 6:
      return attention(op, thread, threads);
    case 7:
      return swiglu(op, thread, threads);
    case 8:
      return moveRows(op, thread, threads);
    case 9:
      return crossEntropy(op, thread, threads);
    case 10:
      return sample(op, thread, threads);
    case 11:
      return zero(op, thread, threads);
    case 12:
      return linearDx(op, thread, threads);
    case 13:
      return linearDw(op, thread, threads);
    case 14:
      return rmsNormGrad(op, thread, threads);
    case 15:
      return columnSum(op, thread, threads);
    case 16:
      return attentionGrad(op, thread, threads);
    case 17:
      return swigluGrad(op, thread, threads);
    case 18:
      return embedGrad(op, thread, threads);
    case 19:
      return squareSum(op, thread, threads);
    case 20:
      return clip(op, thread, threads);
    case 21:
      return adamw(op, thread, threads);
    default:
      unreachable();
  }
}

function walk(plan: usize, count: i32, thread: i32, threads: i32): void {
  let timing = thread == 0 && load<i32>(TIMING) != 0;
  let t0: f64 = timing ? now() : 0;
  for (let i = 0; i < count; i++) {
    dispatch(plan, thread, threads);
    sync.barrier(threads);
    if (timing) {
      let t1 = now();
      let cell = TIMES + (<usize>load<i32>(plan) << 3);
      store<f64>(cell, load<f64>(cell) + t1 - t0);
      t0 = t1;
    }
    plan += RECORD;
  }
}

/** Thread 0: runs a plan with the helpers that are waiting. */
export function run(plan: usize, count: i32, threads: i32): void {
  if (threads > 1) sync.announce(plan, count, threads);
  walk(plan, count, 0, threads);
}

/** A helper thread: runs each announced plan until told to quit. `seen`: the generation when it was started. */
export function help(thread: i32, seen: i32): void {
  for (;;) {
    seen = sync.awaitPlan(seen);
    if (sync.quitting()) return;
    let threads = sync.announcedThreads();
    if (thread < threads) walk(sync.announcedPlan(), sync.announcedCount(), thread, threads);
  }
}

export function setThread(address: usize, bytes: usize, sleep: bool): void {
  sync.setThread(address, bytes, sleep);
}

export function generation(): i32 {
  return sync.generation();
}

export function quit(): void {
  sync.quit();
}

/** Whether products and sums are rounded once: (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24 then, else 0. */
export function fuses(): bool {
  let x = f32x4.splat(1.000244140625);
  return f32x4.extract_lane(madd(x, x, f32x4.splat(-1.00048828125)), 0) != 0;
}

/** FNV-1a over 32-bit words, 64 bits wide. */
export function hash(from: usize, words: usize, seed: u64): u64 {
  for (let i: usize = 0; i < words; i++) seed = (seed ^ <u64>load<u32>(from + (i << 2))) * 0x100000001b3;
  return seed;
}
