// Chooses one token a row. Row parameters (8 words): temperature, top-k, top-p, seed low, seed high, counter, mask's byte
// or -1, unused. Results (4 words): token or -1 (a logit is not finite) or -2 (mask empty), log-probability (untempered,
// unmasked), probability that the mask removed (at the sampling temperature), unused.
// Temperature, then mask, then top-k, then top-p of what is left. Both cut at a logit found by bisection over its bits
// (no sort); ties at the cut go to the lower ids. The draw is Philox4x32-10 (Salmon et al. 2011): a function of
// (seed, counter). One workgroup a row; logits are only read.

var<workgroup> settings: array<u32, 8>;
var<workgroup> counts: array<u32, WIDTH>;
var<workgroup> answer: u32;

/** Logits in the order of their values. */
fn rank_of(bits: u32) -> u32 {
  return select(bits | 0x80000000u, ~bits, (bits >> 31u) == 1u);
}

/** What is still allowed: a mask's byte (or -1), logits above `cut`, and those equal to it up to id `last`. */
struct Kept {
  mask: i32,
  cut: u32,
  last: u32,
}

fn allowed(mask: i32, i: u32) -> bool {
  if (mask < 0) {
    return true;
  }
  let at = u32(mask) + i;
  return ((word_masks(at >> 2u) >> ((at & 3u) * 8u)) & 0xffu) != 0u;
}

fn is_kept(kept: Kept, z: u32, i: u32) -> bool {
  let rank = rank_of(word_logits(z + i));
  return (rank > kept.cut || (rank == kept.cut && i <= kept.last)) && allowed(kept.mask, i);
}

/** Mass (or count) of what is kept and ranks at least `least`. */
fn measure(kept: Kept, z: u32, lane: u32, top: f32, inverse: f32, counting: bool, least: u32) -> f32 {
  var sum = 0.0;
  for (var i = lane; i < p.vocab; i = i + WIDTH) {
    if (rank_of(word_logits(z + i)) >= least && is_kept(kept, z, i)) {
      if (counting) {
        sum = sum + 1.0;
      } else {
        sum = sum + exp_((get_logits(z + i) - top) * inverse);
      }
    }
  }
  return sum_all(lane, sum);
}

/** Ids of one invocation where order matters: whole runs. */
fn run_of(lane: u32) -> vec2<u32> {
  let size = (p.vocab + WIDTH - 1u) / WIDTH;
  return vec2<u32>(min(p.vocab, lane * size), min(p.vocab, (lane + 1u) * size));
}

/** The largest logits until `goal` (a count, or a mass) is reached. */
fn keep_largest(kept: Kept, z: u32, lane: u32, top: f32, inverse: f32, counting: bool, goal: f32) -> Kept {
  var cut = 0u;
  for (var bit = 0x80000000u; bit != 0u; bit = bit >> 1u) {
    if (measure(kept, z, lane, top, inverse, counting, cut | bit) >= goal) {
      cut = cut | bit;
    }
  }
  let have = measure(kept, z, lane, top, inverse, counting, cut + 1u);
  let run = run_of(lane);
  var ties = 0u;
  var weight = 1.0;
  for (var i = run.x; i < run.y; i = i + 1u) {
    if (rank_of(word_logits(z + i)) == cut && is_kept(kept, z, i)) {
      ties = ties + 1u;
      if (!counting) {
        weight = exp_((get_logits(z + i) - top) * inverse);
      }
    }
  }
  counts[lane] = ties;
  workgroupBarrier();
  // The invocation whose run holds the last tie that is needed says where.
  var before = 0u;
  for (var l = 0u; l < lane; l = l + 1u) {
    before = before + counts[l];
  }
  let needed = u32(max(1.0, ceil((goal - have) / weight)));
  if (lane == 0u) {
    answer = p.vocab;
  }
  workgroupBarrier();
  if (ties > 0u && before < needed && before + ties >= needed) {
    for (var i = run.x; i < run.y; i = i + 1u) {
      if (rank_of(word_logits(z + i)) == cut && is_kept(kept, z, i)) {
        before = before + 1u;
        if (before == needed) {
          answer = i;
        }
      }
    }
  }
  let last = workgroupUniformLoad(&answer);
  return Kept(kept.mask, cut, last);
}

/** The allowed id with the largest logit, the lowest of equals; -2: none is allowed. */
fn argmax(mask: i32, z: u32, lane: u32) -> u32 {
  var best = 0xfffffffeu;
  for (var i = lane; i < p.vocab; i = i + WIDTH) {
    if (allowed(mask, i) && (best == 0xfffffffeu || get_logits(z + i) > get_logits(z + best))) {
      best = i;
    }
  }
  counts[lane] = best;
  workgroupBarrier();
  if (lane == 0u) {
    for (var l = 1u; l < WIDTH; l = l + 1u) {
      let other = counts[l];
      if (other == 0xfffffffeu) {
        continue;
      }
      if (best == 0xfffffffeu) {
        best = other;
      } else {
        let a = get_logits(z + other);
        let b = get_logits(z + best);
        if (a > b || (a == b && other < best)) {
          best = other;
        }
      }
    }
    answer = best;
  }
  return workgroupUniformLoad(&answer);
}

