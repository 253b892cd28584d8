// Real models and what other software says of them, kept beside the repository in ../shared and not in it. Tests that use
// them run when they are there; S3_REQUIRE_MODELS=1 makes their absence a failure.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'vitest';

export const shared = (path: string): string => fileURLToPath(new URL(`../../shared/${path}`, import.meta.url));

/** A suite that needs these files of ../shared; without them it is skipped, and its name says why. */
export function describeWith(paths: readonly string[], name: string, suite: () => void): void {
  const missing = paths.filter((path) => !existsSync(shared(path)));
  if (missing.length === 0) {
    describe(name, suite);
    return;
  }
  const reason = `${missing.join(', ')} not found in ${shared('')}`;
  if (process.env.S3_REQUIRE_MODELS === '1') {
    it(name, () => {
      throw new Error(`S3_REQUIRE_MODELS=1, and ${reason}`);
    });
    return;
  }
  console.log(`Skipped: ${name}: ${reason}`);
  describe.skip(`${name} (skipped: ${reason})`, () => it('needs its files', () => undefined));
}
