/** Undoes everything that a benchmark started or wrote, however the run ends: normally, by an error, or by Ctrl-C. */

type Undo = () => Promise<void> | void;

const undoings = new Set<Undo>();

/** Registers an undo step that `cleanUp` runs. Returns a function that runs it now; it runs only once. */
export function undoLater(undo: Undo): () => Promise<void> {
  undoings.add(undo);
  return async () => {
    if (undoings.delete(undo)) await undo();
  };
}

/** Runs the remaining undo steps, newest first. An error does not stop the others; it is printed to standard error. */
export async function cleanUp(): Promise<void> {
  for (const undo of [...undoings].reverse()) {
    undoings.delete(undo);
    try {
      await undo();
    } catch (error) {
      process.stderr.write(`Could not clean up: ${(error as Error).message}\n`);
    }
  }
}

let interrupted = false;

/** True if a signal ended the run; later failures are then not reported. */
export function wasInterrupted(): boolean {
  return interrupted;
}

export function cleanUpOnSignals(): void {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    process.once(signal, () => {
      interrupted = true;
      void cleanUp().finally(() => process.exit(code));
    });
  }
}
