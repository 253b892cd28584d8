// The renderers by game, each loaded when its game is first shown.
import type { Component } from 'svelte';
import { bareName } from '../../../games/names.ts';
import type { BoardProps } from '../boards/props.ts';

const loaders = import.meta.glob<{ default: Component<BoardProps> }>('../boards/*.svelte');

/** Null for a game without one: its text is shown. */
export function loadBoard(game: string): Promise<Component<BoardProps>> | null {
  const load = loaders[`../boards/${bareName(game)}.svelte`];
  return load ? load().then((module) => module.default) : null;
}
