// `s3 env`: the games over stdin and stdout, one JSON object a line, one answer a line, in order (docs/commands.md).
// Whatever comes in, the answer is a line and the process lives on. Rewards are shown only with --reward.
import { StringDecoder } from 'node:string_decoder';
import * as v from 'valibot';
import { PRESETS, ROLES, type Game, type Phase } from '../../../games/contract.ts';
import { advance, observe, reset, verify, type Episode } from '../../../games/episode.ts';
import type { InstanceSpec } from '../../../games/instance.ts';
import { findGame, games } from '../../../games/registry.ts';
import { CodedError, toErrorValue } from '../../errors.ts';
import type { Command } from '../command.ts';

const MAX_LINE = 1 << 20;
const MAX_EPISODES = 10_000;

const PHASE_WORDS = { explore: 'explore', exploration: 'explore', strict: 'strict', evaluation: 'strict' } as const;

const id = v.pipe(v.string(), v.maxLength(256));
const action = v.nullable(v.string());
const instanceFields = {
  game: v.string(),
  preset: v.picklist(PRESETS),
  phase: v.picklist(Object.keys(PHASE_WORDS) as (keyof typeof PHASE_WORDS)[]),
  seed: v.union([v.pipe(v.number(), v.safeInteger()), v.pipe(v.string(), v.maxLength(256))]),
  role: v.optional(v.picklist(ROLES)),
  split: v.optional(v.picklist(['strict', 'unseen'])),
  options: v.optional(v.record(v.string(), v.string())),
};
const request = v.variant('op', [
  v.object({ op: v.literal('list') }),
  v.object({ op: v.literal('reset'), id, ...instanceFields }),
  v.object({ op: v.literal('step'), id, action }),
  v.object({ op: v.literal('actions'), id }),
  v.object({ op: v.literal('verify'), ...instanceFields, actions: v.array(action) }),
]);
type Request = v.InferOutput<typeof request>;

const HINT = '{"op":"list"|"reset"|"step"|"actions"|"verify",…}';

export interface EnvServer {
  /** The answer to one line, itself one line of JSON. Never throws. */
  answer(line: string): string;
  /** The answer to a line that is longer than MAX_LINE. */
  tooLong(): string;
}

export function createServer(options: { reward: boolean }): EnvServer {
  const episodes = new Map<string, Episode>();
  const failure = (error: unknown, of?: string) => {
    const { code, message, hint } = toErrorValue(error, 'game/internal');
    return JSON.stringify({ ...(of === undefined ? {} : { id: of }), error: { code, message, hint } });
  };
  return {
    answer(line) {
      let of: string | undefined;
      try {
        const parsed = parse(line);
        if (typeof parsed === 'object' && parsed !== null && 'id' in parsed) {
          if (typeof parsed.id === 'string' && parsed.id.length <= 256) of = parsed.id;
        }
        return JSON.stringify(handle(validate(parsed), episodes, options.reward));
      } catch (error) {
        return failure(error, of);
      }
    },
    tooLong: () => failure(new CodedError('usage/line-too-long', `a line is longer than ${MAX_LINE} characters`, HINT)),
  };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new CodedError('usage/bad-json', 'the line is not JSON', HINT);
  }
}

function validate(parsed: unknown): Request {
  const result = v.safeParse(request, parsed);
  if (result.success) return result.output;
  const [issue] = result.issues;
  const path = issue.path?.map(({ key }) => String(key)).join('.') ?? '';
  throw new CodedError('usage/bad-request', `${path ? `${path}: ` : ''}${issue.message}`.slice(0, 300), HINT);
}

function handle(asked: Request, episodes: Map<string, Episode>, reward: boolean): unknown {
  switch (asked.op) {
    case 'list':
      return { games: [...games.values()].map(describe) };
    case 'reset': {
      const { game, spec } = instanceOf(asked);
      const episode = reset(game, spec);
      makeRoom(episodes, asked.id);
      episodes.set(asked.id, episode);
      return {
        id: asked.id,
        instance: episode.instance,
        rules: game.rules(episode.config),
        observation: observe(episode),
      };
    }
    case 'step': {
      const running = find(episodes, asked.id);
      if (running.end) throw new CodedError('game/ended', 'the episode is over', 'reset starts another one');
      const { episode, report } = advance(running, asked.action);
      episodes.set(asked.id, episode);
      const { feedback, valid, terminated, truncated } = report;
      return {
        id: asked.id,
        observation: observe(episode),
        feedback,
        valid,
        terminated,
        truncated,
        ...(reward ? { reward: report.reward, score: episode.score, success: episode.success } : {}),
      };
    }
    case 'actions': {
      const { game, config, state, end } = find(episodes, asked.id);
      return { id: asked.id, actions: end ? [] : game.actions(config, state) };
    }
    case 'verify': {
      const { game, spec } = instanceOf(asked);
      const { score, success, rewards, steps } = verify(game, spec, asked.actions);
      return { score, success, rewards, steps };
    }
    default:
      return asked satisfies never;
  }
}

