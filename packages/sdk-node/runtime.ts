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

/** Calls back once all else is done, as often as that comes about. The result stops it. */
export function onceIdle(callback: () => void): () => void {
  if (typeof process === 'undefined' || typeof process.on !== 'function') return () => {};
  process.on('beforeExit', callback);
  return () => void process.removeListener('beforeExit', callback);
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
    url: variables['BOOKS_API_URL'] || undefined,
    apiKey: variables['BOOKS_API_KEY'] || undefined,
    spool: variables['BOOKS_SPOOL'] || undefined,
  };
}
