// What WebLLM tells nobody else of: the id of each token, its probability, and a say in the next one. Knows no text.
import type { Processor } from './api.ts';

/** Far below any logit, and still a number in f32 after a division by a small temperature. */
const NEVER = -1e30;

export class Tap implements Processor {
  ids: number[] = [];
  /** Sum of the log-probabilities, before temperature. */
  logprob = 0;
  /** From here on the likeliest token is taken. */
  greedy = false;
  private logprobOf: (token: number) => number = () => Number.NaN;

  /** Before each request. */
  begin(greedy: boolean): void {
    this.ids = [];
    this.logprob = 0;
    this.greedy = greedy;
  }

  processLogits = (logits: Float32Array): Float32Array => {
    let best = 0;
    for (let i = 1; i < logits.length; i++) if (logits[i]! > logits[best]!) best = i;
    const most = logits[best]!;
    let sum = 0;
    for (const logit of logits) sum += Math.exp(logit - most);
    const norm = most + Math.log(sum);
    if (this.greedy) {
      this.logprobOf = () => most - norm;
      logits.fill(NEVER);
      logits[best] = most;
    } else this.logprobOf = (token) => logits[token]! - norm;
    return logits;
  };

  processSampledToken = (token: number): void => {
    this.ids.push(token);
    this.logprob += this.logprobOf(token);
  };

  /** WebLLM calls it in the middle of a request; `begin` is ours. */
  resetState = (): void => undefined;
}
