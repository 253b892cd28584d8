// Runs plans on a GPU: every op becomes one or two dispatches, a plan one compute pass in one submit. The slab, the
// numbers of all ops and the way back are one buffer each, kept and grown; a plan that fits makes none.
// Knows nothing of models, sequences or training.
import { CodedError } from '../../errors.ts';
import type { Bind, Machine } from '../host/machine.ts';
import type { Plan } from '../plan/builder.ts';
import { OPS, type PlanOp } from '../plan/ops.ts';
import { type Block, type Gpu, MAP_READ, SHORTER, USAGE } from './device.ts';
import { DISPATCHES, type Dispatch, type Numbers } from './kernels.ts';
import { bindGroupLayout, pipelineFor } from './pipelines.ts';
import type { Where } from './prelude.ts';
import { byParts, type Part, weightIndex } from './parts.ts';
import { timed } from './timing.ts';
import type { Variants } from './variants.ts';

/** A place outside the slab; offset in words. */
export interface Place {
  readonly block: Block;
  readonly offset: number;
  /** Of a weight that is too large for one buffer; `block` is the first one's. */
  readonly parts?: readonly Part[];
}

interface Step {
  dispatch: Dispatch;
  where: readonly Where[];
  /** Of the operands outside the slab, in order. */
  blocks: readonly Block[];
  pipeline: Promise<GPUComputePipeline>;
  record: number;
}

interface Encoded {
  version: number;
  steps: Step[];
  /** One record of 256 bytes an op: where its operands begin, its numbers. */
  records: Uint32Array<ArrayBuffer>;
  /** Slots that ops write. */
  outputs: { offset: number; words: number }[];
}

const RECORD = 64; // words: the alignment of a dynamic uniform offset
const SPREAD = 32768; // block_of in math.wgsl
/** Of adapters, their gradients and moments. */
const LOWER = 'Lower the adapter’s rank, or train fewer of its layers; or choose a smaller model.';
const DEADLINE_MS = 120_000;
/**
 * Multiply-adds of one submit of several decoded tokens. A slow laptop's GPU reads 10 GB of weights a second or does 50 G
 * multiply-adds; systems reset a GPU after about two seconds. An adapter that computes on the processor does 2 G.
 */
const BURST = { gpu: 8e9, software: 5e8 };

export class GpuExecutor implements Machine<Place> {
  private slab: Block | null = null;
  private params: Block | null = null;
  private back: Block | null = null;
  private mirror = new ArrayBuffer(0);
  private readonly encoded = new WeakMap<Plan, Encoded>();
  private readonly groups = new Map<string, GPUBindGroup>();
  private version = 0;
  private last: readonly Step[] = [];
  /** What `params` holds. */
  private sent: Uint32Array | null = null;
  readonly burst: number;

  constructor(
    readonly gpu: Gpu,
    readonly variants: Variants = gpu.variants,
  ) {
    this.burst = gpu.facts.software ? BURST.software : BURST.gpu;
  }

  prepare(plan: Plan): void {
    this.slab = this.grown(this.slab, plan.words);
    const bytes = slotWords(plan) * 4;
    if (bytes > this.mirror.byteLength) this.mirror = new ArrayBuffer(bytes);
  }

  /** The same block, or a larger one in its place; contents are not kept. */
  private grown(block: Block | null, words: number, usage?: number): Block {
    if (block && block.words >= words) return block;
    this.gpu.allow(words, SHORTER, usage); // a refusal leaves what there is
    if (block) this.drop(block);
    return this.gpu.take(words, SHORTER, usage);
  }

  private drop(block: Block): void {
    this.gpu.give(block);
    this.sent = null;
    this.moved();
  }

  /** A buffer outside the slab has moved: encode plans again. */
  moved(): void {
    this.version++;
    this.groups.clear();
  }

  release(): void {
    if (this.slab) this.drop(this.slab);
    this.slab = null;
  }

  floats(plan: Plan, name: string): Float32Array {
    const { offset, words } = plan.slots.get(name)!;
    return new Float32Array(this.mirror, offset * 4, words);
  }
  ints(plan: Plan, name: string): Int32Array {
    const { offset, words } = plan.slots.get(name)!;
    return new Int32Array(this.mirror, offset * 4, words);
  }

