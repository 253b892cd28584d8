// The page itself, where something it needs does not come.
import { mount, unmount } from 'svelte';
import { afterEach, expect, test, vi } from 'vitest';
import App from './App.svelte';
import { Session } from './state/session.svelte.ts';
import { smallRun } from '../gym/testing.ts';
import { serialise } from '../log/jsonl.ts';
import { takeRunLock } from '../log/runLock.ts';

let close = () => {};

function open(index: Response) {
  const site = globalThis.fetch;
  vi.stubGlobal('fetch', (url: string, init?: RequestInit) =>
    String(url).endsWith('recordings/index.json') ? Promise.resolve(index) : site(url, init),
  );
  const session = new Session();
  const app = mount(App, { target: document.body, props: { session } });
  close = () => {
    void unmount(app);
    session.reader.close();
  };
  return session;
}
const cards = (within: ParentNode | null = document) =>
  [...(within?.querySelectorAll<HTMLElement>('[data-part=error]') ?? [])].map((card) => card.innerText);

afterEach(() => {
  close();
  vi.unstubAllGlobals();
  localStorage.clear();
});

test('recordings that do not come are a card with code and hint, also inside an open sheet', async () => {
  const session = open(new Response('', { status: 503 }));
  await session.boot('');
  await expect.poll(() => cards().length).toBe(1);
  expect(cards()[0]).toMatch(/answered 503[^]*reload the page[^]*import\/refused/);
  expect(session.page).toBe('idle');
  [...document.querySelectorAll<HTMLButtonElement>('nav button')].find((one) => one.innerText === 'Lessons')!.click();
  await expect.poll(() => cards(document.querySelector('dialog[open]')).length).toBe(1);
});

test('further reports: the tables of plug-ins, made when somebody opens them', async () => {
  const log = await smallRun({ games: ['snake-v1'], pathways: ['frozen', 'history'], explore: 6, every: 6, strict: 2 });
  const session = open(new Response('', { status: 404 }));
  await session.boot('');
  await session.importFile(new Blob([log.map((event) => `${serialise(event)}\n`).join('')]));
  await expect.poll(() => document.querySelector('[data-part=more] summary')).not.toBeNull();
  expect(document.body.innerText).not.toContain('Does its judging drift');
  document.querySelector<HTMLElement>('[data-part=more] summary')!.click();
  await expect.poll(() => document.querySelectorAll('[data-part=more] tbody tr').length).toBe(3);
  expect(document.querySelector<HTMLElement>('[data-part=more]')!.innerText).toMatch(
    /Does its judging drift[^]*History\s+last/,
  );
  expect(cards()).toEqual([]);
});

test('a slip in the address is a card; the rest of it counts', async () => {
  const session = open(new Response('', { status: 404 }));
  await session.boot('?v=1&games=trust&strict=-4');
  await expect.poll(() => cards().length).toBe(1);
  expect(cards()[0]).toContain('settings/bad-value');
  expect(session.settings.game).toBe('trust-v1');
});

test('the run of another tab is not offered as unfinished; one that nobody has is', async () => {
  localStorage.setItem('s3:unfinished', JSON.stringify({ id: 'a', running: true }));
  const release = await takeRunLock('snake');
  const busy = open(new Response('', { status: 404 }));
  await busy.boot('');
  await new Promise((resolve) => setTimeout(resolve, 1300));
  expect(document.body.innerText).not.toContain('Go on with it');
  release();
  close();
  await open(new Response('', { status: 404 })).boot('');
  await expect.poll(() => document.body.innerText).toContain('Go on with it');
});
