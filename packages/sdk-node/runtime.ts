/** Optional features of a runtime: files, async contexts, processes, environment variables. */

type Builtins = {
  'node:fs': typeof import('node:fs');
  'node:os': typeof import('node:os');
  'node:async_hooks': typeof import('node:async_hooks');
};

/** Loads a built-in module without an import, so that bundles load in runtimes without it. */
export function builtin<Name extends keyof Builtins>(name: Name): Builtins[Name] | null {
  try {
    return typeof process === 'undefined' ? null : (process.getBuiltinModule(name) ?? null);
  } catch {
    return null;
  }
}

/** Returns 0 in a runtime without processes. */
export function processId(): number {
  return typeof process === 'undefined' ? 0 : (process.pid ?? 0);
}

/** Callbacks of the process's single listener. */
const idleCallbacks = new Set<() => void>();
const callIdle = (): void => {
  for (const callback of [...idleCallbacks]) callback();
};

/**
 * Calls back whenever the event loop is empty (`beforeExit`). The returned function turns watching on or off; it
 * starts off.
 */
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

/** Timer that does not keep the process alive unless `isAwaited`. Returns a function that cancels it. */
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
