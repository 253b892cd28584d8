// Which run was under way, so that a reload of this tab goes on with it and a later visit is offered it.
import { CodedError } from '../../errors.ts';
import { isRunning } from '../../log/runLock.ts';
import type { RunState } from '../../workers/contract.ts';

export interface Unfinished {
  id: string;
  running: boolean;
}

const KEY = 's3:unfinished';

/** What a run's state means for a reload. Errors: as below. */
export function note(id: string, state: RunState) {
  if (state === 'done' || state === 'failed' || state === 'idle') forget(id);
  else remember({ id, running: state !== 'paused' });
}

/** Errors: storage/unfinished, where the browser keeps nothing more. */
function remember(run: Unfinished) {
  const refused = storages().flatMap((storage) => {
    try {
      storage.setItem(KEY, JSON.stringify(run));
      return [];
    } catch (error) {
      return [(error as Error).message];
    }
  });
  if (refused.length === 0) return;
  throw new CodedError(
    'storage/unfinished',
    'the browser has no room to note which run is under way',
    'The run goes on and is kept. After a reload it will not go on by itself: open it under Runs.',
    refused.join('\n'),
  );
}

export function forget(id: string) {
  for (const storage of storages()) if (read(storage)?.id === id) storage.removeItem(KEY);
}

export const inThisTab = () => read(storages()[0]);

/** Null also while another tab has a run: it is that one, or has to wait for it. */
export const lastVisit = async () => ((await isRunning()) ? null : read(storages()[1]));

/** Session first, then local; none where the browser refuses both. */
function storages(): Storage[] {
  try {
    return [sessionStorage, localStorage];
  } catch {
    return [];
  }
}

function read(storage: Storage | undefined): Unfinished | null {
  try {
    const value = JSON.parse(storage?.getItem(KEY) ?? 'null') as Unfinished | null;
    return value && typeof value.id === 'string' ? value : null;
  } catch {
    return null;
  }
}
