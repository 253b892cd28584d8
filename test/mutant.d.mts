import type { Plugin } from 'vite';
export function placesOf(source: string): { at: number; line: number; from: string; to: string }[];
export function mutant(which: string | undefined): Plugin;
