// LoRA adapters in an executor's memory: panels in plan/shape.ts's flat order. Resident ones are found by their content,
// so that a changed adapter is another one; the least recently used leave. Knows nothing of training.
import { checkAdapter } from '../model/adapter.ts';
import type { LoraUse } from '../plan/layer.ts';
import { type LoraLayout, loraLayout, pad8 } from '../plan/shape.ts';
import type { Adapter, LoraConfig, ModelConfig } from '../types.ts';
import type { Machine } from './machine.ts';
import { packF32, unpackF32 } from './pack.ts';

const RESIDENT = 4;

/** The flat buffer of panels from an adapter's values. */
export function packAdapter(values: Float32Array, adapter: Adapter, layout: LoraLayout): Float32Array {
  const target = new Float32Array(layout.words);
  const slots = new Map(adapter.layout.map((slot) => [slot.name, slot]));
  for (const { name, n, k, offset } of layout.pieces) {
    const from = slots.get(name)!.offset;
    packF32(values.subarray(from, from + n * k), n, k, target.subarray(offset, offset + pad8(n) * pad8(k)));
  }
  return target;
}

/** The values of an adapter's layout from panels. */
export function unpackAdapter(panels: Float32Array, adapter: Adapter, layout: LoraLayout): Float32Array {
  const slots = new Map(adapter.layout.map((slot) => [slot.name, slot]));
  const values = new Float32Array(adapter.data.length);
  for (const { name, n, k, offset } of layout.pieces) {
    values.set(unpackF32(panels.subarray(offset), n, k), slots.get(name)!.offset);
  }
  return values;
}

export const loraUse = (buffer: string, layout: LoraLayout, { rank, alpha }: LoraConfig): LoraUse => ({
  ...{ buffer, layout, rank, scale: alpha / rank },
});

/** 64 bits over settings and values. */
function contentKey({ config, data }: Adapter): string {
  const words = new Uint32Array(data.buffer, data.byteOffset, data.length);
  let [a, b] = [0x811c9dc5, 0x9747b28c];
  for (const word of words) {
    a = Math.imul(a ^ word, 0x01000193);
    b = Math.imul((b ^ word) + (b >>> 15), 0x85ebca6b);
  }
  return `${config.rank}/${config.alpha}/${config.targets.join()}/${a >>> 0}/${b >>> 0}`;
}

export class AdapterStore<B> {
  private readonly resident = new Map<string, { key: string; place: B; use: LoraUse }>();
  private serial = 0;

  constructor(
    private readonly machine: Machine<B>,
    private readonly config: ModelConfig,
  ) {}

  /** `key` names the content; '' for no adapter. `inUse`: keys that must stay. */
  load(adapter: Adapter | null | undefined, inUse: ReadonlySet<string>): { key: string; use: LoraUse | null } {
    if (!adapter) return { key: '', use: null };
    const key = contentKey(adapter);
    let found = this.resident.get(key);
    if (!found) {
      checkAdapter(adapter, this.config);
      const layout = loraLayout(this.config, adapter.config);
      for (const [old, { place }] of this.resident) {
        if (this.resident.size < RESIDENT) break;
        if (inUse.has(old)) continue;
        this.machine.give(place);
        this.resident.delete(old);
      }
      const place = this.machine.take(layout.words);
      this.machine.write(place, packAdapter(adapter.data, adapter, layout));
      found = { key, place, use: loraUse(`adapter:${this.serial++}`, layout, adapter.config) };
    }
    this.resident.delete(key);
    this.resident.set(key, found); // last is the most recent
    return { key, use: found.use };
  }

  place(buffer: string): B | undefined {
    for (const { use, place } of this.resident.values()) if (use.buffer === buffer) return place;
    return undefined;
  }
}
