/** A `fetch` that reports the usage of model calls and otherwise leaves them unchanged. */
import { type CallContext, type ContextStore, mergeContexts, takeContextHeaders } from './call-context.ts';
import { nowMs } from './clock.ts';
import { observeBody, observeEvents } from './observe-response.ts';
import { findProviderCall, modelOf, withStreamUsage } from './provider-call.ts';
import type { Hints, Reading } from './read-response.ts';

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export interface MeteredFetchInput {
  readonly fetch: Fetch;
  readonly providers: Readonly<Record<string, string>>;
  readonly contexts: ContextStore;
  /** Called once for each billed response. */
  record(reading: Reading, context: CallContext, startedMs: number): void;
  /** Called for a billed response without readable usage. */
  recordUnread(): void;
  /** Called when a call begins. The returned function is called when it is finished. */
  begin(context: CallContext): () => void;
  report(error: unknown): void;
}

interface Prepared {
  readonly input: string | URL | Request;
  readonly init: RequestInit | undefined;
  readonly context: CallContext;
  readonly hints: Hints | null;
  readonly signal: AbortSignal | null | undefined;
  /** The caller's original request, if stream usage was added to a copy. */
  readonly plain: { readonly input: string | URL | Request; readonly init: RequestInit | undefined } | null;
}

export function createMeteredFetch(dependencies: MeteredFetchInput): Fetch {
  /** Origins that refuse `stream_options`. */
  const refusing = new Set<string>();

  return async (input, init) => {
    let prepared: Prepared;
    try {
      prepared = await prepare(input, init, dependencies, refusing);
    } catch (error) {
      dependencies.report(error);
      return dependencies.fetch(input, init);
    }
    if (prepared.hints === null) return dependencies.fetch(prepared.input, prepared.init);
    const startedMs = nowMs();
    const end = dependencies.begin(prepared.context);
    try {
      let response = await dependencies.fetch(prepared.input, prepared.init);
      let isFiltered = prepared.plain !== null;
      if (prepared.plain !== null && (await refusesOption(response))) {
        refusing.add(new URL(response.url || urlOf(input)).origin);
        isFiltered = false;
        response = await dependencies.fetch(prepared.plain.input, prepared.plain.init);
      }
      return observe(response, { ...prepared, hints: prepared.hints, isFiltered, startedMs, end }, dependencies);
    } catch (error) {
      end();
      throw error;
    }
  };
}

async function prepare(
  input: string | URL | Request,
  init: RequestInit | undefined,
  { providers, contexts }: MeteredFetchInput,
  refusing: ReadonlySet<string>,
): Promise<Prepared> {
  const request = typeof input === 'object' && 'url' in input ? input : null;
  const headers = new Headers(init?.headers ?? request?.headers);
  const own = takeContextHeaders(headers);
  const context = own === null ? contexts.get() : mergeContexts(contexts.get(), own);
  let passed = own === null ? init : { ...init, headers };
  const url = new URL(urlOf(input));
  const call = findProviderCall((init?.method ?? request?.method ?? 'GET').toUpperCase(), url, providers);
  const signal = init?.signal ?? request?.signal;
  if (call === null) return { input, init: passed, context, hints: null, signal, plain: null };

  const body = init?.body ?? (request !== null && isText(request) ? await request.clone().text() : null);
  const counting =
    call.countsOnRequest && typeof body === 'string' && !refusing.has(url.origin) ? withStreamUsage(body) : null;
  const plain = counting === null ? null : { input: request === null ? input : request.clone(), init: passed };
  if (counting !== null) {
    headers.delete('content-length');
    passed = { ...passed, headers, body: counting };
  }
  let model: string | undefined;
  // Parsed only if the response contains no model.
  const hints = {
    provider: call.hints.provider,
    request: body,
    get model() {
      return (model ??= call.hints.model ?? modelOf(body));
    },
  };
  return { input, init: passed, context, hints, signal, plain };
}

function urlOf(input: string | URL | Request): string {
  return typeof input === 'string' ? input : 'href' in input ? input.href : input.url;
}

function isText(request: Request): boolean {
  return request.body !== null && (request.headers.get('content-type') ?? '').includes('json');
}

/** True if the response is a 400 or 422 about the added option. */
async function refusesOption(response: Response): Promise<boolean> {
  if (response.status !== 400 && response.status !== 422) return false;
  return /stream_options|include_usage/.test(await response.clone().text());
}

interface Observed extends Prepared {
  readonly hints: Hints;
  readonly isFiltered: boolean;
  readonly startedMs: number;
  end(): void;
}

function observe(response: Response, call: Observed, { record, recordUnread, report }: MeteredFetchInput): Response {
  const finish = (reading: Reading | null | 'unread') => {
    try {
      if (reading === 'unread') recordUnread();
      else if (reading !== null) record(reading, call.context, call.startedMs);
    } catch (error) {
      report(error);
    } finally {
      call.end();
    }
  };
  if (!response.ok) {
    finish(null);
    return response;
  }
  const type = response.headers.get('content-type') ?? '';
  if (response.body === null || !/json|event-stream/.test(type)) {
    finish('unread');
    return response;
  }
  const body = type.includes('event-stream')
    ? observeEvents(response.body, call, finish)
    : observeBody(response.body, call.hints, finish);
  const observed = new Response(body, response);
  // A constructed `Response` lacks these properties.
  for (const name of ['url', 'redirected', 'type'] as const)
    Object.defineProperty(observed, name, { value: response[name], configurable: true });
  return observed;
}
