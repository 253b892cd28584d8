// At most so many messages a second, of each kind the latest. For what is shown and not kept.

/** `now` and `later` are given by tests. */
export class Throttle<T extends { kind: string }> {
  private readonly pending = new Map<string, T>();
  private timer: ReturnType<typeof setTimeout> | null = null;
  private readonly gapMs: number;

  constructor(
    private readonly send: (item: T) => void,
    perSecond = 30,
  ) {
    this.gapMs = 1000 / perSecond;
  }

  push(item: T): void {
    if (this.timer === null) {
      this.send(item);
      this.arm();
    } else this.pending.set(item.kind, item);
  }

  /** Sends what waits: before something that must come after it. */
  flush(): void {
    for (const item of this.pending.values()) this.send(item);
    this.pending.clear();
  }

  private arm() {
    this.timer = setTimeout(() => {
      this.timer = null;
      const [first] = this.pending;
      if (!first) return;
      this.pending.delete(first[0]);
      this.push(first[1]);
    }, this.gapMs);
  }
}
