// One tab runs at a time. The lock dies with its tab or worker, however that ends; its name tells the others who has it.
import { CodedError } from '../errors.ts';

const NAME = 's3gym-run';
const HOLDER = `${NAME}: `;

/**
 * Resolves to the function that lets go. Where the browser has no locks (plain HTTP) nothing is guarded; a second
 * writer then meets storage/conflict. Errors: storage/locked.
 */
export async function takeRunLock(title: string, since = new Date()): Promise<() => void> {
  const locks = (globalThis.navigator as Navigator | undefined)?.locks;
  if (!locks) return () => undefined;
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const taken = await new Promise<boolean>((resolve, reject) => {
    locks
      .request(NAME, { ifAvailable: true }, async (lock) => {
        if (!lock) return resolve(false);
        // A second lock, whose name is the note on the door.
        const note = locks.request(`${HOLDER}“${title}” since ${clock(since)}`, () => {
          resolve(true);
          return held;
        });
        await note;
      })
      .catch(reject);
  });
  if (taken) return release;
  const { held: all = [] } = await locks.query();
  const holder = all.find(({ name }) => name?.startsWith(HOLDER))?.name?.slice(HOLDER.length) ?? 'a run';
  throw new CodedError('storage/locked', `another tab runs ${holder}`, 'wait for it, or stop it there');
}

const clock = (time: Date) =>
  `${String(time.getHours()).padStart(2, '0')}:${String(time.getMinutes()).padStart(2, '0')}`;
