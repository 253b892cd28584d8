// Which models of WebLLM's list this device can run, and of the others why not, before anything is downloaded. Pure.
import type { Entry } from './api.ts';
import type { Device } from './device.ts';
import { nameOf, parametersOf } from './name.ts';

export interface WebllmEntry {
  /** For the setting `model`. */
  name: string;
  title: string;
  parameters: number;
  context: number | null;
  /** By the catalogue's own account; weights, cache and activations. */
  memoryMb: number | null;
  /** Why it cannot run here; empty: it can. */
  obstacles: string[];
  /** Why it may not. */
  doubts: string[];
}

const MB = 2 ** 20;
/** ModelType.embedding; the enumeration itself would load the package. */
const EMBEDDING = 1;
/** What WebLLM 0.2.86 asks of every device (detectGPUDevice). */
const NEEDED = {
  maxBufferSize: 256 * MB,
  maxStorageBufferBindingSize: 128 * MB,
  maxComputeWorkgroupStorageSize: 32 * 1024,
  maxStorageBuffersPerShaderStage: 10,
} as const;

export function catalogue(entries: readonly Entry[], device: Device | null): WebllmEntry[] {
  return entries.map((entry) => ({
    name: nameOf(entry.model_id),
    title: entry.model_id.replace(/-MLC(?=-|$)/, ''),
    parameters: parametersOf(entry.model_id),
    context: entry.overrides?.context_window_size ?? null,
    memoryMb: entry.vram_required_MB ?? null,
    obstacles: obstacles(entry, device),
    doubts: doubts(entry, device),
  }));
}

export function obstacles(entry: Entry, device: Device | null): string[] {
  if (entry.model_type === EMBEDDING) return ['it makes embeddings and writes no text'];
  if (!device) return ['this browser offers no WebGPU'];
  const found = featuresOf(entry)
    .filter((feature) => !device.features.has(feature))
    .map((feature) => `this GPU has no ${feature}`);
  for (const [limit, least] of Object.entries({ ...NEEDED, ...ownNeeds(entry) })) {
    const has = device.limits[limit as keyof Device['limits']];
    if (has < least) found.push(`this GPU’s ${limit} is ${has}, it needs ${least}`);
  }
  return found;
}

function doubts({ vram_required_MB: needed }: Entry, device: Device | null): string[] {
  if (!device || device.memoryMb === null || needed === undefined || needed <= device.memoryMb) return [];
  return [`it takes ${Math.round(needed)} MB; this machine says that it has ${device.memoryMb}`];
}

/** Most f16 entries do not declare the feature that they need. */
const featuresOf = ({ required_features = [], model_id }: Entry): string[] =>
  /q\df16/.test(model_id) ? [...new Set([...required_features, 'shader-f16'])] : required_features;

const ownNeeds = ({ buffer_size_required_bytes: bytes }: Entry) =>
  bytes === undefined ? {} : { maxStorageBufferBindingSize: Math.max(bytes, NEEDED.maxStorageBufferBindingSize) };
