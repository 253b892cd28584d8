// Adapters <-> PEFT's two files, adapter_config.json and adapter_model.safetensors. Refuses by name every PEFT feature
// that would compute something else than plain LoRA. Knows nothing of training.
// Source: https://github.com/huggingface/peft, src/peft/tuners/lora/config.py.
import * as v from 'valibot';
import { CodedError } from '../../errors.ts';
import { LORA_TARGETS } from '../types.ts';
import type { Adapter, LoraTarget, ModelConfig, Tensor } from '../types.ts';
import { adapterLayout, adapterSize, adapterTensor, checkLora } from './adapter.ts';
import { fromF32, toF32 } from './convert.ts';
import { readText } from './files.ts';
import type { ModelFiles } from './files.ts';
import { parseJsonObject, validate } from './json.ts';
import { readSafetensors, writeSafetensors } from './safetensors.ts';

const PeftConfig = v.looseObject({
  peft_type: v.string(),
  r: v.number(),
  lora_alpha: v.number(),
  target_modules: v.nullish(v.union([v.string(), v.array(v.string())])),
  use_rslora: v.nullish(v.boolean()),
});
type PeftConfig = v.InferOutput<typeof PeftConfig>;

/** Fields that change what an adapter computes or where it sits; plain LoRA leaves them empty, false or null. */
const FOREIGN = [
  ...[
    'rank_pattern',
    'alpha_pattern',
    'modules_to_save',
    'layers_to_transform',
    'layer_replication',
    'exclude_modules',
  ],
  ...['fan_in_fan_out', 'use_dora', 'use_qalora', 'use_bdlora', 'lora_bias', 'target_parameters'],
  ...['trainable_token_indices', 'alora_invocation_tokens', 'arrow_config', 'megatron_config'],
] as const;

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function unsupported(what: string): never {
  throw new CodedError('model/unsupported', `adapter_config.json: ${what}`, 'Plain LoRA adapters load.');
}

function targetsOf(config: PeftConfig): LoraTarget[] {
  const { target_modules } = config;
  if (target_modules === 'all-linear') return [...LORA_TARGETS];
  if (!Array.isArray(target_modules)) unsupported(`target_modules ${JSON.stringify(target_modules)}`);
  const other = target_modules.find((name) => !LORA_TARGETS.some((target) => target === name));
  if (other !== undefined) unsupported(`target module ${other}`);
  return LORA_TARGETS.filter((target) => target_modules.includes(target));
}

/**
 * An adapter from PEFT's files, for a model of this shape; f16 and bf16 are read as f32. `use_rslora` (whose scale is
 * alpha/sqrt(r)) is taken over exactly, as alpha * sqrt(r). Errors: model/unsupported (DoRA, patterns, other targets),
 * model/adapter (missing, foreign or misshapen tensors), model/bad-file, model/read.
 */
export async function openAdapter(files: ModelFiles, model: ModelConfig): Promise<Adapter> {
  const configFile = files.get('adapter_config.json');
  const weightFile = files.get('adapter_model.safetensors');
  if (!configFile || !weightFile) {
    const missing = configFile ? 'adapter_model.safetensors' : 'adapter_config.json';
    throw new CodedError('model/bad-file', `there is no ${missing}`, 'An adapter is the two files that PEFT saves.');
  }
  const raw = parseJsonObject(await readText(configFile), 'adapter_config.json');
  const config = validate(PeftConfig, raw, 'adapter_config.json');
  if (config.peft_type !== 'LORA') unsupported(`peft_type ${config.peft_type}`);
  const foreign = FOREIGN.find((field) => !isEmpty(config[field]));
  if (foreign !== undefined) unsupported(`${foreign} is set`);
  if (!isEmpty(config.bias) && config.bias !== 'none') unsupported('bias is set');
  const scale = config.use_rslora ? Math.sqrt(config.r) : 1;
  const lora = checkLora({ rank: config.r, alpha: config.lora_alpha * scale, targets: targetsOf(config) });
  return fromTensors(await readSafetensors(weightFile), lora, model);
}

function fromTensors(tensors: ReadonlyMap<string, Tensor>, lora: Adapter['config'], model: ModelConfig): Adapter {
  const layout = adapterLayout(model, lora);
  const adapter: Adapter = { config: lora, layout, data: new Float32Array(adapterSize(layout)) };
  const hint = 'The adapter belongs to a model of another shape.';
  const known = new Set(layout.map((slot) => slot.name));
  for (const name of tensors.keys()) {
    if (!known.has(name)) throw new CodedError('model/adapter', `the adapter has a tensor ${name} too many`, hint);
  }
  for (const slot of layout) {
    const tensor = tensors.get(slot.name);
    if (!tensor) throw new CodedError('model/adapter', `the adapter lacks ${slot.name}`, hint);
    if (tensor.shape.length !== 2 || tensor.shape[0] !== slot.shape[0] || tensor.shape[1] !== slot.shape[1]) {
      const message = `${slot.name} has the shape [${tensor.shape}], not [${slot.shape}]`;
      throw new CodedError('model/adapter', message, hint);
    }
    adapterTensor(adapter, slot).set(toF32(tensor));
  }
  return adapter;
}

/**
 * An adapter as PEFT's two files, by name, in f32; the same adapter gives the same bytes. `base` names the model that it
 * belongs to (PEFT loads that one when asked for the adapter alone).
 */
export function saveAdapter(adapter: Adapter, base = ''): Map<string, Uint8Array> {
  const tensors = new Map<string, Tensor>();
  for (const slot of adapter.layout) {
    tensors.set(slot.name, fromF32(adapterTensor(adapter, slot), 'f32', slot.shape));
  }
  const config = {
    peft_type: 'LORA',
    task_type: 'CAUSAL_LM',
    base_model_name_or_path: base,
    r: adapter.config.rank,
    lora_alpha: adapter.config.alpha,
    target_modules: [...adapter.config.targets],
    lora_dropout: 0,
    bias: 'none',
    fan_in_fan_out: false,
    init_lora_weights: true,
    inference_mode: true,
    modules_to_save: null,
    rank_pattern: {},
    alpha_pattern: {},
    use_rslora: false,
    use_dora: false,
  };
  return new Map<string, Uint8Array>([
    ['adapter_config.json', new TextEncoder().encode(`${JSON.stringify(config, null, 2)}\n`)],
    ['adapter_model.safetensors', writeSafetensors(tensors)],
  ]);
}
