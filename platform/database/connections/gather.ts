/**
 * Calls `send` once a turn of the event loop has brought nothing more: what came in several packets leaves in one. While something is there to
 * be read a turn takes microseconds, and there is none that waits for anything.
 */
export function onceGathered(gathered: { readonly length: number }, send: () => void): void {
  let seen = 0;
  const look = () => {
    if (gathered.length === seen) return send();
    seen = gathered.length;
    setImmediate(look);
  };
  setImmediate(look);
}
