/** Reads the last days of a source from the provider's API. */
import type { Outbound } from '#platform/outbound/outbound-client.ts';
import { parseLong } from '#platform/request-body/read-json.ts';
import { DAY_MS, daysEarlier } from '#kernel/time/duration.ts';
import { BILL_BYTES_MAX, PAGE_BYTES_MAX, PAGES_MAX, PULLED_DAYS } from '../config.ts';
import type { PulledSource } from '../connections/source-facts.ts';

/** The message is shown to the person who stored the key. It never contains the key. */
export class PullError extends Error {}

interface List {
  readonly path: string;
  /** Parameters in order; a name may repeat. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

interface Api {
  readonly base: string;
  headers(key: string): Readonly<Record<string, string>>;
  lists(from: Date, until: Date): readonly List[];
}

const seconds = (time: Date) => String(Math.floor(time.getTime() / 1_000));
const groups = (name: string, values: readonly string[]) => values.map((value) => [name, value] as const);

const APIS: Readonly<Record<PulledSource, Api>> = {
  'anthropic.cost_report': {
    base: 'https://api.anthropic.com',
    headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
    lists: (from, until) => {
      const span = [
        ['starting_at', from.toISOString()],
        ['ending_at', until.toISOString()],
        ['bucket_width', '1d'],
        ['limit', '31'],
      ] as const;
      return [
        {
          path: '/v1/organizations/cost_report',
          parameters: [...span, ...groups('group_by[]', ['workspace_id', 'description'])],
        },
        {
          path: '/v1/organizations/usage_report/messages',
          parameters: [
            ...span,
            ...groups('group_by[]', ['model', 'workspace_id', 'api_key_id', 'service_tier', 'context_window']),
          ],
        },
      ];
    },
  },
  'openai.costs': {
    base: 'https://api.openai.com',
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    lists: (from, until) => {
      const span = [
        ['start_time', seconds(from)],
        ['end_time', seconds(until)],
        ['bucket_width', '1d'],
        ['limit', '31'],
      ] as const;
      return [
        { path: '/v1/organization/costs', parameters: [...span, ...groups('group_by', ['project_id', 'line_item'])] },
        {
          path: '/v1/organization/usage/completions',
          parameters: [...span, ...groups('group_by', ['project_id', 'api_key_id', 'model', 'batch', 'service_tier'])],
        },
      ];
    },
  },
  'openrouter.activity': {
    base: 'https://openrouter.ai',
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    lists: () => [{ path: '/api/v1/activity', parameters: [] }],
  },
};

/** Returns the pages of all lists as the parts of one JSON array, which can be imported. Fails with {@link PullError}. */
export async function readSource(
  outbound: Outbound,
  { source, key, apiBase, at }: { source: PulledSource; key: string; apiBase: string | null; at: Date },
): Promise<Buffer[]> {
  const { base, headers, lists } = APIS[source];
  const until = new Date(Math.ceil(at.getTime() / DAY_MS) * DAY_MS);
  const from = daysEarlier(until, PULLED_DAYS);
  const pages: Buffer[] = [];
  let bytes = 0;
  for (const { path, parameters } of lists(from, until)) {
    let page: string | null = null;
    for (let count = 0; count === 0 || page !== null; count++) {
      if (count >= PAGES_MAX) throw new PullError(`${path} has more than ${PAGES_MAX} pages`);
      const url = new URL(path, apiBase ?? base);
      for (const [name, value] of parameters) url.searchParams.append(name, value);
      if (page !== null) url.searchParams.set('page', page);
      const answer = await readPage(outbound, url, { accept: 'application/json', ...headers(key) });
      bytes += answer.length;
      if (bytes > BILL_BYTES_MAX) throw new PullError("the provider's responses are larger than 64 MiB");
      pages.push(Buffer.from(pages.length === 0 ? '[' : ',\n'), answer);
      page = await nextPage(answer);
    }
  }
  return [...pages, Buffer.from(']')];
}

async function readPage(outbound: Outbound, url: URL, headers: Readonly<Record<string, string>>): Promise<Buffer> {
  const { status, text, isWhole } = await outbound.request({
    url,
    method: 'GET',
    headers,
    body: null,
    answerBytesMax: PAGE_BYTES_MAX,
    timeoutMilliseconds: 60_000,
  });
  if (status === 401 || status === 403)
    throw new PullError(`the provider refused the key (${status}): an admin key is needed`);
  if (status !== 200) throw new PullError(`the provider responded with ${status} to ${url.pathname}`);
  if (!isWhole) throw new PullError(`the response from ${url.pathname} is too large`);
  return Buffer.from(text);
}

/** Null after the last page. Fails with {@link PullError} for a response that is not JSON. */
async function nextPage(answer: Buffer): Promise<string | null> {
  try {
    const page = (await parseLong(answer, { parse: JSON.parse })) as Record<string, unknown>;
    const next = page['next_page'];
    return page['has_more'] === true && typeof next === 'string' ? next : null;
  } catch {
    throw new PullError("the provider's response is not JSON");
  }
}
