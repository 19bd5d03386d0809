/** Whom a call is for: passed along by `with`, by headers, or by hand. */
import { toText, wellFormed } from './dimensions.ts';
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
  /** Values of your dimensions by their keys. They never change a price; names that would are refused. */
  readonly dimensions?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** The service tier that the provider billed, if its response does not say so: `batch`, `flex`, `priority`. Decides the price. */
  readonly tier?: string | undefined;
  /** The speed that the provider billed: `fast`. Decides the price. */
  readonly speed?: string | undefined;
  /** Where the provider served the call: `us`, `eu`. Decides the price. */
  readonly geo?: string | undefined;
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
/** What decides a price, and the field of an event that states it. */
const PRICING = { tier: 'service_tier', speed: 'speed', geo: 'inference_geo' } as const;
const OTHERS = new Set(['dimensions', 'waitUntil', 'provider', 'model', 'invokedAt']);
const KNOWN = new Set([...Object.keys(TEXTS), ...Object.keys(PRICING), ...OTHERS]);

/** `user_id` means `userId`. What is not understood is reported and left out. */
export function understoodContext<Context extends CallContext>(
  context: Context,
  report: (error: Error) => void,
): Context {
  if (typeof context !== 'object' || context === null) return {} as Context;
  const understood: Record<string, unknown> = {};
  const unknown: string[] = [];
  for (const [name, value] of Object.entries(context)) {
    const known = KNOWN.has(name) ? name : name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (!KNOWN.has(known)) unknown.push(name);
    else if (value !== undefined) understood[known] = value;
  }
  if (unknown.length > 0)
    report(new Error(`Not understood: ${unknown.join(', ')}. Your own values go into dimensions`));
  return understood as Context;
}

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
  for (const [property, name] of [...Object.entries(TEXTS), ...Object.keys(PRICING).map((name) => [name, name])]) {
    const value = headers.get(PREFIX + name);
    if (value) context[property!] = value;
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

/** The fields of an event that say whom it is for, and what its price depends on. Empty texts are left out. */
export function contextFields(context: CallContext): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [property, name] of Object.entries({ ...TEXTS, ...PRICING })) {
    const value: unknown = context[property as keyof typeof TEXTS | keyof typeof PRICING];
    const text = typeof value === 'boolean' ? String(value) : toText(value);
    if (text !== null && text !== '') fields[name.replaceAll('-', '_')] = wellFormed(text);
  }
  return fields;
}