  /** Errors: gpu/lost, gpu/invalid, gpu/memory, gpu/stuck, gpu/kernel. */
  async run(plan: Plan, bind: Bind<Place>): Promise<void> {
    const { gpu } = this;
    gpu.check();
    this.prepare(plan);
    const { steps, records, outputs } = this.encode(plan, bind);
    this.last = steps;
    this.params = this.grown(this.params, records.length, USAGE.uniform | USAGE.copyTarget);
    const words = outputs.reduce((sum, output) => sum + output.words, 0);
    if (words > 0) this.back = this.grown(this.back, words, USAGE.mapRead | USAGE.copyTarget);
    const pipelines = await Promise.all(steps.map(({ pipeline }) => pipeline));
    gpu.scoped(() => {
      const { queue } = gpu.device;
      const inputs = slotWords(plan) * 4;
      if (inputs > 0) queue.writeBuffer(this.slab!.buffer, 0, this.mirror, 0, inputs);
      if (this.sent !== records) queue.writeBuffer(this.params!.buffer, 0, records);
      this.sent = records;
      const encoder = gpu.device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      steps.forEach((step, i) => this.dispatch(pass, step, pipelines[i]!));
      pass.end();
      let to = 0;
      for (const output of outputs) {
        encoder.copyBufferToBuffer(this.slab!.buffer, output.offset * 4, this.back!.buffer, to, output.words * 4);
        to += output.words * 4;
      }
      gpu.submit(encoder.finish());
    });
    if (words > 0) {
      const values = await this.arrived(this.back!, words);
      let from = 0;
      for (const output of outputs) {
        new Uint32Array(this.mirror, output.offset * 4, output.words).set(values.subarray(from, from + output.words));
        from += output.words;
      }
    }
    await gpu.settled();
  }

