// An adapter's tensors by PEFT's names, as a person chooses among them. Knows no numbers.
interface TensorName {
  name: string;
  layer: number;
  /** `v_proj, B` */
  part: string;
}

/** In the adapter's own order; names of another form are left out. */
export function tensorNames(names: readonly string[]): TensorName[] {
  return names.flatMap((name) => {
    const found = /\.layers\.(\d+)\.\w+\.(\w+)\.lora_([AB])\.weight$/.exec(name);
    return found ? [{ name, layer: Number(found[1]), part: `${found[2]}, ${found[3]}` }] : [];
  });
}
