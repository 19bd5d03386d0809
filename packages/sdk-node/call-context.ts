/** Context of a call: set by `with`, by headers, or as an argument. */
import { toText, wellFormed } from './dimensions.ts';
import { builtin } from './runtime.ts';

export interface CallContext {
  /** Your id for your customer. */
  readonly userId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly sessionType?: string | undefined;
  readonly agentId?: string | undefined;
  readonly feature?: string | undefined;
  readonly workflowId?: string | undefined;
  readonly spanId?: string | undefined;
  readonly parentSpanId?: string | undefined;
  /** Values of your dimensions, by key. They never affect the price; names that would are refused. */
  readonly dimensions?: Readonly<Record<string, string | number | boolean>> | undefined;
  /**
   * Service tier billed by the provider, if its response does not contain it: `batch`, `flex`, `priority`. Affects the
   * price.
   */
  readonly tier?: string | undefined;
  /** Speed billed by the provider: `fast`. Affects the price. */
  readonly speed?: string | undefined;
  /** Region in which the provider served the call: `us`, `eu`. Affects the price. */
  readonly geo?: string | undefined;
  /** Keeps the runtime alive until the event is sent, if the request ends earlier. */
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
/** Context that affects the price, with its event field. */
const PRICING = { tier: 'service_tier', speed: 'speed', geo: 'inference_geo' } as const;
const OTHERS = new Set(['dimensions', 'waitUntil', 'provider', 'model', 'invokedAt']);
const KNOWN = new Set([...Object.keys(TEXTS), ...Object.keys(PRICING), ...OTHERS]);

/** Accepts snake case (`user_id` for `userId`). Unknown names are reported and left out. */
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
  if (unknown.length > 0) report(new Error(`Unknown: ${unknown.join(', ')}. Put your own values into dimensions`));
  return understood as Context;
}

/** The inner context takes precedence, per dimension. */
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

/**
 * In a runtime without `AsyncLocalStorage`, `run` just calls the function; pass the context by headers or arguments
 * instead.
 */
export function createContextStore(): ContextStore {
  const hooks = builtin('node:async_hooks');
  if (hooks === null) return { get: () => ({}), run: (_, fn) => fn() };
  const storage = new hooks.AsyncLocalStorage<CallContext>();
  const get = () => storage.getStore() ?? {};
  return { get, run: (context, fn) => storage.run(mergeContexts(get(), context), fn) };
}

/** Reads the `x-books-*` headers and removes them from `headers`. `x-books-dimensions` is a JSON object. */
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

/** Event fields of a context. Empty texts are left out. */
export function contextFields(context: CallContext): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [property, name] of Object.entries({ ...TEXTS, ...PRICING })) {
    const value: unknown = context[property as keyof typeof TEXTS | keyof typeof PRICING];
    const text = typeof value === 'boolean' ? String(value) : toText(value);
    if (text !== null && text !== '') fields[name.replaceAll('-', '_')] = wellFormed(text);
  }
  return fields;
}
