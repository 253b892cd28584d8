// Which executor computes a model here, and why, in words for people. Knows no kernel.
import { toErrorValue } from '../../errors.ts';
import { Gpu } from '../../engine/webgpu/device.ts';

export type WantedEngine = 'auto' | 'cpu' | 'webgpu';

export interface Choice {
  engine: 'cpu' | 'webgpu';
  why: string;
  /** Opened to look at; the session is to use it and to close it. */
  device?: Gpu;
}

/** Below this the processor is done before a GPU has been asked, and its runs repeat to the byte. */
const SMALL = 20_000_000;

/** A person's word counts; else a real GPU for a model that is worth it. Never throws: what is missing is the reason. */
export async function chooseEngine(wanted: WantedEngine, parameters: number, gpu?: GPU): Promise<Choice> {
  if (wanted !== 'auto') return { engine: wanted, why: 'as chosen in the settings' };
  if (parameters < SMALL) return { engine: 'cpu', why: 'a small model is quickest there' };
  try {
    const device = await Gpu.open(gpu);
    const { software, vendor, architecture } = device.facts;
    if (software) {
      device.close();
      return { engine: 'cpu', why: 'WebGPU here is computed by the processor, too' };
    }
    return { engine: 'webgpu', why: `on ${[vendor, architecture].filter(Boolean).join(' ') || 'a GPU'}`, device };
  } catch (error) {
    const { code, message } = toErrorValue(error, 'gpu/device');
    return { engine: 'cpu', why: code === 'gpu/unavailable' ? 'there is no WebGPU here' : `WebGPU failed: ${message}` };
  }
}
