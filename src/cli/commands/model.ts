// `s3 model …`: the engine alone, to be held against other software. Knows no game.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { CodedError } from '../../errors.ts';
import { freshAdapter } from '../../engine/model/adapter.ts';
import { directoryFiles } from '../../engine/model/files.node.ts';
import { modelInfo } from '../../engine/model/info.ts';
import { openModel, type OpenedModel } from '../../engine/model/open.ts';
import { openAdapter, saveAdapter } from '../../engine/model/peft.ts';
import { fromF32 } from '../../engine/model/convert.ts';
import { writeSafetensors } from '../../engine/model/safetensors.ts';
import { createSession } from '../../engine/session.ts';
import { dawn } from '../../engine/webgpu/dawn.node.ts';
import { chatTemplateOf, encodeChat } from '../../engine/text/chat.ts';
import { TextTokenizer } from '../../engine/text/tokenizer.ts';
import { LORA_TARGETS, type Adapter, type Session } from '../../engine/types.ts';
import { modelFilesByName } from '../../models/open.node.ts';
import { requireFile, type Args, type Command } from '../command.ts';

export const command: Command = {
  name: 'model',
  summary: 'The engine alone: info, tokens, logits, generate, train.',
  usage:
    'info|tokens|logits|generate|train --model nano|DIR|FILE.gguf [--adapter DIR] [--ids 1,2,3 | --text T | --file F] [--chat] [--temperature X] [--max N] [--seed N] [--n N] [--data step.json --out DIR [--gradients FILE]] [--engine cpu|webgpu] [--threads N] [--json]',
  flags: {
    model: { type: 'string' },
    adapter: { type: 'string' },
    ids: { type: 'string' },
    text: { type: 'string' },
    file: { type: 'string' },
    chat: { type: 'boolean' },
    temperature: { type: 'string' },
    max: { type: 'string' },
    seed: { type: 'string' },
    n: { type: 'string' },
    data: { type: 'string' },
    out: { type: 'string' },
    gradients: { type: 'string' },
    engine: { type: 'string' },
    threads: { type: 'string' },
    json: { type: 'boolean' },
  },
  positionals: [1, 1],
  async run(args, io) {
    const action = args.positionals[0]!;
    const known = Object.hasOwn(actions, action) ? actions[action as keyof typeof actions] : undefined;
    if (!known) throw new CodedError('usage/bad-value', `model ${action}`, `one of ${Object.keys(actions).join(', ')}`);
    engineOf(args); // refused before anything is read
    const files = await modelFilesByName(args.text('model') ?? 'nano', io.root);
    const result = await known(await openModel(files), args);
    io.out(JSON.stringify(result));
    return 0;
  },
};

const engineOf = (args: Args) => args.oneOf('engine', ['cpu', 'webgpu'], 'cpu');

const actions = { info, tokens, logits, generate, train };

async function info({ weights }: OpenedModel) {
  return modelInfo(weights);
}

function tokenizerOf({ texts }: OpenedModel) {
  if (texts.tokenizer === null) throw new CodedError('model/bad-file', 'there is no tokenizer.json');
  return new TextTokenizer(texts.tokenizer, texts.tokenizerConfig);
}

const Messages = v.pipe(v.array(v.object({ role: v.string(), content: v.string() })), v.minLength(1));

async function tokens(opened: OpenedModel, args: Args) {
  const tokenizer = tokenizerOf(opened);
  const text = givenText(args);
  // The terminal's own text may spell control tokens, as other software reads them.
  if (!args.flag('chat')) return { ids: tokenizer.encodeTrusted(text) };
  const template = chatTemplateOf(opened.texts);
  if (!template) throw new CodedError('model/template', 'the model has no chat template', 'leave out --chat');
  return encodeChat(tokenizer, template, parse(Messages, text, 'messages'), { addGenerationPrompt: true });
}

function givenText(args: Args): string {
  const file = args.text('file');
  if (file === undefined) return args.required('text');
  return readText(file);
}

function readText(path: string): string {
  requireFile(path, 'name a file');
  return readFileSync(path, 'utf8');
}

function parse<const S extends v.GenericSchema>(schema: S, text: string, what: string): v.InferOutput<S> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CodedError('usage/bad-value', `${what}: ${(error as Error).message}`, 'give JSON');
  }
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new CodedError(
    'usage/bad-value',
    `${what}: ${v.getDotPath(issue!) ?? ''} ${issue!.message}`.replace('  ', ' '),
  );
}

function givenIds(opened: OpenedModel, args: Args): number[] {
  const text = args.text('ids');
  const { vocab } = opened.weights.config;
  if (text === undefined) return tokenizerOf(opened).encode(givenText(args), { addSpecial: true });
  const ids = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (!ids.every((id) => Number.isInteger(id) && id >= 0 && id < vocab)) {
    throw new CodedError(
      'usage/bad-value',
      `--ids ${text.slice(0, 80)}`,
      `whole numbers from 0 to ${vocab - 1}, separated by commas`,
    );
  }
  return ids;
}

