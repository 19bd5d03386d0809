/** Starts a server again that ended by itself: killed for want of memory, stopped by a full disk. */
import { elapsedMilliseconds } from './clock.ts';
import type { RunningServer } from './launch-server.ts';

/** So often in a row; one that lived for a minute begins to count again. The rests between them are 13 seconds together. */
const ATTEMPTS_MAX = 6;
const STABLE_MILLISECONDS = 60_000;
const REST_MILLISECONDS = { first: 200, longest: 10_000 };

/**
 * Watches `first`, and whatever `relaunch` puts in its place. `onLost` is called once, when it cannot be kept running: no one
 * tries any more. `stop` resolves once no server runs.
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
      let error = new Error(`PostgreSQL ended by itself (${how})`);
      onProgress(`${error.message}. Starting it again.`);
      while (!server) {
        attempts += 1;
        if (attempts > ATTEMPTS_MAX) return onLost(error);
        await rest(Math.min(REST_MILLISECONDS.first * 2 ** (attempts - 1), REST_MILLISECONDS.longest));
        if (stopping.signal.aborted) return;
        try {
          server = await relaunch();
          onProgress('PostgreSQL runs again.');
        } catch (failure) {
          error = failure as Error;
        }
      }
      // Anyone who stopped us meanwhile did not know of this one.
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
