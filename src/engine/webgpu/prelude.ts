// The WGSL that comes before a kernel: its numbers and, for each operand, functions that read and write it wherever it
// lies. Temporaries are in one buffer, the slab, seen whole by every kernel (WebGPU allows no two writable bindings to
// overlap); what lives outside the plan has a binding of its own. Knows nothing of devices.
import { OPS, type OpName } from '../plan/ops.ts';
import { WEIGHT_OPERAND } from './kernels.ts';
import math from './kernels/math.wgsl?raw';

/** Where an operand lies: in the slab, in a buffer that is read or written, or nowhere (it is null). */
export type Where = 'slab' | 'read' | 'write' | 'none';

/** Bindings 0 and 1; the operands outside the slab follow in their order. */
export const FIRST_BINDING = 2;

/** `where` has one entry per operand, in the op's order: out, then in. Operands are arrays of 32-bit words. */
export function prelude(op: OpName, where: readonly Where[], constants: Readonly<Record<string, number>>): string {
  const { out, in: read, int, real } = OPS[op] as { [key in 'out' | 'in' | 'int' | 'real']: readonly string[] };
  const operands = [...out, ...read];
  const lines = ['struct Params {'];
  for (const name of [...operands, ...int]) lines.push(`  ${name}: u32,`);
  for (const name of real) lines.push(`  ${name}: f32,`);
  lines.push('}', '@group(0) @binding(0) var<uniform> p: Params;');
  lines.push('@group(0) @binding(1) var<storage, read_write> slab: array<u32>;');
  for (const [name, value] of Object.entries(constants)) lines.push(`const ${name} = ${value}u;`);
  let binding = FIRST_BINDING;
  operands.forEach((name, i) => {
    const place = where[i]!;
    let array = 'slab';
    if (place === 'read' || place === 'write') {
      array = `${name}_words`;
      const access = place === 'read' ? 'read' : 'read_write';
      lines.push(`@group(0) @binding(${binding++}) var<storage, ${access}> ${array}: array<u32>;`);
    }
    const nowhere = place === 'none';
    lines.push(`const has_${name} = ${String(!nowhere)};`);
    lines.push(`fn word_${name}(i: u32) -> u32 { ${nowhere ? 'return 0u;' : `return ${array}[p.${name} + i];`} }`);
    lines.push(`fn get_${name}(i: u32) -> f32 { return bitcast<f32>(word_${name}(i)); }`);
    const four = (half: string) =>
      `vec4<f32>(${['x', 'y', 'z', 'w'].map((i) => `get_${name}(at.${half}.${i})`).join()})`;
    lines.push(`fn eight_${name}(at: Rows) -> Eight { return Eight(${four('low')}, ${four('high')}); }`);
    if (i >= out.length) return;
    lines.push(`fn put_${name}(i: u32, word: u32) { ${nowhere ? '' : `${array}[p.${name} + i] = word;`} }`);
    lines.push(`fn set_${name}(i: u32, value: f32) { put_${name}(i, bitcast<u32>(value)); }`);
  });
  const weight = WEIGHT_OPERAND[op];
  if (weight) lines.push(`fn weight_word(i: u32) -> u32 { return word_${weight}(i); }`);
  return `${lines.join('\n')}\n${math}`;
}
