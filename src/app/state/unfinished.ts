// Which run was under way, so that a reload of this tab goes on with it and a later visit is offered it.
export interface Unfinished {
  id: string;
  running: boolean;
}

const KEY = 's3:unfinished';

export function remember(run: Unfinished) {
  for (const storage of storages()) storage.setItem(KEY, JSON.stringify(run));
}

export function forget(id: string) {
  for (const storage of storages()) if (read(storage)?.id === id) storage.removeItem(KEY);
}

export const inThisTab = () => read(storages()[0]);
export const lastVisit = () => read(storages()[1]);

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
