// Takes from a worker what a user-made game has no business with, before its code is loaded.
//
// Guaranteed, together with the owner's deadlines: it cannot touch the page, its storage or its other workers, cannot
// open connections through the interfaces below, and dies when it does not answer.
// Not guaranteed: `import('https://…')` is syntax and stays. A Content-Security-Policy stops it where the host sends one
// with the worker's script; the page's own, in its head, does not reach here. So a game could load more code or tell an
// address what it was asked to play; and it may use memory until the browser stops it.
// It sees nothing of the person, the model or other runs: seeds and actions of its own episodes only.

const GLOBALS = [
  'fetch',
  'fetchLater',
  'XMLHttpRequest',
  'WebSocket',
  'WebSocketStream',
  'WebTransport',
  'EventSource',
  'RTCPeerConnection',
  'RTCDataChannel',
  'importScripts',
  'indexedDB',
  'caches',
  'BroadcastChannel',
  'Worker',
  'SharedWorker',
  'Notification',
  'cookieStore',
  'webkitRequestFileSystem',
  'webkitRequestFileSystemSync',
] as const;

const NAVIGATOR = [
  'storage',
  'locks',
  'serviceWorker',
  'gpu',
  'sendBeacon',
  'permissions',
  'usb',
  'hid',
  'serial',
] as const;

/** Removes them from the scope and from every prototype, so that they cannot be fetched back from there. */
export function closeDoors(scope: object = globalThis): void {
  const navigator: unknown = Reflect.get(scope, 'navigator');
  for (const name of GLOBALS) remove(scope, name);
  if (typeof navigator === 'object' && navigator !== null) for (const name of NAVIGATOR) remove(navigator, name);
}

function remove(target: object, name: string) {
  for (let place: object | null = target; place !== null; place = Reflect.getPrototypeOf(place)) {
    if (Object.hasOwn(place, name)) Reflect.deleteProperty(place, name);
  }
  Reflect.defineProperty(target, name, { value: undefined, writable: false, configurable: false });
}
