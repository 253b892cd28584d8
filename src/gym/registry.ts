// Finds the plug-ins by their folders and reads arm names (`training`, `training@oracle-judge`). Names no plug-in itself.
import { CodedError } from '../errors.ts';
import type { RunEvent } from '../log/events.ts';
import type { Table } from '../report/render/cells.ts';
import { labelOf, type Signal } from './experience.ts';
import type { Arm, ArmContext, ArmSpec, Plugin, VariantSpec } from './plugin.ts';

const modules = import.meta.glob<{ plugin: Plugin }>('../plugins/*/index.ts', { eager: true });

export const plugins: readonly Plugin[] = Object.values(modules).map((module) => module.plugin);

export const allArms: readonly { plugin: Plugin; spec: ArmSpec }[] = plugins.flatMap((plugin) =>
  plugin.manifest.arms.map((spec) => ({ plugin, spec })),
);

/** The tables of all plug-ins that have rows; ids are made unique by the plug-in's name. */
export const pluginTables = (logs: readonly (readonly RunEvent[])[]): Table[] =>
  plugins.flatMap(({ manifest, report }) =>
    (report?.(logs) ?? [])
      .filter(({ rows }) => rows.length > 0)
      .map((table) => ({ ...table, id: `${manifest.name}-${table.id}` })),
  );

export interface ResolvedArm {
  name: string;
  /** `Training (oracle judge)`. */
  title: string;
  plugin: Plugin;
  spec: ArmSpec;
  variants: { plugin: Plugin; spec: VariantSpec }[];
  reads: readonly Signal[];
  label: 'hidden-reward' | 'oracle-fed';
  create(context: ArmContext): Arm;
}

/** Errors: plugin/unknown-arm, plugin/unknown-variant. */
export function resolveArm(name: string): ResolvedArm {
  const [base, ...links] = name.split('@');
  const found = allArms.find(({ spec }) => spec.name === base);
  if (!found) {
    const known = allArms.map(({ spec }) => spec.name).join(', ');
    throw new CodedError('plugin/unknown-arm', `no arm ${base}`, `one of ${known}`);
  }
  const variants = links.map((link) => {
    for (const plugin of plugins) {
      const spec = plugin.manifest.variants?.find((variant) => variant.name === link);
      if (spec) return { plugin, spec };
    }
    throw new CodedError('plugin/unknown-variant', `no variant ${link}`, 'e.g. training@oracle-judge');
  });
  const { plugin, spec } = found;
  const reads = [
    ...new Set([...(spec.reads ?? plugin.manifest.reads), ...variants.flatMap((variant) => variant.spec.reads)]),
  ];
  return {
    name,
    title: variants.length === 0 ? spec.title : `${spec.title} (${variants.map((one) => one.spec.title).join(', ')})`,
    plugin,
    spec,
    variants,
    reads,
    label: labelOf(reads),
    create(context) {
      const arm = plugin.arm!(spec.name, context);
      return variants.reduce((inner, variant) => variant.plugin.variant!(variant.spec.name, inner, context), arm);
    },
  };
}

/** Every arm that no signal of the verifier reaches, and each variant that adds none, once, on the first of them. */
export function hiddenRewardArms(): ResolvedArm[] {
  const hidden = (names: readonly string[]) => names.map(resolveArm).filter(({ label }) => label === 'hidden-reward');
  const arms = hidden(allArms.map(({ spec }) => spec.name));
  const first = arms.find(({ spec }) => !spec.baseline)!;
  const variants = plugins.flatMap(({ manifest }) => manifest.variants ?? []);
  return [...arms, ...hidden(variants.map(({ name }) => `${first.name}@${name}`))];
}

/** The arm that is a run's null. */
export const baselineArm = (): ResolvedArm => resolveArm(allArms.find(({ spec }) => spec.baseline)!.spec.name);
