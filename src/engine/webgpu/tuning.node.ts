// Where a device's choice of kernels is remembered between processes, so that a run and its resume have the same ones.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Tuning } from './tuning.ts';

/** In one JSON file; what cannot be kept or read is timed again. */
export function tuningInFile(path: string): Tuning {
  const read = (): Record<string, unknown> => {
    try {
      const found: unknown = JSON.parse(readFileSync(path, 'utf8'));
      return typeof found === 'object' && found !== null ? { ...found } : {};
    } catch {
      return {};
    }
  };
  return {
    async get(key) {
      const choice = read()[key];
      return typeof choice === 'string' ? choice : null;
    },
    async set(key, choice) {
      try {
        mkdirSync(dirname(path), { recursive: true });
        const temporary = `${path}.${process.pid}`;
        writeFileSync(temporary, JSON.stringify({ ...read(), [key]: choice }));
        renameSync(temporary, path);
      } catch {
        // A folder that cannot be written to.
      }
    },
  };
}
