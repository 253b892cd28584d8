// Starts and ends helper threads, in Node and in browsers. Where they cannot start (no shared memory, a content policy
// without blob workers) the executor works alone. Knows nothing of what they compute.
import helperSource from './helper.js?raw';

export interface HelperStart {
  module: WebAssembly.Module;
  memory: WebAssembly.Memory;
  thread: number;
  scratch: number;
  bytes: number;
  seen: number;
}

export interface Helper {
  end(): Promise<void>;
}

const DEADLINE_MS = 20_000;

/** Node's worker_threads, without an import that a browser's bundler would have to explain away. */
const nodeThreads = (): typeof import('node:worker_threads') | undefined =>
  typeof process === 'object' && typeof process.getBuiltinModule === 'function'
    ? process.getBuiltinModule('node:worker_threads')
    : undefined;

/** Shared memory exists: Node, or a page with cross-origin isolation. */
export const canShare = (): boolean =>
  typeof SharedArrayBuffer === 'function' && (nodeThreads() !== undefined || globalThis.crossOriginIsolated === true);

/** Processors that this machine reports. */
export function processors(): number {
  const os = typeof process === 'object' ? process.getBuiltinModule?.('node:os') : undefined;
  return os ? os.availableParallelism() : (globalThis.navigator?.hardwareConcurrency ?? 1);
}

/** Rejects when the thread is not ready in time. */
export async function startHelper(data: HelperStart): Promise<Helper> {
  const node = nodeThreads();
  if (node) {
    const worker = new node.Worker(helperSource, { eval: true, workerData: data });
    try {
      await settled((done, fail) => {
        worker.once('message', done);
        worker.once('error', fail);
      });
    } catch (error) {
      await worker.terminate();
      throw error;
    }
    worker.unref();
    return { end: async () => void (await worker.terminate()) };
  }
  const url = URL.createObjectURL(new Blob([helperSource], { type: 'text/javascript' }));
  const worker = new Worker(url);
  try {
    await settled((done, fail) => {
      worker.onmessage = done;
      worker.onerror = () => fail(new Error('helper thread failed to start'));
      worker.postMessage(data);
    });
  } catch (error) {
    worker.terminate();
    throw error;
  } finally {
    URL.revokeObjectURL(url);
  }
  return {
    end: () => {
      worker.terminate();
      return Promise.resolve();
    },
  };
}

function settled(begin: (done: () => void, fail: (error: Error) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('helper thread not ready in time')), DEADLINE_MS);
    begin(
      () => (clearTimeout(timer), resolve()),
      (error) => (clearTimeout(timer), reject(error)),
    );
  });
}
