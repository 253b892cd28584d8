// The hidden reward as a property that is tested: the run again under a verifier that tells other rewards, scores and
// outcomes. Every text that the agent sees, and everything it learns from, must stay byte-identical.
import { hashText } from '../hash.ts';
import { timeless } from '../log/chain.ts';
import type { RunEvent } from '../log/events.ts';
import type { GameHost, GameReport } from './host.ts';

/** A host whose verifier is scrambled: rewards, scores and success follow a hash of the episode, not the game. */
export function scrambledHost(host: GameHost, salt = 'scrambled'): GameHost {
  const scores = new Map<string, number>();
  const scramble = (id: string, report: GameReport): GameReport => {
    const draw = Number.parseInt(hashText(`${salt} ${id} ${scores.get(id) ?? 0} ${report.board}`).slice(0, 8), 16);
    const before = scores.get(id) ?? 0;
    const score = before + (draw % 7) - 3;
    scores.set(id, score);
    return { ...report, reward: score - before, score, success: draw % 2 === 0 };
  };
  return {
    ...host,
    step: async (id, action) => scramble(id, await host.step(id, action)),
    cut: async (id) => scramble(id, await host.cut(id)),
  };
}

export interface Leak {
  /** Number of the first event whose agent-visible part differs. */
  n: number;
  field: string;
}

/** What of an event the agent sees, or is trained on: everything but rewards, scores, outcomes and what follows from them. */
export function agentVisible(event: RunEvent): Record<string, unknown> | null {
  switch (event.type) {
    case 'run.opened':
    case 'run.paused':
    case 'run.resumed':
    case 'run.failed':
    case 'run.closed':
    case 'checkpoint':
      return null;
    case 'episode': {
      const { score: _, success: __, n: ___, prev: ____, steps, ...rest } = event;
      return { ...rest, steps: steps.map(({ reward: _____, ...step }) => step) };
    }
    case 'consolidation':
    case 'adapter.saved':
    case 'plugin': {
      const { n: _, prev: __, ...rest } = event;
      return rest;
    }
    default:
      return event satisfies never;
  }
}

/** Compares a run with the same run under a scrambled verifier; null when nothing leaked. */
export function findLeak(plain: readonly RunEvent[], scrambled: readonly RunEvent[]): Leak | null {
  const [a, b] = [plain, scrambled].map((events) => events.filter((event) => agentVisible(event) !== null));
  for (let i = 0; i < Math.max(a!.length, b!.length); i++) {
    const [one, other] = [a![i], b![i]];
    if (!one || !other) return { n: (one ?? other)!.n, field: 'number of events' };
    const [left, right] = [agentVisible(one)!, agentVisible(other)!];
    if (timeless(left) === timeless(right)) continue;
    for (const field of new Set([...Object.keys(left), ...Object.keys(right)])) {
      if (timeless({ [field]: left[field] }) !== timeless({ [field]: right[field] })) return { n: one.n, field };
    }
  }
  return null;
}
