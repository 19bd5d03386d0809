/** Restarts a server that ended unexpectedly, e.g. was killed for lack of memory or stopped by a full disk. */
import { elapsedMilliseconds } from './clock.ts';
import type { RunningServer } from './launch-server.ts';

/**
 * Maximum consecutive restarts, with 13 seconds of pauses in total. A server that ran for a minute resets the count.
 */
const ATTEMPTS_MAX = 6;
const STABLE_MILLISECONDS = 60_000;
const REST_MILLISECONDS = { first: 200, longest: 10_000 };

/**
 * Watches `first` and its replacements from `relaunch`. `onLost` is called once, when restarting is given up. `stop`
 * resolves once no server is running.
 */
export function superviseServer(
  first: RunningServer,
  {
    relaunch,
    onProgress,
    onLost,
  }: {
    relaunch: () => Promise<RunningServer>;
    onProgress: (message: string) => void;
    onLost: (error: Error) => void;
  },
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let server: RunningServer | null = first;
  const watching = watch();
  return {
    async stop() {
      stopping.abort();
      await server?.stop();
      await watching;
    },
  };

  async function watch(): Promise<void> {
    let attempts = 0;
    while (server) {
      const began = elapsedMilliseconds();
      const how = await server.ended;
      if (stopping.signal.aborted) return;
      await server.stop();
      if (elapsedMilliseconds() - began > STABLE_MILLISECONDS) attempts = 0;
      server = null;
      let error = new Error(`PostgreSQL exited unexpectedly (${how})`);
      onProgress(`${error.message}. Starting it again.`);
      while (!server) {
        attempts += 1;
        if (attempts > ATTEMPTS_MAX) return onLost(error);
        await rest(Math.min(REST_MILLISECONDS.first * 2 ** (attempts - 1), REST_MILLISECONDS.longest));
        if (stopping.signal.aborted) return;
        try {
          server = await relaunch();
          onProgress('PostgreSQL is running again.');
        } catch (failure) {
          error = failure as Error;
        }
      }
      // A stop requested during the relaunch could not stop the new server.
      if (stopping.signal.aborted) await server.stop();
    }
  }

  async function rest(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds).unref();
      stopping.signal.addEventListener(
        'abort',
        () => {
          clearTimeout(timer);
          resolve();
        },
        { once: true },
      );
    });
  }
}
