// ggml's tensor types by their codes in a file. Source: enum ggml_type of ggml.h.
import type { DType } from '../../types.ts';

const NAMES: Readonly<Record<number, string>> = {
  ...{ 0: 'F32', 1: 'F16', 2: 'Q4_0', 3: 'Q4_1', 6: 'Q5_0', 7: 'Q5_1', 8: 'Q8_0', 9: 'Q8_1', 10: 'Q2_K', 11: 'Q3_K' },
  ...{ 12: 'Q4_K', 13: 'Q5_K', 14: 'Q6_K', 15: 'Q8_K', 16: 'IQ2_XXS', 17: 'IQ2_XS', 18: 'IQ3_XXS', 19: 'IQ1_S' },
  ...{ 20: 'IQ4_NL', 21: 'IQ3_S', 22: 'IQ2_S', 23: 'IQ4_XS', 24: 'I8', 25: 'I16', 26: 'I32', 27: 'I64', 28: 'F64' },
  ...{ 29: 'IQ1_M', 30: 'BF16', 34: 'TQ1_0', 35: 'TQ2_0', 39: 'MXFP4' },
};

const READABLE: Readonly<Record<number, DType>> = {
  ...{ 0: 'f32', 1: 'f16', 2: 'q4_0', 3: 'q4_1', 6: 'q5_0', 7: 'q5_1', 8: 'q8_0', 12: 'q4_k', 14: 'q6_k', 30: 'bf16' },
};

/** null: a type that the engine does not compute with. */
export const dtypeOf = (code: number): DType | null => READABLE[code] ?? null;

export const typeName = (code: number): string => NAMES[code] ?? `type ${code}`;
