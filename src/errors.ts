// One error type for every boundary. Crosses workers as a value {code, message, hint, detail}; knows nothing of who throws.

/** Boundaries that a code may start with, e.g. `storage/quota`. */
export const BOUNDARIES = [
  'usage',
  'gpu',
  'storage',
  'model',
  'worker',
  'game',
  'judge',
  'training',
  'import',
  'settings',
  'plugin',
  'log',
] as const;
export type Boundary = (typeof BOUNDARIES)[number];
export type ErrorCode = `${Boundary}/${string}`;

export interface ErrorValue {
  code: ErrorCode;
  message: string;
  hint: string;
  detail?: string;
}

export class CodedError extends Error {
  readonly code: ErrorCode;
  readonly hint: string;
  readonly detail: string | undefined;

  constructor(code: ErrorCode, message: string, hint = '', detail?: string) {
    super(message);
    this.name = 'CodedError';
    this.code = code;
    this.hint = hint;
    this.detail = detail;
  }
}

/** Any thrown thing as a plain value that survives structured clone. */
export function toErrorValue(error: unknown, fallback: ErrorCode): ErrorValue {
  if (error instanceof CodedError) {
    const { code, message, hint, detail } = error;
    return detail === undefined ? { code, message, hint } : { code, message, hint, detail };
  }
  if (typeof error === 'object' && error !== null && 'code' in error && 'message' in error && 'hint' in error) {
    return error as ErrorValue;
  }
  const message = error instanceof Error ? error.message : String(error);
  const detail = error instanceof Error ? error.stack : undefined;
  return { code: fallback, message, hint: '', ...(detail === undefined ? {} : { detail }) };
}

export function fromErrorValue(value: ErrorValue): CodedError {
  return new CodedError(value.code, value.message, value.hint, value.detail);
}
