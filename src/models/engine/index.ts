// A `LanguageModel` on our own engine: parts become ids, ids become many sequences at once. Knows no game and no answer.
import { CodedError } from '../../errors.ts';
import { LORA_TARGETS, type Session } from '../../engine/types.ts';
import { createSession } from '../../engine/session.ts';
import type { Tuning } from '../../engine/webgpu/tuning.ts';
import type { ModelFiles } from '../../engine/model/files.ts';
import { modelHash, modelInfo } from '../../engine/model/info.ts';
import { openModel } from '../../engine/model/open.ts';
import { chatTemplateOf, type ChatTemplate } from '../../engine/text/chat.ts';
import { TextTokenizer } from '../../engine/text/tokenizer.ts';
import { Masker } from '../constrain/masks.ts';
import type { Completion, CompletionRequest, LanguageModel, ModelCard, ModelText } from '../types.ts';
import { chooseEngine, type WantedEngine } from './choose.ts';
import { Memo } from './memo.ts';
import { engineText } from './text.ts';
import { Adapters, trainingPort } from './training.ts';

export interface EngineOptions {
  id: string;
  title: string;
  /** Default: auto (choose.ts). */
  engine?: WantedEngine;
  /** Where WebGPU devices come from; default: navigator.gpu. */
  gpu?: GPU;
  /** Where a GPU's choice of kernels is remembered; without it none is timed. */
  tuning?: Tuning;
  threads?: number;
  /** Bytes that weights, caches and activations may take. */
  memoryBudget?: number;
  signal?: AbortSignal;
  onProgress?: (bytesRead: number, bytesOfAll: number) => void;
}

/** Errors: model/… codes of openModel, createSession and TextTokenizer. */
export async function openEngineModel(files: ModelFiles, options: EngineOptions): Promise<LanguageModel> {
  const { weights, texts } = await openModel(files, options);
  if (texts.tokenizer === null) {
    throw new CodedError('model/bad-file', 'there is no tokenizer.json', 'Give the whole folder of the model.');
  }
  const tokenizer = new TextTokenizer(texts.tokenizer, texts.tokenizerConfig);
  if (tokenizer.vocabSize > weights.config.vocab) {
    throw new CodedError(
      'model/bad-file',
      `the tokenizer has ${tokenizer.vocabSize} tokens, the model ${weights.config.vocab}`,
      'The two files do not belong together.',
    );
  }
  const template = chatTemplateOf(texts);
  const info = modelInfo(weights);
  const hash = await modelHash(weights);
  const { engine, why, device } = await chooseEngine(options.engine ?? 'auto', info.parameters, options.gpu);
  const session = await createSession(weights, {
    engine,
    ...(device ? { device } : {}),
    ...(options.gpu ? { gpu: options.gpu } : {}),
    ...(options.tuning ? { tuning: options.tuning } : {}),
    ...(options.threads ? { threads: options.threads } : {}),
    ...(options.memoryBudget ? { memoryBudget: options.memoryBudget } : {}),
  });
  const card: ModelCard = {
    id: options.id,
    title: options.title,
    kind: 'engine',
    hash,
    tokenizerHash: tokenizer.hash,
    parameters: info.parameters,
    context: weights.config.context,
    layout: template ? 'chat' : 'plain',
    canTrain: info.canTrain,
    engine:
      session.engine === 'webgpu'
        ? `${session.engine}, ${session.kernels}`
        : `${session.engine}, ${session.threads} ${session.threads === 1 ? 'thread' : 'threads'}${session.fused ? ', fused' : ''}`,
    why,
    ...(info.canTrain ? { trains: trainsHere(session) } : {}),
  };
  return engineModel(session, tokenizer, card, template);
}

const STEP = 1024;

/** In words, before anything is trained. */
function trainsHere(session: Session): string {
  const tokens = Math.min(STEP, session.config.context);
  const lora = { rank: 8, alpha: 16, targets: LORA_TARGETS };
  const { bytes, layers, refreshed, recomputed } = session.trainingMemory(tokens, lora);
  const again =
    recomputed > 0
      ? `computes the products of ${recomputed} of ${layers} layers again`
      : refreshed > 0
        ? `makes norms and activations of ${refreshed} of ${layers} layers anew`
        : 'computes nothing again';
  return `a training step of ${tokens} tokens at rank 8 takes ${Math.ceil(bytes / 1e6)} MB and ${again}`;
}

