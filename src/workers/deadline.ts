// A deadline that does not blame others for our own sleep: when the timer itself comes late (a frozen tab, a machine
// that slept), the other side could not work either, and gets its time again.

/** Returns what calls it off. */
export function deadline(ms: number, late: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const arm = () => {
    const due = performance.now() + ms;
    timer = setTimeout(() => {
      if (performance.now() - due > Math.max(ms / 2, 500)) arm();
      else late();
    }, ms);
  };
  arm();
  return () => clearTimeout(timer);
}
