// Starts a module worker under the content policy of whoever starts it.
//
// A worker whose script comes from the net has the policy that the host sends with the script; a static host sends none,
// and the page's own, in its head, does not reach it. A worker from a blob: URL has the policy of the URL's maker (HTML,
// "create a policy container from a fetch response"; Chromium 156: of who starts the worker, so here one makes and starts).
// The policy passes from page to lab to games in this way. https://html.spec.whatwg.org/multipage/browsers.html#policy-containers

const made = new Map<string, string>();

/** `script`: absolute address of a module of this origin. */
export function startInheriting(script: string, name: string): Worker {
  // One short text a script, for as long as this page or worker lives: a URL given back early may not load.
  const url =
    made.get(script) ??
    URL.createObjectURL(new Blob([`import ${JSON.stringify(script)};`], { type: 'text/javascript' }));
  made.set(script, url);
  return new Worker(url, { type: 'module', name });
}
