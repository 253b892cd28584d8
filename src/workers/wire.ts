// What both ends of a worker agree on: Comlink carries calls, errors cross as coded values, and a worker says when it
// can be asked. Knows no API.
import * as Comlink from 'comlink';
import { CodedError, fromErrorValue, toErrorValue, type ErrorCode, type ErrorValue } from '../errors.ts';

export type Signal =
  /** `lock`: a lock that the worker holds as long as it lives. */
  { s3: 'ready'; lock: string | null } | { s3: 'fault'; error: ErrorValue };

export const isSignal = (data: unknown): data is Signal => typeof data === 'object' && data !== null && 's3' in data;

// Comlink sends an error's message, name and stack; `code` and `hint` would be lost on the way.
// https://github.com/GoogleChromeLabs/comlink/blob/v4.4.2/src/comlink.ts (throwTransferHandler)
const thrown = Comlink.transferHandlers.get('throw') as Comlink.TransferHandler<{ value: unknown }, unknown>;
Comlink.transferHandlers.set('throw', {
  canHandle: thrown.canHandle,
  serialize: ({ value }: { value: unknown }) => [plain(value, 'worker/threw'), []],
  deserialize: (value: ErrorValue) => {
    throw fromErrorValue(value);
  },
} satisfies Comlink.TransferHandler<{ value: unknown }, ErrorValue>);

/** Any thrown thing as strings only, whatever it was. */
export function plain(error: unknown, fallback: ErrorCode): ErrorValue {
  const { code, message, hint, detail } = toErrorValue(error, fallback);
  const value = { code: String(code) as ErrorCode, message: String(message), hint: String(hint) };
  return detail === undefined ? value : { ...value, detail: String(detail) };
}

const say = (signal: Signal) => (globalThis as unknown as DedicatedWorkerGlobalScope).postMessage(signal);

/** The worker's side: it cannot go on, and asks to be ended; what is pending is rejected with this. */
export const giveUp = (error: unknown): void => say({ s3: 'fault', error: plain(error, 'worker/gave-up') });

/** The worker's side: call it once, when every call can be answered. */
export function serve(api: object): void {
  const scope = globalThis as unknown as DedicatedWorkerGlobalScope;
  scope.addEventListener('unhandledrejection', (event) => {
    say({ s3: 'fault', error: plain(event.reason, 'worker/unhandled') });
  });
  Comlink.expose(api, scope);
  // A worker that closes itself or is taken by the system fires no event; but it lets go of its locks.
  const name = `s3gym-worker-${[...crypto.getRandomValues(new Uint8Array(8))].join('-')}`;
  const locks = (scope.navigator as WorkerNavigator | undefined)?.locks;
  if (!locks) return say({ s3: 'ready', lock: null });
  locks
    .request(name, () => {
      say({ s3: 'ready', lock: name });
      return new Promise(() => undefined);
    })
    .catch(() => say({ s3: 'ready', lock: null }));
}

/** What a call rejects with when it cannot cross, or crossed and threw. */
export function callError(error: unknown, worker: string): CodedError {
  if (error instanceof CodedError) return error;
  if (error instanceof DOMException && error.name === 'DataCloneError') {
    return new CodedError('worker/not-cloneable', `${worker}: ${error.message}`, 'send plain values', error.stack);
  }
  return fromErrorValue(plain(error, 'worker/threw'));
}