  private dispatch(pass: GPUComputePassEncoder, step: Step, pipeline: GPUComputePipeline): void {
    const { groups } = step.dispatch;
    if (groups === 0) return;
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, this.group(step), [step.record * RECORD * 4]);
    pass.dispatchWorkgroups(Math.min(groups, SPREAD), Math.ceil(groups / SPREAD));
  }

  /** Milliseconds of each kernel in one more run of the plan that ran last, which must not be read. Only benchmarks ask. */
  async times(): Promise<Map<string, number>> {
    const steps = this.last;
    const pipelines = await Promise.all(steps.map(({ pipeline }) => pipeline));
    return timed(
      this.gpu,
      steps.map((step, i) => ({
        name: step.dispatch.name,
        encode: (pass) => this.dispatch(pass, step, pipelines[i]!),
      })),
    );
  }

  private async arrived(block: Block, words: number): Promise<Uint32Array> {
    await this.gpu.within(DEADLINE_MS, block.buffer.mapAsync(MAP_READ, 0, words * 4));
    const values = new Uint32Array(block.buffer.getMappedRange(0, words * 4).slice(0));
    block.buffer.unmap();
    return values;
  }

  private group({ dispatch, where, blocks }: Step): GPUBindGroup {
    const kinds = where.filter((place) => place === 'read' || place === 'write');
    const key = `${kinds.join()}|${blocks.map(({ id }) => id).join()}`;
    let group = this.groups.get(key);
    if (!group) {
      const resources = [{ buffer: this.params!.buffer, size: RECORD * 4 }, this.slab!, ...blocks];
      group = this.gpu.device.createBindGroup({
        label: dispatch.name,
        layout: bindGroupLayout(this.gpu, where),
        entries: resources.map(({ buffer, ...rest }, binding) => ({
          binding,
          resource: binding === 0 ? { buffer, ...('size' in rest ? { size: rest.size } : {}) } : { buffer },
        })),
      });
      this.groups.set(key, group);
    }
    return group;
  }

  private encode(plan: Plan, bind: Bind<Place>): Encoded {
    const known = this.encoded.get(plan);
    if (known?.version === this.version) return known;
    const places = plan.buffers.map(({ bound }) => (bound === null ? null : bind(bound)));
    const ops = plan.ops.flatMap((op) => byParts(op, ({ buffer }) => places[buffer]?.parts));
    const records = new Uint32Array(ops.length * RECORD);
    const reals = new Float32Array(records.buffer);
    const written = new Set<number>();
    const steps: Step[] = [];
    ops.forEach(({ op, part }, i) => {
      const outs = OPS[op.name].out.length;
      const blocks: Block[] = [];
      let w = i * RECORD;
      const where = op.refs.map((ref, r): Where => {
        if (!ref) {
          w++;
          return 'none';
        }
        const place = places[ref.buffer];
        records[w++] = ref.offset + (place ? place.offset : plan.buffers[ref.buffer]!.offset);
        if (!place) {
          if (r < outs) written.add(plan.buffers[ref.buffer]!.offset);
          return 'slab';
        }
        blocks.push(part && r === weightIndex(op) ? part.block : place.block);
        return r < outs ? 'write' : 'read';
      });
      for (const int of op.ints) records[w++] = int;
      for (const real of op.reals) reals[w++] = real;
      for (const dispatch of DISPATCHES[op.name](numbersOf(op, part), this.variants)) {
        steps.push({ dispatch, where, blocks, pipeline: pipelineFor(this.gpu, op.name, dispatch, where), record: i });
      }
    });
    const outputs = [...plan.slots.values()].filter(({ offset }) => written.has(offset));
    const encoded = { version: this.version, steps, records, outputs };
    this.encoded.set(plan, encoded);
    return encoded;
  }

  take(words: number): Place {
    return { block: this.gpu.take(words, LOWER), offset: 0 };
  }
  give({ block }: Place): void {
    this.drop(block);
  }
  write({ block, offset }: Place, values: Float32Array): void {
    this.gpu.device.queue.writeBuffer(block.buffer, offset * 4, values as Float32Array<ArrayBuffer>);
  }
  async read(place: Place, words: number): Promise<Float32Array> {
    return new Float32Array((await this.words(place, words)).buffer);
  }

  /** A copy of words of any type. Errors: as run. */
  async words({ block, offset }: Place, words: number): Promise<Uint32Array<ArrayBuffer>> {
    const { gpu } = this;
    gpu.check();
    const back = gpu.take(words, LOWER, USAGE.mapRead | USAGE.copyTarget);
    try {
      gpu.scoped(() => {
        const encoder = gpu.device.createCommandEncoder();
        encoder.copyBufferToBuffer(block.buffer, offset * 4, back.buffer, 0, words * 4);
        gpu.submit(encoder.finish());
      });
      const values = await this.arrived(back, words);
      await gpu.settled();
      return values as Uint32Array<ArrayBuffer>;
    } finally {
      gpu.give(back);
    }
  }

  /** The first words of the slab as the last plan left them. Only tests ask. */
  dump(words: number): Promise<Uint32Array<ArrayBuffer>> {
    return this.words({ block: this.slab!, offset: 0 }, words);
  }

  close(): void {
    for (const block of [this.slab, this.params, this.back]) if (block) this.gpu.give(block);
    this.slab = this.params = this.back = null;
  }
}

/** An op's numbers, and which rows of its weight it reads. */
function numbersOf(op: PlanOp, { first, end }: Pick<Part, 'first' | 'end'> = { first: 0, end: 2 ** 32 - 1 }): Numbers {
  const { int } = OPS[op.name] as { int: readonly string[] };
  return { ...Object.fromEntries(int.map((name, i) => [name, op.ints[i]!])), first, end };
}

/** Slots lie at the slab's beginning, before all temporaries. */
function slotWords(plan: Plan): number {
  let end = 0;
  for (const { offset, words } of plan.slots.values()) end = Math.max(end, offset + words);
  return end;
}

// A record must hold every op.
for (const [name, { out, in: read, int, real }] of Object.entries(OPS)) {
  if (out.length + read.length + int.length + real.length > RECORD)
    throw new CodedError('gpu/kernel', `${name} is too wide`);
}
