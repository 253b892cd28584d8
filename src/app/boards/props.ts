// What every board renderer is given. It draws from the text alone; it never sees a game's state.
export interface BoardProps {
  /** The drawn view's text. */
  board: string;
  /** What was chosen in this state, for an arrow or a ghost; null when nothing (yet) or over. */
  action: string | null;
}
