/** What a runtime may or may not have: files, asynchronous contexts, processes, an environment. Where one is missing its feature is off. */

type Builtins = {
  'node:fs': typeof import('node:fs');
  'node:os': typeof import('node:os');
  'node:async_hooks': typeof import('node:async_hooks');
};

/** Not imported: a bundle for a runtime without it must still load. */
export function builtin<Name extends keyof Builtins>(name: Name): Builtins[Name] | null {
  try {
    return typeof process === 'undefined' ? null : (process.getBuiltinModule(name) ?? null);
  } catch {
    return null;
  }
}

/** 0 where there are no processes. */
export function processId(): number {
  return typeof process === 'undefined' ? 0 : (process.pid ?? 0);
}

/** One listener for the whole process, however many callbacks there are. */
const idleCallbacks = new Set<() => void>();
const callIdle = (): void => {
  for (const callback of [...idleCallbacks]) callback();
};

/** Calls back once all else is done, as often as that comes about, while `isWatching` was last said to be true. */
export function watchIdle(callback: () => void): (isWatching: boolean) => void {
  if (typeof process === 'undefined' || typeof process.on !== 'function') return () => {};
  return (isWatching) => {
    if (isWatching === idleCallbacks.has(callback)) return;
    if (isWatching) idleCallbacks.add(callback);
    else idleCallbacks.delete(callback);
    if (isWatching && idleCallbacks.size === 1) process.on('beforeExit', callIdle);
    if (idleCallbacks.size === 0) process.removeListener('beforeExit', callIdle);
  };
}

/** Keeps no process alive. The result stops it. */
export function afterDelay(milliseconds: number, callback: () => void, isAwaited = false): () => void {
  const timer: unknown = setTimeout(callback, milliseconds);
  if (!isAwaited && typeof timer === 'object' && timer !== null && 'unref' in timer)
    (timer as { unref(): void }).unref();
  return () => clearTimeout(timer as Parameters<typeof clearTimeout>[0]);
}

export interface Environment {
  readonly url: string | undefined;
  readonly apiKey: string | undefined;
  readonly spool: string | undefined;
}

export function readEnvironment(): Environment {
  const variables: Readonly<Record<string, string | undefined>> = typeof process === 'undefined' ? {} : process.env;
  return {
    url: variables['BOOKS_API_URL']?.trim() || undefined,
    apiKey: variables['BOOKS_API_KEY']?.trim() || undefined,
    spool: variables['BOOKS_SPOOL'] || undefined,
  };
}