async function withSession<T>(
  opened: OpenedModel,
  args: Args,
  work: (session: Session, adapter: Adapter | null) => Promise<T>,
): Promise<T> {
  const folder = args.text('adapter');
  if (folder !== undefined && !existsSync(folder)) throw new CodedError('usage/no-file', `no folder ${folder}`);
  const adapter = folder === undefined ? null : await openAdapter(await directoryFiles(folder), opened.weights.config);
  const engine = engineOf(args);
  const session = await createSession(opened.weights, {
    ...{ engine },
    ...(engine === 'webgpu' ? { gpu: await dawn() } : {}),
    ...args.threads(),
  });
  try {
    return await work(session, adapter);
  } finally {
    await session.close();
  }
}

async function logits(opened: OpenedModel, args: Args) {
  const ids = givenIds(opened, args);
  return withSession(opened, args, async (session, adapter) => {
    const [score] = await session.score([ids], { adapter, last: true });
    return { logsumexp: [...score!.logsumexp], nextTokenLogprob: [...score!.logprobs], last: [...score!.last!] };
  });
}

async function generate(opened: OpenedModel, args: Args) {
  const ids = givenIds(opened, args);
  const tokenizer = opened.texts.tokenizer === null ? null : tokenizerOf(opened);
  const count = args.integer('n', 1, [1, 1024]);
  const seed = args.integer('seed', 1);
  const sampling = {
    temperature: args.number('temperature', 0, [0, 100]),
    maxTokens: args.integer('max', 40, [1, 100_000]),
  };
  return withSession(opened, args, async (session, adapter) => {
    const requests = Array.from({ length: count }, (_, i) => ({
      ids,
      adapter,
      sampling: { ...sampling, seed: seed + i },
    }));
    const generations = await session.generate(requests);
    return {
      ids: generations.map((generation) => generation.ids),
      text: generations.map((generation) => tokenizer?.decode(generation.ids, { skipControl: true }) ?? ''),
    };
  });
}

const id = v.pipe(v.number(), v.integer(), v.minValue(0));
const StepFile = v.object({
  sequences: v.pipe(v.array(v.pipe(v.array(id), v.minLength(2))), v.minLength(1)),
  weights: v.array(v.array(v.pipe(v.number(), v.finite()))),
  normalizer: v.optional(v.pipe(v.number(), v.finite())),
  r: v.pipe(v.number(), v.integer(), v.minValue(1)),
  alpha: v.pipe(v.number(), v.minValue(0)),
  lr: v.pipe(v.number(), v.minValue(0)),
  steps: v.pipe(v.number(), v.integer(), v.minValue(1)),
  seed: v.optional(v.number(), 1),
  targets: v.optional(v.array(v.picklist(LORA_TARGETS)), [...LORA_TARGETS]),
});

async function train(opened: OpenedModel, args: Args) {
  const data = parse(StepFile, readText(args.required('data')), 'step file');
  const out = args.required('out');
  const { vocab } = opened.weights.config;
  for (const [i, sequence] of data.sequences.entries()) {
    if (data.weights[i]?.length !== sequence.length)
      throw new CodedError('usage/bad-value', `weights[${i}] must have ${sequence.length} numbers`);
    if (sequence.some((token) => token >= vocab))
      throw new CodedError('usage/bad-value', `sequences[${i}] has an id above ${vocab - 1}`);
  }
  return withSession(opened, args, async (session, given) => {
    const adapter =
      given ?? freshAdapter(session.config, { rank: data.r, alpha: data.alpha, targets: data.targets }, data.seed);
    // PyTorch's defaults, which the reference was made with.
    const trainer = session.trainAdapter(adapter, {
      lr: data.lr,
      beta1: 0.9,
      beta2: 0.999,
      eps: 1e-8,
      weightDecay: 0,
      clip: 0,
    });
    const batch = {
      sequences: data.sequences,
      weights: data.weights,
      // Given in so many words, since the engine asks for it where weights are negative.
      normalizer: data.normalizer ?? data.weights.flatMap((weights) => weights.slice(1)).reduce((a, b) => a + b, 0),
    };
    const loss: number[] = [];
    for (let step = 0; step < data.steps; step++) {
      loss.push((await trainer.step(batch)).loss);
      const file = args.text('gradients');
      if (step > 0 || file === undefined) continue;
      const tensors = [...(await trainer.gradients())].map(
        ([name, { shape, data: values }]) => [name, fromF32(values, 'f32', shape)] as const,
      );
      writeFileSync(file, writeSafetensors(new Map(tensors)));
    }
    mkdirSync(out, { recursive: true });
    for (const [name, bytes] of saveAdapter(await trainer.adapter())) writeFileSync(join(out, name), bytes);
    trainer.dispose();
    return { loss };
  });
}
