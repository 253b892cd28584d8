// Where a device's choice of kernels is remembered. Knows neither devices nor kernels.

/** Neither call rejects. */
export interface Tuning {
  get(key: string): Promise<string | null>;
  set(key: string, choice: string): Promise<void>;
}

/** For as long as the process lasts. */
export function tuningInMemory(kept = new Map<string, string>()): Tuning & { kept: ReadonlyMap<string, string> } {
  return { kept, get: async (key) => kept.get(key) ?? null, set: async (key, choice) => void kept.set(key, choice) };
}