function describe(game: Game) {
  const phases: Phase[] = ['explore', 'strict'];
  const configs = PRESETS.flatMap((preset) => phases.map((phase) => game.configs[preset][phase]));
  return {
    name: game.id,
    configs: configs.map(({ preset, phase, stepCap, scoreBounds, stepRewardBounds, scoreStep }) => {
      return { preset, phase, stepCap, scoreBounds, stepRewardBounds, scoreStep };
    }),
    splits: ['strict', ...(game.splits ?? [])],
    options: (game.options ?? []).map(({ key, choices, default: standard }) => ({ key, choices, default: standard })),
  };
}

function find(episodes: Map<string, Episode>, wanted: string): Episode {
  const episode = episodes.get(wanted);
  if (!episode) throw new CodedError('game/unknown-id', 'no episode has this id', 'reset begins one');
  return episode;
}

/** Episodes that are over make room for new ones, the oldest first. */
function makeRoom(episodes: Map<string, Episode>, wanted: string) {
  if (episodes.delete(wanted) || episodes.size < MAX_EPISODES) return;
  for (const [old, { end }] of episodes) {
    if (!end) continue;
    episodes.delete(old);
    return;
  }
  throw new CodedError(
    'game/too-many-episodes',
    `${MAX_EPISODES} episodes are running`,
    'end some, or reuse their ids',
  );
}

function instanceOf(asked: Extract<Request, { op: 'reset' | 'verify' }>): { game: Game; spec: InstanceSpec } {
  const game = findGame(asked.game);
  if (!game) throw new CodedError('game/unknown', 'no such game', `games: ${[...games.keys()].join(', ')}`);
  const { preset, seed, role, split, options } = asked;
  if (split && split !== 'strict' && !game.splits?.includes(split)) {
    throw new CodedError('game/unknown-split', `${game.id} has no split ${split}`, 'see list');
  }
  for (const [key, value] of Object.entries(options ?? {})) {
    const known = game.options?.find((option) => option.key === key);
    if (!known?.choices.includes(value)) {
      throw new CodedError('game/unknown-option', `${game.id} has no such option or choice`, 'see list');
    }
  }
  const spec: InstanceSpec = { preset, phase: PHASE_WORDS[asked.phase], seed };
  if (role) spec.role = role;
  if (split) spec.split = split;
  if (options) spec.options = options;
  return { game, spec };
}

/** Lines of a stream; a line beyond the limit comes as null, once. The last one needs no newline. */
export async function* linesOf(input: AsyncIterable<Buffer | string>, limit = MAX_LINE): AsyncGenerator<string | null> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let skipping = false;
  for await (const chunk of input) {
    const parts = (typeof chunk === 'string' ? chunk : decoder.write(chunk)).split('\n');
    for (const [i, part] of parts.entries()) {
      if (!skipping) rest += part;
      if (rest.length > limit) {
        skipping = true;
        rest = '';
      }
      if (i === parts.length - 1) break; // no newline yet
      yield skipping ? null : rest;
      rest = '';
      skipping = false;
    }
  }
  rest += decoder.end();
  if (skipping) yield null;
  else if (rest !== '') yield rest;
}

export const command: Command = {
  name: 'env',
  summary: 'the games over stdin and stdout, JSON lines, for agents in any language',
  usage: '[--reward]',
  flags: { reward: { type: 'boolean' } },
  positionals: [0, 0],
  interruptible: true,
  async run(args, io) {
    const server = createServer({ reward: args.flag('reward') });
    const stop = () => (io.stdin as NodeJS.ReadStream).destroy();
    io.signal.addEventListener('abort', stop, { once: true });
    try {
      for await (const line of linesOf(io.stdin as AsyncIterable<Buffer>)) {
        io.out(line === null ? server.tooLong() : server.answer(line));
      }
    } catch (error) {
      if (!io.signal.aborted) throw error;
    }
    return 0;
  },
};
