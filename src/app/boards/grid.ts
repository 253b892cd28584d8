// Reading a drawn board back from its text: what the agent read is what the person sees. Knows no game.

interface Grid {
  rows: string[];
  width: number;
  height: number;
}

export interface Cell {
  mark: string;
  row: number;
  column: number;
}

/** The lines that consist of the given characters only. */
export function gridOf(board: string, marks: string): Grid {
  const rows = board.split('\n').filter((line) => line !== '' && [...line].every((mark) => marks.includes(mark)));
  return { rows, width: Math.max(0, ...rows.map((row) => row.length)), height: rows.length };
}

export const cellsOf = ({ rows }: Grid): Cell[] =>
  rows.flatMap((line, row) => [...line].map((mark, column) => ({ mark, row, column })));
