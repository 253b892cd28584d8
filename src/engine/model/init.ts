// Weights for a model that is to be pretrained from nothing. The same seed gives the same bits on any machine.
// Knows nothing of training.
import type { ModelConfig, ModelWeights, Tensor } from '../types.ts';
import { fromF32 } from './convert.ts';
import { countOf } from './dtype.ts';
import { RandomStream } from './random.ts';
import { expectedTensors } from './tensors.ts';

/**
 * Fresh f32 weights: normal with standard deviation `std`, norms 1, biases 0. The two layers of a block that write into
 * the residual stream (o_proj, down_proj) have std / sqrt(2 layers), so that the stream's variance does not grow with
 * depth (GPT-2; Radford et al. 2019, section 2.3). Each tensor has its own stream, named after it: adding a layer
 * leaves the others' weights as they were, up to that scale.
 */
export function initWeights(config: ModelConfig, seed: number, std = 0.02): ModelWeights {
  const tensors = new Map<string, Tensor>();
  const residual = std / Math.sqrt(2 * config.layers);
  for (const [name, shape] of expectedTensors(config)) {
    const values = new Float32Array(countOf(shape));
    if (shape.length === 1) {
      values.fill(name.endsWith('norm.weight') ? 1 : 0);
    } else {
      const scale = /\.(o_proj|down_proj)\.weight$/.test(name) ? residual : std;
      const random = new RandomStream(seed, `init ${name}`);
      for (let i = 0; i < values.length; i++) values[i] = scale * random.normal();
    }
    tensors.set(name, fromF32(values, 'f32', shape));
  }
  return { config, tensors };
}