export function engineModel(
  session: Session,
  tokenizer: TextTokenizer,
  card: ModelCard,
  template: ChatTemplate | null = null,
): LanguageModel {
  const text = engineText(tokenizer, template);
  const adapters = new Adapters(session.config);
  const memo = new Memo();
  let masker: Masker | null = null;
  const masks = () => (masker ??= new Masker(tokenizer, session.config.eos, session.config.vocab));
  return {
    card,
    complete: (requests, signal) => complete({ session, tokenizer, text, adapters, memo, masks }, requests, signal),
    countTokens: async (texts) => texts.map((one) => text.encode(one).length),
    pieces: async (sequences) => sequences.map((ids) => text.pieces(ids)),
    ...(card.canTrain ? { training: trainingPort(session, adapters) } : {}),
    close: () => session.close(),
  };
}

interface Parts {
  session: Session;
  tokenizer: TextTokenizer;
  text: ModelText;
  adapters: Adapters;
  memo: Memo;
  /** Made at the first request that has a grammar. */
  masks: () => Masker;
}

async function complete(
  { session, tokenizer, text, adapters, memo, masks }: Parts,
  requests: readonly CompletionRequest[],
  signal?: AbortSignal,
): Promise<Completion[]> {
  const prompts = requests.map((request) => text.prompt(request.parts, request.exactIds));
  const forced = requests.map((request) => (request.forced ? text.begin(request.forced) : []));
  // A logged step that is decoded again is meant to be computed.
  const keys = requests.map(({ sampling, adapter, grammar, exactIds }, i) =>
    exactIds ? null : Memo.key([prompts[i]!.ids, forced[i], sampling, adapter, grammar ?? null]),
  );
  const known = keys.map((key) => (key === null ? undefined : memo.get(key)));
  const asked = requests.map((_, i) => i).filter((i) => !known[i]);
  const made = await session.generate(
    asked.map((i) => {
      const { sampling, adapter, grammar, forced: start } = requests[i]!;
      const { temperature, topK, topP, seed, maxTokens, stop, greedyAfter } = sampling;
      // The engine looks for `greedyAfter` in what it generates; a forced beginning may hold it already.
      const greedy = greedyAfter !== undefined && start?.includes(greedyAfter);
      return {
        ids: [...prompts[i]!.ids, ...forced[i]!],
        adapter: adapter === null ? null : adapters.get(adapter),
        tokenText: (id: number) => tokenizer.tokenText(id),
        ...(grammar ? { mask: masks().masking(grammar, forced[i]!) } : {}),
        sampling: {
          temperature: greedy ? 0 : temperature,
          seed,
          maxTokens,
          ...(topK === undefined ? {} : { topK }),
          ...(topP === undefined ? {} : { topP }),
          ...(stop === undefined ? {} : { stop }),
          ...(greedyAfter === undefined || greedy ? {} : { greedyAfter }),
        },
      };
    }),
    signal ? { signal } : {},
  );
  for (const [k, i] of asked.entries()) {
    known[i] = made[k]!;
    if (keys[i] !== null) memo.set(keys[i]!, made[k]!);
  }
  return requests.map((_, i): Completion => {
    const generation = known[i]!;
    const ids = [...forced[i]!, ...generation.ids];
    const masked = generation.maskedMass;
    return {
      ...text.answer(ids),
      ids,
      forcedIds: forced[i]!.length,
      promptIds: prompts[i]!.ids,
      promptText: prompts[i]!.text,
      logprob: generation.logprobs.reduce((sum, value) => sum + value, 0),
      maskedMass: masked.length === 0 ? 0 : masked.reduce((sum, value) => sum + value, 0) / masked.length,
      finish: generation.finish,
      cachedTokens: generation.cachedTokens,
    };
  });
}
