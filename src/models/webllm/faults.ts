// WebLLM's faults as coded errors. It throws errors of many classes, DOM exceptions, TVM's own texts, and plain strings;
// what they have in common is their words. Knows no model.
import { CodedError, type ErrorCode } from '../../errors.ts';

const KNOWN: readonly [RegExp, ErrorCode, string][] = [
  [
    /device (?:was |is )?lost|DeviceLost|GPUDevice.*destroyed/i,
    'gpu/lost',
    'take a smaller model, or close other tabs',
  ],
  [/WebGPUNot|WebGPU is not supported|compatible GPU/i, 'gpu/unavailable', 'a browser and a machine with WebGPU'],
  [/FeatureSupport|ShaderF16|shader-f16/i, 'gpu/feature', 'take the model’s q4f32 or q0f32 variant'],
  [/exceeds? limit|artifact requires max/i, 'gpu/limits', 'take a smaller model'],
  [/out of memory|\bOOM\b|createBuffer/i, 'gpu/memory', 'take a smaller model, or close other tabs'],
  [/QuotaExceeded|quota/i, 'storage/quota', 'delete models that are no longer used'],
  [/ModelNotFound|Cannot find model record/i, 'model/unknown', 'choose one of the list'],
  [/ModelNotLoaded|not loaded before/i, 'model/not-open', 'the model was let go of while it was asked'],
  [/NetworkError|Failed to fetch|network error|Load failed|Cannot fetch/i, 'model/offline', 'check the connection'],
  [/GrammarMatcher|EBNF/i, 'usage/grammar', 'set constrain to off'],
  [
    /Integrity|JSON|WebAssembly|magic|out of bounds|Packed BF16|Cannot read prop/i,
    'model/bad-file',
    'delete the model and load it again',
  ],
];

/** After any fault but a request's own the engine is made anew: what it still holds is not known. */
export const isFatal = ({ code }: CodedError): boolean => !code.startsWith('usage/');

export function faultOf(error: unknown): CodedError {
  if (error instanceof CodedError) return error;
  const text = wordsOf(error);
  const [, code, hint] = KNOWN.find(([words]) => words.test(text)) ?? [
    null,
    'model/webllm' as const,
    'load the model again',
  ];
  return new CodedError(code, `WebLLM: ${firstSentence(text)}`, hint, error instanceof Error ? error.stack : text);
}

/** A prompt that the model's context has no room for is a fact of the episode, no fault. */
export const isOverflow = (error: unknown): boolean =>
  /ContextWindowSizeExceeded|exceed context window/i.test(wordsOf(error));

const wordsOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

const firstSentence = (text: string): string => /^[^\n]*?(?:[.!?](?=\s)|$)/.exec(text)![0].slice(0, 200);