/** The id where the running sum of kept masses passes u of their total. */
fn draw(kept: Kept, z: u32, lane: u32, top: f32, inverse: f32, u: f32) -> u32 {
  let run = run_of(lane);
  var sum = 0.0;
  for (var i = run.x; i < run.y; i = i + 1u) {
    if (is_kept(kept, z, i)) {
      sum = sum + exp_((get_logits(z + i) - top) * inverse);
    }
  }
  workgroupBarrier();
  reduced[lane] = sum;
  workgroupBarrier();
  if (lane == 0u) {
    var total = 0.0;
    for (var l = 0u; l < WIDTH; l = l + 1u) {
      total = total + reduced[l];
    }
    let goal = u * total;
    var passed = 0.0;
    var last = 0xfffffffeu;
    for (var l = 0u; l < WIDTH; l = l + 1u) {
      if (reduced[l] == 0.0) {
        continue;
      }
      let part = run_of(l);
      var inner = 0.0;
      for (var i = part.x; i < part.y; i = i + 1u) {
        if (is_kept(kept, z, i)) {
          let e = exp_((get_logits(z + i) - top) * inverse);
          inner = inner + e;
          if (e > 0.0) {
            last = i;
          }
          if (e > 0.0 && passed + inner > goal) {
            break;
          }
        }
      }
      passed = passed + reduced[l];
      if (passed > goal) {
        break;
      }
    }
    answer = last;
  }
  return workgroupUniformLoad(&answer);
}

fn multiply_high(a: u32, b: u32) -> u32 {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let middle = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
  let other = (a & 0xffffu) * (b >> 16u) + (middle & 0xffffu);
  return (a >> 16u) * (b >> 16u) + (middle >> 16u) + (other >> 16u);
}

/** First output word of Philox4x32-10 as a number in [0, 1]. */
fn uniform_number(seed_low: u32, seed_high: u32, counter: u32) -> f32 {
  var c = vec4<u32>(counter, 0u, 0u, 0u);
  var key = vec2<u32>(seed_low, seed_high);
  for (var i = 0u; i < 10u; i = i + 1u) {
    c = vec4<u32>(
      multiply_high(c.z, 0xcd9e8d57u) ^ c.y ^ key.x,
      c.z * 0xcd9e8d57u,
      multiply_high(c.x, 0xd2511f53u) ^ c.w ^ key.y,
      c.x * 0xd2511f53u,
    );
    key = key + vec2<u32>(0x9e3779b9u, 0xbb67ae85u);
  }
  return f32(c.x) * 2.3283064365386963e-10; // 2^-32
}

@compute @workgroup_size(WIDTH)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let r = block_of(group);
  if (r >= p.rows) {
    return;
  }
  if (lane < 8u) {
    settings[lane] = word_parameters(r * 8u + lane);
  }
  let row = workgroupUniformLoad(&settings);
  let temperature = bitcast<f32>(row[0]);
  let top_k = row[1];
  let top_p = bitcast<f32>(row[2]);
  let mask = bitcast<i32>(row[6]);
  let z = r * p.ld;

  var bad = 0.0;
  var top = LOWEST;
  for (var i = lane; i < p.vocab; i = i + WIDTH) {
    if (not_finite(word_logits(z + i))) {
      bad = 1.0;
    }
    top = max(top, get_logits(z + i));
  }
  if (sum_all(lane, bad) > 0.0) {
    if (lane == 0u) {
      put_results(r * 4u, 0xffffffffu);
    }
    return;
  }
  top = max_all(lane, top);
  var everything = Kept(-1, 0u, p.vocab);
  let log_total = log_(measure(everything, z, lane, top, 1.0, false, 0u));

  var token = 0u;
  var removed = 0.0;
  if (temperature == 0.0) {
    token = argmax(mask, z, lane);
    if (token < p.vocab && get_logits(z + token) < top) {
      removed = 1.0; // only a mask keeps the largest from being chosen
    }
  } else {
    let inverse = 1.0 / temperature;
    var kept = Kept(mask, 0u, p.vocab);
    var left = 1.0;
    if (mask >= 0) {
      left = measure(kept, z, lane, top, inverse, false, 0u);
      removed = 1.0 - left / measure(everything, z, lane, top, inverse, false, 0u);
    }
    if (left <= 0.0) {
      token = argmax(mask, z, lane); // all allowed tokens underflowed
    } else {
      if (top_k > 0u && top_k < p.vocab) {
        kept = keep_largest(kept, z, lane, top, inverse, true, f32(top_k));
      }
      if (top_p > 0.0 && top_p < 1.0) {
        let mass = measure(kept, z, lane, top, inverse, false, 0u);
        kept = keep_largest(kept, z, lane, top, inverse, false, top_p * mass);
      }
      token = draw(kept, z, lane, top, inverse, uniform_number(row[3], row[4], row[5]));
    }
  }
  if (lane == 0u) {
    put_results(r * 4u, token);
    if (token < p.vocab) {
      set_results(r * 4u + 1u, (get_logits(z + token) - top) - log_total);
    }
    set_results(r * 4u + 2u, removed);
  }
}
