/** Whatever a benchmark starts or writes is undone however the run ends: in order, by an error, or by Ctrl-C. */

type Undo = () => Promise<void> | void;

const undoings = new Set<Undo>();

/** Gives a function that undoes now; otherwise `cleanUp` does. It happens once. */
export function undoLater(undo: Undo): () => Promise<void> {
  undoings.add(undo);
  return async () => {
    if (undoings.delete(undo)) await undo();
  };
}

/** Undoes what is left, the newest first. One error does not stop the others; they are told on standard error. */
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

/** Whether a signal ended the run: what fails after that is no news. */
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
