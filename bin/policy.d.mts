import type { Plugin } from 'vite';

export function policyIn(page: string): string | null;
export function policyHeaders(policy: string | null, path: string): Record<string, string>;
export function policyPlugin(page: string): Plugin;
