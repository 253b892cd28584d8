// LoRA adapters as values: where each tensor lies in the flat buffer, fresh ones, their hash and norms.
// Knows nothing of files (peft.ts) or training. Source: Hu et al., "LoRA", 2021; PEFT's defaults for the start.
import { CodedError } from '../../errors.ts';
import { LORA_TARGETS } from '../types.ts';
import type { Adapter, AdapterSlot, LoraConfig, ModelConfig } from '../types.ts';
import { RandomStream } from './random.ts';
import { LINEAR_PATH, linearShape } from './tensors.ts';

/**
 * The same settings with the targets in the order of LORA_TARGETS.
 * Errors: model/adapter (rank not in 1…1024, alpha not finite, no or repeated or unknown targets).
 */
export function checkLora(lora: LoraConfig): LoraConfig {
  const fail = (what: string): never => {
    throw new CodedError('model/adapter', what, `Targets: ${LORA_TARGETS.join(', ')}.`);
  };
  if (!Number.isInteger(lora.rank) || lora.rank < 1 || lora.rank > 1024) fail(`rank ${lora.rank} is not in 1…1024`);
  if (!Number.isFinite(lora.alpha)) fail(`alpha ${lora.alpha} is not a number`);
  const targets = LORA_TARGETS.filter((target) => lora.targets.includes(target));
  if (targets.length === 0) fail('an adapter needs at least one target');
  if (targets.length !== lora.targets.length) fail(`unknown or repeated targets: ${lora.targets.join(', ')}`);
  return { rank: lora.rank, alpha: lora.alpha, targets };
}

/**
 * Each tensor's place, tightly packed: layer by layer, within a layer in the order of LORA_TARGETS, lora_A [rank, in]
 * before lora_B [out, rank]. Offsets count f32 elements. Errors: model/adapter.
 */
export function adapterLayout(config: ModelConfig, lora: LoraConfig): AdapterSlot[] {
  const { rank, targets } = checkLora(lora);
  const slots: AdapterSlot[] = [];
  let offset = 0;
  for (let layer = 0; layer < config.layers; layer++) {
    for (const target of targets) {
      const [out, inner] = linearShape(config, target);
      const name = `base_model.model.model.layers.${layer}.${LINEAR_PATH[target]}`;
      slots.push({ name: `${name}.lora_A.weight`, shape: [rank, inner], offset });
      offset += rank * inner;
      slots.push({ name: `${name}.lora_B.weight`, shape: [out, rank], offset });
      offset += out * rank;
    }
  }
  return slots;
}

/** f32 elements of a layout's flat buffer. */
export function adapterSize(layout: readonly AdapterSlot[]): number {
  return layout.reduce((most, { shape, offset }) => Math.max(most, offset + shape[0] * shape[1]), 0);
}

/** A view (not a copy) of one tensor of an adapter. */
export function adapterTensor(adapter: Adapter, slot: AdapterSlot): Float32Array {
  return adapter.data.subarray(slot.offset, slot.offset + slot.shape[0] * slot.shape[1]);
}

/**
 * A fresh adapter that changes nothing yet: lora_A uniform in ±1/sqrt(in) (PEFT: Kaiming-uniform with a = sqrt(5)),
 * lora_B zero. The bits depend on seed and tensor name alone. Errors: model/adapter.
 */
export function freshAdapter(config: ModelConfig, lora: LoraConfig, seed: number): Adapter {
  const checked = checkLora(lora);
  const layout = adapterLayout(config, checked);
  const adapter: Adapter = { config: checked, layout, data: new Float32Array(adapterSize(layout)) };
  for (const slot of layout) {
    if (!slot.name.endsWith('.lora_A.weight')) continue;
    const random = new RandomStream(seed, `adapter ${slot.name}`);
    const bound = 1 / Math.sqrt(slot.shape[1]);
    const values = adapterTensor(adapter, slot);
    for (let i = 0; i < values.length; i++) values[i] = (2 * random.uniform() - 1) * bound;
  }
  return adapter;
}

/** That an adapter fits a model: names, shapes, offsets, length. Errors: model/adapter, naming what differs. */
export function checkAdapter(adapter: Adapter, config: ModelConfig): void {
  const expected = adapterLayout(config, adapter.config);
  const fail = (what: string): never => {
    throw new CodedError('model/adapter', what, 'The adapter belongs to a model of another shape.');
  };
  if (adapter.layout.length !== expected.length) {
    fail(`the adapter has ${adapter.layout.length} tensors, the model's would have ${expected.length}`);
  }
  expected.forEach((slot, i) => {
    const found = adapter.layout[i]!;
    if (found.name !== slot.name) fail(`the adapter has ${found.name} where ${slot.name} belongs`);
    if (found.shape[0] !== slot.shape[0] || found.shape[1] !== slot.shape[1]) {
      fail(`${slot.name} has the shape [${found.shape}], not [${slot.shape}]`);
    }
    if (found.offset !== slot.offset) fail(`${slot.name} lies at ${found.offset}, not ${slot.offset}`);
  });
  if (adapter.data.length !== adapterSize(expected)) {
    fail(`the adapter has ${adapter.data.length} numbers, not ${adapterSize(expected)}`);
  }
}

/** Euclidean norm of each tensor, by name, summed in f64 in index order. NaN if the tensor holds one. */
export function adapterNorms(adapter: Adapter): Map<string, number> {
  const norms = new Map<string, number>();
  for (const slot of adapter.layout) {
    let sum = 0;
    for (const value of adapterTensor(adapter, slot)) sum += value * value;
    norms.set(slot.name, Math.sqrt(sum));
  }
  return norms;
}
