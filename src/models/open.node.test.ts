import { expect, test } from 'vitest';
import { modelFilesByName, textByName } from './open.node.ts';

test('what needs the page, or is not there, is refused with a code; a log of it can be read all the same', async () => {
  await expect(modelFilesByName('webllm:Some-Model', '.')).rejects.toMatchObject({ code: 'model/page-only' });
  await expect(modelFilesByName('no/such/folder', '.')).rejects.toMatchObject({ code: 'model/not-found' });
  expect(await textByName('webllm:Some-Model', '.')).toBeNull();
});
