/** Ctrl-C and SIGTERM end the process cleanly; a second one ends it at once. */

export function stopOnSignals(stop: () => Promise<void>): void {
  let stopping = false;
  const heard = (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    stop().then(() => process.exit(0), (error: unknown) => {
      process.stderr.write(`Not stopped cleanly: ${(error as Error).message}\n`);
      process.exit(1);
    });
  };
  process.on('SIGINT', heard);
  process.on('SIGTERM', heard);
}
