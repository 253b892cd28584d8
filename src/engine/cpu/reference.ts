// The whole model, forward and backward, in float64 and plain loops: what the kernels are tested against. Written from
// the formulas, not from the kernels; checked itself by finite differences. Slow; only tests import it.
import { LINEAR_PATH, linearShape } from '../model/tensors.ts';
import { ropeTable } from '../plan/rope.ts';
import type { LoraConfig, LoraTarget, ModelConfig } from '../types.ts';

type Matrix = Float64Array;
export type Parameters = Map<string, Matrix>;

export interface ReferenceBatch {
  sequences: number[][];
  weights: number[][];
  normalizer: number;
}

/** [m,k] x [n,k]^T */
function product(x: Matrix, w: Matrix, m: number, k: number, n: number): Matrix {
  const y = new Float64Array(m * n);
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let l = 0; l < k; l++) sum += x[i * k + l]! * w[j * k + l]!;
      y[i * n + j] = sum;
    }
  }
  return y;
}

/** dx += dy w, dw += dy^T x */
function productGrad(dy: Matrix, x: Matrix, w: Matrix, m: number, k: number, n: number, dx: Matrix, dw: Matrix): void {
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < n; j++) {
      const g = dy[i * n + j]!;
      if (g === 0) continue;
      for (let l = 0; l < k; l++) {
        dx[i * k + l] = dx[i * k + l]! + g * w[j * k + l]!;
        dw[j * k + l] = dw[j * k + l]! + g * x[i * k + l]!;
      }
    }
  }
}

/** What a stage leaves behind: its value, and how a gradient of it becomes gradients of what it read. */
interface Node {
  value: Matrix;
  grad: Matrix;
}
const node = (value: Matrix): Node => ({ value, grad: new Float64Array(value.length) });

export class Reference {
  readonly grads: Parameters = new Map();
  private tape: (() => void)[] = [];

  constructor(
    readonly config: ModelConfig,
    readonly parameters: Parameters,
    readonly lora: LoraConfig | null = null,
  ) {
    for (const [name, values] of parameters) this.grads.set(name, new Float64Array(values.length));
  }

  private linear(x: Node, rows: number, layer: number, target: LoraTarget): Node {
    const [n, k] = linearShape(this.config, target);
    const name = `model.layers.${layer}.${LINEAR_PATH[target]}`;
    const y = this.matmul(x, `${name}.weight`, rows, k, n);
    if (this.config.qkvBias && /^[qkv]_/.test(target)) {
      const bias = this.parameters.get(`${name}.bias`)!;
      for (let i = 0; i < y.value.length; i++) y.value[i] = y.value[i]! + bias[i % n]!;
      const grad = this.grads.get(`${name}.bias`)!;
      this.tape.push(() => y.grad.forEach((g, i) => (grad[i % n] = grad[i % n]! + g)));
    }
    if (this.lora?.targets.includes(target)) {
      const { rank, alpha } = this.lora;
      const base = `base_model.model.${name}`;
      const low = this.matmul(x, `${base}.lora_A.weight`, rows, k, rank);
      const up = this.matmul(low, `${base}.lora_B.weight`, rows, rank, n);
      for (let i = 0; i < y.value.length; i++) y.value[i] = y.value[i]! + (alpha / rank) * up.value[i]!;
      this.tape.push(() => y.grad.forEach((g, i) => (up.grad[i] = up.grad[i]! + (alpha / rank) * g)));
    }
    return y;
  }

  private matmul(x: Node, name: string, m: number, k: number, n: number): Node {
    const w = this.parameters.get(name)!;
    const y = node(product(x.value, w, m, k, n));
    this.tape.push(() => productGrad(y.grad, x.value, w, m, k, n, x.grad, this.grads.get(name)!));
    return y;
  }

  private norm(x: Node, name: string, width: number): Node {
    const w = this.parameters.get(name)!;
    const y = node(new Float64Array(x.value.length));
    const rows = x.value.length / width;
    for (let r = 0; r < rows; r++) {
      const row = x.value.subarray(r * width, (r + 1) * width);
      const scale = 1 / Math.sqrt(row.reduce((sum, v) => sum + v * v, 0) / width + this.config.normEps);
      row.forEach((v, i) => (y.value[r * width + i] = v * scale * w[i]!));
      this.tape.push(() => {
        const dy = y.grad.subarray(r * width, (r + 1) * width);
        const dw = this.grads.get(name)!;
        let dot = 0;
        dy.forEach((g, i) => {
          dot += g * w[i]! * row[i]!;
          dw[i] = dw[i]! + g * row[i]! * scale;
        });
        dy.forEach((g, i) => (x.grad[r * width + i]! += scale * (g * w[i]! - (row[i]! * scale * scale * dot) / width)));
      });
    }
    return y;
  }

  private rope(x: Node, heads: number, rows: number): Node {
    const dim = this.config.headDim;
    const half = dim / 2;
    const table = ropeTable(this.config, rows);
    const y = node(new Float64Array(x.value.length));
    const turn = (from: Matrix, to: Matrix, direction: number) => {
      for (let i = 0; i < rows * heads; i++) {
        const position = Math.floor(i / heads);
        for (let d = 0; d < half; d++) {
          const [c, s] = [table[position * dim + d]!, direction * table[position * dim + half + d]!];
          const [a, b] = [from[i * dim + d]!, from[i * dim + half + d]!];
          to[i * dim + d] = to[i * dim + d]! + a * c - b * s;
          to[i * dim + half + d] = to[i * dim + half + d]! + b * c + a * s;
        }
      }
    };
    turn(x.value, y.value, 1);
    this.tape.push(() => turn(y.grad, x.grad, -1));
    return y;
  }

