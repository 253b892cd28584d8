// A `LanguageModel` on our own engine: parts become ids, ids become many sequences at once. Knows no game and no answer.
import { CodedError } from '../../errors.ts';
import type { Session } from '../../engine/types.ts';
import { createSession } from '../../engine/session.ts';
import type { ModelFiles } from '../../engine/model/files.ts';
import { modelHash, modelInfo } from '../../engine/model/info.ts';
import { openModel } from '../../engine/model/open.ts';
import { TextTokenizer } from '../../engine/text/tokenizer.ts';
import type { Completion, CompletionRequest, LanguageModel, ModelCard } from '../types.ts';
import { plainLayout, type Layout } from './layout.ts';
import { Adapters, trainingPort } from './training.ts';

export interface EngineOptions {
  id: string;
  title: string;
  /** Default: cpu. */
  engine?: 'cpu' | 'webgpu';
  /** Where WebGPU devices come from; default: navigator.gpu. */
  gpu?: GPU;
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
  const info = modelInfo(weights);
  const hash = modelHash(weights);
  const session = await createSession(weights, {
    ...(options.engine ? { engine: options.engine } : {}),
    ...(options.gpu ? { gpu: options.gpu } : {}),
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
    layout: 'plain',
    canTrain: info.canTrain,
    engine:
      session.engine === 'webgpu'
        ? session.engine
        : `${session.engine}, ${session.threads} ${session.threads === 1 ? 'thread' : 'threads'}`,
  };
  return engineModel(session, tokenizer, card);
}

export function engineModel(session: Session, tokenizer: TextTokenizer, card: ModelCard): LanguageModel {
  const layout = plainLayout(tokenizer);
  const adapters = new Adapters(session.config);
  return {
    card,
    complete: (requests, signal) => complete(session, tokenizer, layout, adapters, requests, signal),
    countTokens: async (texts) => texts.map((text) => layout.encode(text).length),
    pieces: async (sequences) => sequences.map((ids) => ids.map((id) => tokenizer.tokenText(id))),
    ...(card.canTrain ? { training: trainingPort(session, adapters) } : {}),
    close: () => session.close(),
  };
}

async function complete(
  session: Session,
  tokenizer: TextTokenizer,
  layout: Layout,
  adapters: Adapters,
  requests: readonly CompletionRequest[],
  signal?: AbortSignal,
): Promise<Completion[]> {
  const prompts = requests.map((request) => layout.prompt(request.parts, request.exactIds));
  const forced = requests.map((request) => (request.forced ? layout.encode(request.forced) : []));
  const generations = await session.generate(
    requests.map(({ sampling, adapter, forced: start }, i) => {
      const { temperature, topK, topP, seed, maxTokens, stop, greedyAfter } = sampling;
      // The engine looks for `greedyAfter` in what it generates; a forced beginning may hold it already.
      const greedy = greedyAfter !== undefined && start?.includes(greedyAfter);
      return {
        ids: [...prompts[i]!.ids, ...forced[i]!],
        adapter: adapter === null ? null : adapters.get(adapter),
        tokenText: (id: number) => tokenizer.tokenText(id),
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
  return generations.map((generation, i): Completion => {
    const ids = [...forced[i]!, ...generation.ids];
    // The token that ends a sequence is no text.
    const spoken = ids.filter((id) => !tokenizer.controlIds.has(id));
    const masked = generation.maskedMass;
    return {
      text: tokenizer.decode(spoken),
      ids,
      pieces: ids.map((id) => (tokenizer.controlIds.has(id) ? '' : tokenizer.tokenText(id))),
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
