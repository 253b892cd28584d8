// The two names of a game: its id, with the version (`snake-v1`), and its bare name (`snake`). Knows no game, so that the
// page's first paint can read names without loading games.

export const bareName = (id: string) => id.replace(/-v\d+$/, '');

/** The one of `games` that `name` means, by id or by bare name; undefined when there is none. */
export function named<G extends { id: string }>(games: Iterable<G>, name: string): G | undefined {
  const all = [...games];
  const wanted = name.toLowerCase();
  return all.find(({ id }) => id === wanted) ?? all.find(({ id }) => bareName(id) === wanted);
}