  private attention(q: Node, k: Node, v: Node, rows: number): Node {
    const { heads, kvHeads, headDim: dim } = this.config;
    const out = node(new Float64Array(q.value.length));
    const scale = 1 / Math.sqrt(dim);
    for (let h = 0; h < heads; h++) {
      const g = Math.floor(h / (heads / kvHeads));
      const qAt = (i: number) => (i * heads + h) * dim;
      const kAt = (j: number) => (j * kvHeads + g) * dim;
      for (let i = 0; i < rows; i++) {
        const s = Array.from({ length: i + 1 }, (_, j) => {
          let sum = 0;
          for (let d = 0; d < dim; d++) sum += q.value[qAt(i) + d]! * k.value[kAt(j) + d]!;
          return sum * scale;
        });
        const top = Math.max(...s);
        const e = s.map((x) => Math.exp(x - top));
        const total = e.reduce((a, b) => a + b);
        const p = e.map((x) => x / total);
        p.forEach((x, j) => {
          for (let d = 0; d < dim; d++) out.value[qAt(i) + d]! += x * v.value[kAt(j) + d]!;
        });
        this.tape.push(() => {
          const dp = p.map((_, j) => {
            let sum = 0;
            for (let d = 0; d < dim; d++) sum += out.grad[qAt(i) + d]! * v.value[kAt(j) + d]!;
            return sum;
          });
          const mean = dp.reduce((sum, x, j) => sum + x * p[j]!, 0);
          p.forEach((x, j) => {
            const ds = scale * x * (dp[j]! - mean);
            for (let d = 0; d < dim; d++) {
              v.grad[kAt(j) + d]! += x * out.grad[qAt(i) + d]!;
              q.grad[qAt(i) + d]! += ds * k.value[kAt(j) + d]!;
              k.grad[kAt(j) + d]! += ds * q.value[qAt(i) + d]!;
            }
          });
        });
      }
    }
    return out;
  }

  private add(a: Node, b: Node): Node {
    const y = node(a.value.map((x, i) => x + b.value[i]!));
    this.tape.push(() =>
      y.grad.forEach((g, i) => {
        a.grad[i]! += g;
        b.grad[i]! += g;
      }),
    );
    return y;
  }

  private swiglu(gate: Node, up: Node): Node {
    const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
    const y = node(gate.value.map((g, i) => g * sigmoid(g) * up.value[i]!));
    this.tape.push(() =>
      y.grad.forEach((d, i) => {
        const g = gate.value[i]!;
        const s = sigmoid(g);
        gate.grad[i]! += d * up.value[i]! * s * (1 + g * (1 - s));
        up.grad[i]! += d * g * s;
      }),
    );
    return y;
  }

  /** Logits [rows, vocab] of one sequence. */
  forward(ids: readonly number[]): Node {
    const { config } = this;
    const { hidden } = config;
    const rows = ids.length;
    const table = this.parameters.get('model.embed_tokens.weight')!;
    let x = node(new Float64Array(rows * hidden));
    ids.forEach((id, r) => x.value.set(table.subarray(id * hidden, (id + 1) * hidden), r * hidden));
    const embedded = x;
    this.tape = [
      () => {
        const grad = this.grads.get('model.embed_tokens.weight')!;
        ids.forEach((id, r) => {
          for (let i = 0; i < hidden; i++) grad[id * hidden + i]! += embedded.grad[r * hidden + i]!;
        });
      },
    ];
    for (let layer = 0; layer < config.layers; layer++) {
      const prefix = `model.layers.${layer}`;
      const h1 = this.norm(x, `${prefix}.input_layernorm.weight`, hidden);
      let q = this.linear(h1, rows, layer, 'q_proj');
      let k = this.linear(h1, rows, layer, 'k_proj');
      const v = this.linear(h1, rows, layer, 'v_proj');
      if (config.qkNorm) {
        q = this.norm(q, `${prefix}.self_attn.q_norm.weight`, config.headDim);
        k = this.norm(k, `${prefix}.self_attn.k_norm.weight`, config.headDim);
      }
      q = this.rope(q, config.heads, rows);
      k = this.rope(k, config.kvHeads, rows);
      x = this.add(x, this.linear(this.attention(q, k, v, rows), rows, layer, 'o_proj'));
      const h2 = this.norm(x, `${prefix}.post_attention_layernorm.weight`, hidden);
      const [gate, up] = [this.linear(h2, rows, layer, 'gate_proj'), this.linear(h2, rows, layer, 'up_proj')];
      x = this.add(x, this.linear(this.swiglu(gate, up), rows, layer, 'down_proj'));
    }
    const head = config.tied ? 'model.embed_tokens.weight' : 'lm_head.weight';
    return this.matmul(this.norm(x, 'model.norm.weight', hidden), head, rows, hidden, config.vocab);
  }

  /** Loss of a batch; gradients add up in `grads`. */
  loss({ sequences, weights, normalizer }: ReferenceBatch): number {
    const { vocab } = this.config;
    let loss = 0;
    sequences.forEach((ids, s) => {
      const logits = this.forward(ids);
      for (let t = 1; t < ids.length; t++) {
        const c = weights[s]![t]! / normalizer;
        if (c === 0) continue;
        const row = logits.value.subarray((t - 1) * vocab, t * vocab);
        const top = row.reduce((a, b) => Math.max(a, b));
        const lse = top + Math.log(row.reduce((sum, z) => sum + Math.exp(z - top), 0));
        loss -= c * (row[ids[t]!]! - lse);
        row.forEach((z, i) => (logits.grad[(t - 1) * vocab + i] = c * (Math.exp(z - lse) - (i === ids[t] ? 1 : 0))));
      }
      for (const back of this.tape.reverse()) back();
    });
    return loss;
  }
}
