// Models that our engine can run, by the address of their files. Sizes are what their hosts state; nothing is fetched
// before somebody asks for it.
export interface TrainableEntry {
  /** What the setting `model` calls it. */
  address: string;
  title: string;
  licence: string;
  parameters: number;
  /** Bytes to fetch. */
  bytes: number;
  note: string;
}

const at = (repo: string): string => `https://huggingface.co/${repo}/resolve/main/`;

export const CATALOGUE: readonly TrainableEntry[] = [
  {
    address: at('HuggingFaceTB/SmolLM2-135M-Instruct'),
    title: 'SmolLM2 135M Instruct',
    licence: 'Apache-2.0',
    parameters: 134_515_008,
    bytes: 271e6,
    note: 'the smallest that follows instructions; trains here',
  },
  {
    address: at('HuggingFaceTB/SmolLM2-360M-Instruct'),
    title: 'SmolLM2 360M Instruct',
    licence: 'Apache-2.0',
    parameters: 361_821_120,
    bytes: 726e6,
    note: 'a better player, slower to train',
  },
  {
    address: at('Qwen/Qwen2.5-0.5B-Instruct'),
    title: 'Qwen2.5 0.5B Instruct',
    licence: 'Apache-2.0',
    parameters: 494_032_768,
    bytes: 995e6,
    note: 'plays and judges; training takes patience',
  },
  {
    address: at('Qwen/Qwen3-0.6B'),
    title: 'Qwen3 0.6B',
    licence: 'Apache-2.0',
    parameters: 596_049_920,
    bytes: 1515e6,
    note: 'answers at once here, without thinking first',
  },
  {
    address: at('unsloth/Llama-3.2-1B-Instruct'),
    title: 'Llama 3.2 1B Instruct',
    licence: 'Llama 3.2 Community License',
    parameters: 1_235_814_400,
    bytes: 2490e6,
    note: 'a copy that asks for no login',
  },
];

/** WebAssembly's memory ends at 4 GiB; keys, values and activations need their part of it. */
const MOST_BYTES = 3.2e9;

/** What keeps a model from running here, in words; null: nothing. `memory`: what the device says it has, in GiB. */
export function obstacle({ bytes }: TrainableEntry, memory: number | null): string | null {
  if (bytes > MOST_BYTES) return 'too large for one WebAssembly memory';
  if (memory !== null && bytes > memory * 0.5 * 2 ** 30)
    return `needs more memory than this device states (${memory} GB)`;
  return null;
}
