// What this machine's GPU can do, in the terms of WebLLM's needs, and when it goes away. Knows no model.

export interface Device {
  features: ReadonlySet<string>;
  limits: Readonly<Record<(typeof LIMITS)[number], number>>;
  /** A hint at the memory, in MB; null where the browser gives none. WebGPU itself tells nothing of it. */
  memoryMb: number | null;
}

const LIMITS = [
  'maxStorageBufferBindingSize',
  'maxBufferSize',
  'maxComputeWorkgroupStorageSize',
  'maxStorageBuffersPerShaderStage',
] as const;

/** null: there is no WebGPU here, or no adapter. */
export async function findDevice(navigator: WorkerNavigator | Navigator): Promise<Device | null> {
  const { gpu, deviceMemory } = navigator as Gpu & { deviceMemory?: number };
  const adapter = (await gpu?.requestAdapter({ powerPreference: 'high-performance' })) ?? null;
  if (!adapter) return null;
  return {
    features: new Set(adapter.features),
    limits: Object.fromEntries(LIMITS.map((limit) => [limit, adapter.limits[limit] ?? 0])) as Device['limits'],
    memoryMb: deviceMemory === undefined ? null : deviceMemory * 1024,
  };
}

/**
 * Calls `onLost` when a device that is made from here on goes away. WebLLM keeps its device to itself and, when it is
 * lost, unloads in silence: https://github.com/mlc-ai/web-llm/blob/main/src/engine.ts (reloadInternal).
 */
export function watchDevices(adapters: AdapterPrototype, onLost: (why: string) => void): void {
  const { requestDevice } = adapters;
  adapters.requestDevice = async function (this: unknown, ...given: unknown[]) {
    const device = await requestDevice.apply(this, given);
    // Out of memory destroys the device on purpose; so each end that nobody asked for is a loss.
    void device.lost.then(({ reason, message }) => onLost(message || reason));
    return device;
  };
}

export interface AdapterPrototype {
  requestDevice(this: unknown, ...given: unknown[]): Promise<{ lost: Promise<{ reason: string; message: string }> }>;
}

/** The part of WebGPU that is asked for; the platform's own types are no dependency. */
interface Gpu {
  gpu?: {
    requestAdapter(options: {
      powerPreference: string;
    }): Promise<{ features: Iterable<string>; limits: Partial<Record<string, number>> } | null>;
  };
}
