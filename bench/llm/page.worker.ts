// Our side in the page, off its thread, where waiting for helper threads is allowed.
import { memoryFile, modelFiles } from '../../src/engine/model/files.ts';
import { ourSpeeds, type OurSpeeds } from './work.ts';

let ours: OurSpeeds | null = null;

/** A number of threads loads the model; a name times that. Answers with a number. */
onmessage = async ({ data }: MessageEvent<{ load: number } | { time: 'prefill' | 'decode' | 'beside' | 'train' }>) => {
  try {
    if ('load' in data) {
      const bytes = new Uint8Array(await (await fetch('/model.gguf')).arrayBuffer());
      ours = await ourSpeeds(modelFiles([memoryFile('model.gguf', bytes)]), data.load);
      postMessage({ value: ours.threads });
    } else {
      postMessage({ value: await ours![data.time]() });
    }
  } catch (error) {
    postMessage({ error: String(error) });
  }
};
