/** Whom a call is for: passed along by `with`, by headers, or by hand. */
import { builtin } from './runtime.ts';

export interface CallContext {
  /** Your own customer, as you name it. */
  readonly userId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly sessionType?: string | undefined;
  readonly agentId?: string | undefined;
  readonly feature?: string | undefined;
  readonly workflowId?: string | undefined;
  readonly spanId?: string | undefined;
  readonly parentSpanId?: string | undefined;
  /** Values of your dimensions by their keys. */
  readonly dimensions?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** Where a request ends before its event is sent: keeps the runtime alive until then. */
  readonly waitUntil?: ((promise: Promise<unknown>) => void) | undefined;
}

const PREFIX = 'x-books-';
const TEXTS = {
  userId: 'user-id',
  sessionId: 'session-id',
  sessionType: 'session-type',
  agentId: 'agent-id',
  feature: 'feature',
  workflowId: 'workflow-id',
  spanId: 'span-id',
  parentSpanId: 'parent-span-id',
} as const;

/** The inner one wins, dimension by dimension. */
export function mergeContexts(outer: CallContext, inner: CallContext): CallContext {
  const merged: Record<string, unknown> = { ...outer };
  for (const [name, value] of Object.entries(inner)) if (value !== undefined) merged[name] = value;
  if (outer.dimensions && inner.dimensions) merged['dimensions'] = { ...outer.dimensions, ...inner.dimensions };
  return merged;
}

export interface ContextStore {
  get(): CallContext;
  run<Result>(context: CallContext, fn: () => Result): Result;
}

/** Where a runtime has no asynchronous contexts `run` calls the function, and headers or arguments say whom it is for. */
export function createContextStore(): ContextStore {
  const hooks = builtin('node:async_hooks');
  if (hooks === null) return { get: () => ({}), run: (_, fn) => fn() };
  const storage = new hooks.AsyncLocalStorage<CallContext>();
  const get = () => storage.getStore() ?? {};
  return { get, run: (context, fn) => storage.run(mergeContexts(get(), context), fn) };
}

/** What `x-books-*` headers say; `x-books-dimensions` is a JSON object. They are taken out of `headers`. */
export function takeContextHeaders(headers: Headers): CallContext | null {
  const names = [...headers.keys()].filter((name) => name.startsWith(PREFIX));
  if (names.length === 0) return null;
  const context: Record<string, unknown> = {};
  for (const [property, name] of Object.entries(TEXTS)) {
    const value = headers.get(PREFIX + name);
    if (value) context[property] = value;
  }
  const dimensions = parseDimensions(headers.get(`${PREFIX}dimensions`));
  if (dimensions) context['dimensions'] = dimensions;
  for (const name of names) headers.delete(name);
  return context;
}

function parseDimensions(text: string | null): Record<string, string> | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    return value as Record<string, string>;
  } catch {
    return null;
  }
}

/** The fields of an event that say whom it is for. Empty texts are none. */
export function contextFields(context: CallContext): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [property, name] of Object.entries(TEXTS)) {
    const value = context[property as keyof typeof TEXTS];
    if (value !== undefined && value !== null && value !== '') fields[name.replaceAll('-', '_')] = String(value);
  }
  return fields;
}
