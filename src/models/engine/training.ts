// Adapters that are resident, by hash, and LoRA training of copies of them. Knows nothing of what is trained or why.
import { hashBytes } from '../../hash.ts';
import { CodedError } from '../../errors.ts';
import { checkGradient } from '../../engine/gradient.ts';
import { adapterNorms, freshAdapter } from '../../engine/model/adapter.ts';
import { memoryFile, modelFiles } from '../../engine/model/files.ts';
import { openAdapter, saveAdapter } from '../../engine/model/peft.ts';
import {
  LORA_TARGETS,
  type Adapter,
  type LoraTarget,
  type ModelConfig,
  type OptimizerState,
  type Session,
  type Trainer,
} from '../../engine/types.ts';
import type { AdapterFiles, AdapterInfo, LoraSettings, TrainingPort } from '../types.ts';

/** Resident adapters; an adapter's hash is that of its adapter_model.safetensors. */
export class Adapters {
  private readonly held = new Map<string, { adapter: Adapter; files: AdapterFiles }>();
  private readonly model: ModelConfig;

  constructor(model: ModelConfig) {
    this.model = model;
  }

  add(adapter: Adapter): AdapterInfo {
    const saved = saveAdapter(adapter);
    const tensors = saved.get('adapter_model.safetensors')!;
    const config = new TextDecoder().decode(saved.get('adapter_config.json')!);
    const hash = hashBytes(tensors);
    if (!this.held.has(hash)) this.held.set(hash, { adapter, files: { config, tensors } });
    return { hash, norms: Object.fromEntries(adapterNorms(adapter)) };
  }

  async load({ config, tensors }: AdapterFiles): Promise<AdapterInfo> {
    const files = modelFiles([
      memoryFile('adapter_config.json', config),
      memoryFile('adapter_model.safetensors', tensors),
    ]);
    return this.add(await openAdapter(files, this.model));
  }

  /** Errors: model/no-adapter. */
  get(hash: string): Adapter {
    return this.find(hash).adapter;
  }

  files(hash: string): AdapterFiles {
    return this.find(hash).files;
  }

  release(hash: string) {
    this.held.delete(hash);
  }

  private find(hash: string) {
    const found = this.held.get(hash);
    if (!found) throw new CodedError('model/no-adapter', `adapter ${hash.slice(0, 12)} is not loaded`, 'load it first');
    return found;
  }
}

export function trainingPort(session: Session, adapters: Adapters): TrainingPort {
  let trainer: Trainer | null = null;
  const current = (): Trainer => {
    if (!trainer) throw new CodedError('training/not-started', 'no training is under way', 'call start first');
    return trainer;
  };
  const drop = () => {
    trainer?.dispose();
    trainer = null;
  };
  return {
    fresh: async (lora, seed) => adapters.add(freshAdapter(session.config, loraConfig(lora), seed)),
    load: (files) => adapters.load(files),
    files: async (hash) => adapters.files(hash),
    async start(hash, settings, optimizer) {
      drop();
      const { config, layout, data } = adapters.get(hash);
      trainer = session.trainAdapter({ config, layout, data: data.slice() }, settings);
      if (optimizer) trainer.restore(readOptimizer(optimizer));
    },
    step: (examples, normalizer, lr) =>
      current().step(
        {
          sequences: examples.map((example) => example.ids),
          weights: examples.map((example) => example.weights),
          ...(normalizer === undefined ? {} : { normalizer }),
        },
        lr,
      ),
    async finish() {
      const done = current();
      const result = {
        adapter: adapters.add(await done.adapter()),
        optimizer: writeOptimizer(await done.optimizer()),
      };
      drop();
      return result;
    },
    async release(hash) {
      adapters.release(hash);
    },
    async score(sequences, adapter) {
      const scores = await session.score(sequences, { adapter: adapter === null ? null : adapters.get(adapter) });
      return scores.map(({ logprobs }) => Array.from(logprobs));
    },
    baseHash: () => session.baseHash(),
    checkGradient: (adapter, { ids, weights }, tensor, progress) =>
      checkGradient(session, adapters.get(adapter), { sequences: [ids], weights: [weights] }, tensor, progress),
  };
}

function loraConfig({ rank, alpha, targets }: LoraSettings) {
  const known = LORA_TARGETS.filter((target) => targets.includes(target));
  const foreign = targets.find((target) => !LORA_TARGETS.includes(target as LoraTarget));
  if (foreign !== undefined) throw new CodedError('model/unsupported', `no LoRA target ${foreign}`);
  return { rank, alpha, targets: known };
}

/** Step count (u32), then both moments (f32), little-endian. */
function writeOptimizer({ step, m, v }: OptimizerState): Uint8Array {
  const bytes = new Uint8Array(4 + m.byteLength + v.byteLength);
  new DataView(bytes.buffer).setUint32(0, step, true);
  bytes.set(new Uint8Array(m.buffer, m.byteOffset, m.byteLength), 4);
  bytes.set(new Uint8Array(v.buffer, v.byteOffset, v.byteLength), 4 + m.byteLength);
  return bytes;
}

function readOptimizer(bytes: Uint8Array): OptimizerState {
  const body = bytes.slice(4).buffer;
  const count = body.byteLength / 8;
  if (!Number.isInteger(count)) throw new CodedError('training/bad-optimizer', 'the optimiser state is cut off');
  return {
    step: new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true),
    m: new Float32Array(body, 0, count),
    v: new Float32Array(body, count * 4, count),
  };
}
