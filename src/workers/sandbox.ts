// Takes from a worker what a user-made game has no business with, before its code is loaded.
//
// Guaranteed, together with the owner's deadlines: it cannot touch the page, its storage or its other workers, cannot
// open connections through the interfaces below, cannot `import()` from another site, and dies when it does not answer.
// `import('https://…')` is syntax and cannot be taken away: a content policy stops it, which the worker inherits from the
// page (inherit.ts) or has from its host; where there is none, no user-made game is loaded (`underPolicy`).
// Not guaranteed: it may use memory until the browser stops it, and ask this site's own host for files.
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
  // Loads fonts by address.
  'FontFace',
  'fonts',
  'cookieStore',
  'webkitRequestFileSystem',
  'webkitRequestFileSystemSync',
] as const;

const NAVIGATOR = [
  'storage',
  'storageBuckets',
  'locks',
  'serviceWorker',
  'gpu',
  'sendBeacon',
  'permissions',
  'usb',
  'hid',
  'serial',
] as const;

/** Whether a content policy keeps this worker to scripts of its own site: one that is none of the site's is refused. */
export async function underPolicy(): Promise<boolean> {
  const foreign = 'data:text/javascript,';
  return import(/* @vite-ignore */ foreign).then(
    () => false,
    () => true,
  );
}

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
