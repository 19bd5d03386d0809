/** Ctrl-C and SIGTERM end the process cleanly; a second one, or a stop that takes too long, ends it at once. */
import { abortConnections } from '../platform/database/database-server.ts';

/** Then whatever still waits for a database is cut off, so that requests and steps of jobs end with an error. */
const GRACE_MILLISECONDS = 6_000;
/** An embedded PostgreSQL shuts itself down when its parent is gone, so nothing is lost by leaving. */
const STOP_MILLISECONDS_MAX = 9_000;

export function stopOnSignals(stop: () => Promise<void>): void {
  let stopping = false;
  const heard = (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    setTimeout(() => abortConnections(new Error('The process stops')), GRACE_MILLISECONDS).unref();
    setTimeout(() => leave('it took too long'), STOP_MILLISECONDS_MAX).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => leave((error as Error).message),
    );
  };
  process.on('SIGINT', heard);
  process.on('SIGTERM', heard);
}

function leave(reason: string): never {
  process.stderr.write(`Not stopped cleanly: ${reason}\n`);
  process.exit(1);
}
