// A model in memory -> the files of Hugging Face's layout, as bytes. The inverse of open.ts; knows no disk.
import type { ModelWeights } from '../types.ts';
import { formatConfig } from './config.ts';
import type { ModelTexts } from './open.ts';
import { writeSafetensors } from './safetensors.ts';

/**
 * File name -> bytes: config.json, model.safetensors and those of the texts that are given. The same model gives the
 * same bytes. Errors: model/unsupported (a weight in a type that safetensors lacks).
 */
export function saveModel(weights: ModelWeights, texts: Partial<ModelTexts> = {}): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  const put = (name: string, text: string | null | undefined): void => {
    if (text !== null && text !== undefined) files.set(name, new TextEncoder().encode(text));
  };
  put('config.json', formatConfig(weights.config, weights.tensors.get('model.embed_tokens.weight')?.dtype ?? 'f32'));
  files.set('model.safetensors', writeSafetensors(weights.tensors));
  put('tokenizer.json', texts.tokenizer);
  put('tokenizer_config.json', texts.tokenizerConfig);
  put('generation_config.json', texts.generationConfig);
  put('chat_template.jinja', texts.chatTemplate);
  return files;
}
