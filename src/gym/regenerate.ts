// Decodes logged episodes again from model, adapter, prompt and seed, and compares token ids: the strongest check of a log.
import { configOf } from '../../games/instance.ts';
import { findGame } from '../../games/registry.ts';
import { stream } from '../../games/rng.ts';
import { CodedError } from '../errors.ts';
import type { AdapterSaved, EpisodeEvent, RunEvent } from '../log/events.ts';
import { PromptReader } from '../log/prompts.ts';
import type { LanguageModel } from '../models/types.ts';
import { answerGrammar } from './answer.ts';
import { splitContext } from './budget.ts';
import type { Difference } from './verify.ts';
import { stepSeed } from './seeds.ts';

/**
 * `count` episodes, drawn evenly over the log by a fixed seed. Steps that were forced (oracle experience) are left out.
 * Errors: log/missing-blob, log/not-this-run when the model is another one.
 */
export async function regenerate(
  events: readonly RunEvent[],
  model: LanguageModel,
  count: number,
  readBlob: (hash: string) => Promise<Uint8Array | null>,
): Promise<{ episodes: number; differences: Difference[] }> {
  const [opened] = events;
  if (opened?.type !== 'run.opened' || opened.hashes.model !== model.card.hash) {
    throw new CodedError('log/not-this-run', 'the log was made with another model', 'name it with --model');
  }
  const { config } = opened;
  const { answer } = splitContext(model.card.context, config.inputTokens as number, config.outputTokens as number);
  const all = events.filter((event): event is EpisodeEvent => event.type === 'episode' && event.steps.length > 0);
  const free = all.filter((event) => event.phase === 'strict' || !event.pathway.includes('@oracle-experience'));
  const chosen = new Set(stream('regenerate', events.length).shuffle(free).slice(0, count));
  const adapters = new Map(
    events.filter((event): event is AdapterSaved => event.type === 'adapter.saved').map((event) => [event.hash, event]),
  );
  const reader = new PromptReader();
  const differences: Difference[] = [];
  for (const event of events) {
    if (event.type !== 'episode' || !chosen.has(event)) {
      reader.fold(event);
      continue;
    }
    if (event.adapter !== null) await load(event.adapter, adapters, model, readBlob);
    const prompts = reader.episode(event);
    const greedy = event.phase === 'explore' && config.greedyScore === true;
    for (const [i, step] of event.steps.entries()) {
      const [again] = await model.complete([
        {
          // The ids as the model read them stand for the whole prompt; its beginning token comes from the model itself.
          parts: [{ role: 'assistant', text: prompts[i]!.text, ids: prompts[i]!.ids }],
          exactIds: true,
          adapter: event.adapter,
          ...(step.maskMode === 'off' ? {} : { grammar: answerGrammar(step.maskMode, grammarOf(event)) }),
          sampling: {
            temperature: event.temperature,
            seed: stepSeed(event.decodeSeed, i),
            maxTokens: answer,
            stop: event.preset === 'pocket' ? ['\n'] : ['\nEnv:'],
            ...(greedy ? { greedyAfter: 'Score:' } : {}),
          },
        },
      ]);
      const same =
        again!.ids.length === step.completionTokens.length &&
        again!.ids.every((id, k) => id === step.completionTokens[k]);
      if (!same) {
        differences.push({
          n: event.n,
          field: `steps[${i}].completionTokens`,
          logged: step.completionTokens,
          recomputed: again!.ids,
        });
        break;
      }
    }
  }
  return { episodes: chosen.size, differences };
}

function grammarOf({ game: id, preset, phase, seed, role, split, options }: EpisodeEvent): string {
  const game = findGame(id);
  if (!game) throw new CodedError('game/unknown', `no game ${id}`, 'the log names a game that is not here');
  return game.grammar(configOf(game, { preset, phase, seed, role, split, options }));
}

async function load(
  hash: string,
  adapters: ReadonlyMap<string, AdapterSaved>,
  model: LanguageModel,
  readBlob: (hash: string) => Promise<Uint8Array | null>,
) {
  const saved = adapters.get(hash);
  const tensors = await readBlob(hash);
  if (!saved || !tensors || !model.training) {
    throw new CodedError(
      'log/missing-blob',
      `adapter ${hash.slice(0, 12)} is missing`,
      'keep LOG.blobs beside the log',
    );
  }
  await model.training.load({ config: saved.config, tensors });
}
