// The page's end of the lab worker.
import * as Comlink from 'comlink';
import { CodedError } from '../errors.ts';
import type { LabApi, LabMessage } from '../workers/contract.ts';

export async function openLab(listener: (message: LabMessage) => void): Promise<LabApi> {
  const workers = import.meta.glob<{ default: new () => Worker }>('../workers/lab.ts', { query: '?worker' });
  const load = workers['../workers/lab.ts'];
  if (!load) throw new CodedError('worker/missing', 'the lab is not part of this build', 'Build the page again.');
  const worker = new (await load()).default();
  const lab = Comlink.wrap<LabApi>(worker);
  await lab.listen(Comlink.proxy(listener));
  return lab as unknown as LabApi;
}
