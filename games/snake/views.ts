// Snake's two views. The board is drawn; the line is read off the board's text.
import type { SnakeConfig } from './config.ts';
import { DIRECTIONS, OPPOSITE, type Direction, type SnakeState } from './world.ts';

export function board(config: SnakeConfig, state: SnakeState): string {
  const { width, height } = config;
  const cells: string[] = Array.from({ length: width * height }, (_, cell) => {
    const row = Math.floor(cell / width);
    const column = cell % width;
    return row === 0 || column === 0 || row === height - 1 || column === width - 1 ? '#' : '.';
  });
  for (const cell of state.obstacles) cells[cell] = 'X';
  for (const cell of state.apples) cells[cell] = 'A';
  for (const cell of state.body) cells[cell] = 'S';
  cells[state.body[0]!] = 'H';
  const rows = Array.from({ length: height }, (_, row) => cells.slice(row * width, (row + 1) * width).join(''));
  const tail = state.body.at(-1)!;
  // The tail is printed because its cell may be entered, and the drawing does not tell which S it is.
  return [...rows, `heading ${state.heading}`, `tail ${Math.floor(tail / width)},${tail % width}`].join('\n');
}

const DELTA: Record<Direction, readonly [number, number]> = {
  UP: [-1, 0],
  DOWN: [1, 0],
  LEFT: [0, -1],
  RIGHT: [0, 1],
};

/** `heading UP free UP LEFT apple up2 left1 apple down1 right3`, from the board's text alone. */
export function line(_: SnakeConfig, text: string): string {
  const rows = text.split('\n').filter((row) => row.startsWith('#'));
  const heading = (/^heading (\w+)/m.exec(text)?.[1] ?? 'UP') as Direction;
  const tail = /^tail (\d+,\d+)/m.exec(text)?.[1];
  const row = rows.findIndex((cells) => cells.includes('H'));
  const column = rows[row]!.indexOf('H');
  const free = DIRECTIONS.filter((direction) => {
    if (direction === OPPOSITE[heading]) return false;
    const [r, c] = [row + DELTA[direction][0], column + DELTA[direction][1]];
    const cell = rows[r]?.[c] ?? '#';
    return cell === '.' || cell === 'A' || (cell === 'S' && `${r},${c}` === tail);
  });
  const apples = rows.flatMap((cells, r) =>
    [...cells].flatMap((cell, c) => (cell === 'A' ? [{ down: r - row, right: c - column }] : [])),
  );
  apples.sort((a, b) => Math.abs(a.down) + Math.abs(a.right) - Math.abs(b.down) - Math.abs(b.right)); // stable
  const words = apples.map(({ down, right }) => {
    const parts = [];
    if (down !== 0) parts.push(down < 0 ? `up${-down}` : `down${down}`);
    if (right !== 0) parts.push(right < 0 ? `left${-right}` : `right${right}`);
    return ` apple ${parts.join(' ')}`;
  });
  return `heading ${heading} free ${free.join(' ') || 'none'}${words.join('')}`;
}

export const legend = {
  board: '#.HSAX\nheading tailUPDOWNLEFTRIGHT0123456789,',
  line: 'headingfree apple updownleftrightnone UPDOWNLEFTRIGHT0123456789',
};
