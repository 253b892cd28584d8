// One tab runs at a time. The lock dies with its tab or worker, however that ends; its name tells the others who has it.
import { CodedError } from '../errors.ts';

const NAME = 's3gym-run';
const HOLDER = `${NAME}: `;
/** A tab that is being reloaded holds its lock a moment longer. */
const PATIENCE_MS = 1000;

/**
 * Resolves to the function that lets go. Where the browser has no locks (plain HTTP) nothing is guarded; a second
 * writer then meets storage/conflict. Errors: storage/locked.
 */
export async function takeRunLock(title: string, since = new Date(), patienceMs = PATIENCE_MS): Promise<() => void> {
  const locks = (globalThis.navigator as Navigator | undefined)?.locks;
  if (!locks) return () => undefined;
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const giveUp = new AbortController();
  const timer = setTimeout(() => giveUp.abort(), patienceMs);
  try {
    await new Promise<void>((resolve, reject) => {
      // The second lock's name is the note on the door.
      const note = () => locks.request(`${HOLDER}“${title}” since ${clock(since)}`, () => (resolve(), held));
      locks.request(NAME, { signal: giveUp.signal }, note).catch(reject);
    });
    return release;
  } catch (error) {
    if (!giveUp.signal.aborted) throw error;
    const { held: all = [] } = await locks.query();
    const holder = all.find(({ name }) => name?.startsWith(HOLDER))?.name?.slice(HOLDER.length) ?? 'a run';
    throw new CodedError(
      'storage/locked',
      `another tab runs ${holder}`,
      'Runs, training and the GPU belong to one tab at a time: wait for it, or stop it there, then try again.',
    );
  } finally {
    clearTimeout(timer);
  }
}

/** Whether any tab holds it, and not only because it is just being closed; false where the browser has no locks. */
export async function isRunning(patienceMs = PATIENCE_MS): Promise<boolean> {
  if (!(await isHeld())) return false;
  await new Promise((resolve) => setTimeout(resolve, patienceMs));
  return isHeld();
}

async function isHeld(): Promise<boolean> {
  const locks = (globalThis.navigator as Navigator | undefined)?.locks;
  const { held = [] } = (await locks?.query()) ?? {};
  return held.some(({ name }) => name === NAME);
}

const clock = (time: Date) =>
  `${String(time.getHours()).padStart(2, '0')}:${String(time.getMinutes()).padStart(2, '0')}`;
