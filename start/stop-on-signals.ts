/** Ctrl-C and SIGTERM end the process cleanly; a second one, or a stop that takes too long, ends it at once. */

/** An embedded PostgreSQL shuts itself down when its parent is gone, so nothing is lost by leaving. */
const STOP_MILLISECONDS_MAX = 10_000;

export function stopOnSignals(stop: () => Promise<void>): void {
  let stopping = false;
  const heard = (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    setTimeout(() => leave('it took too long'), STOP_MILLISECONDS_MAX).unref();
    stop().then(() => process.exit(0), (error: unknown) => leave((error as Error).message));
  };
  process.on('SIGINT', heard);
  process.on('SIGTERM', heard);
}

function leave(reason: string): never {
  process.stderr.write(`Not stopped cleanly: ${reason}\n`);
  process.exit(1);
}
