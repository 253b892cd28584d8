// The text side of a model that a log names, to verify it with: from this device's disk or the page's own host; nothing
// is fetched from elsewhere for it.
import { readTexts } from '../engine/model/open.ts';
import { openEngineText } from '../models/engine/text.ts';
import type { ModelText } from '../models/types.ts';
import { download, modelUrl, shelved } from './modelFiles.ts';

/** null where the tokenizer is not here, or is none that we read. */
export async function textsOf(model: string, base: string): Promise<ModelText | null> {
  try {
    const kept = await shelved(model, base);
    const { tokenizer, ...more } = kept ? await readTexts(kept) : await ownTexts(modelUrl(model, base), base);
    return tokenizer === null ? null : openEngineText({ tokenizer, ...more });
  } catch {
    return null;
  }
}

async function ownTexts(folder: URL, base: string) {
  const own = folder.origin === new URL(base).origin && folder.pathname.endsWith('/');
  const text = async (name: string) => (own ? ((await download(new URL(name, folder), {}))?.text() ?? null) : null);
  return {
    tokenizer: await text('tokenizer.json'),
    tokenizerConfig: await text('tokenizer_config.json'),
    chatTemplate: await text('chat_template.jinja'),
  };
}
