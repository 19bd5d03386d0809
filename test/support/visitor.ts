/**
 * A browser without scripts, as far as tests need one: cookies, forms with their hidden fields, `Origin`, redirects
 * only on request.
 */

import { read } from './api-client.ts';

export interface PageAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** Target of a redirect. */
  readonly location: string | null;
}

export interface Visitor {
  readonly url: string;
  readonly cookies: Map<string, string>;
  get(path: string, headers?: Record<string, string>): Promise<PageAnswer>;
  /** Loads the page, takes the hidden fields of its form for `action`, fills in the rest and submits it. */
  submit(path: string, action: string, fields?: Record<string, string | string[]>): Promise<PageAnswer>;
  /** Submits a form without loading a page first. */
  post(
    action: string,
    fields: Record<string, string | string[]>,
    headers?: Record<string, string>,
  ): Promise<PageAnswer>;
  /** Loads the page and submits its form for `action` with a file. */
  upload(path: string, action: string, file: File, fields?: Record<string, string>): Promise<PageAnswer>;
  /** Submits the form for `action` of an already loaded page. */
  answer(page: PageAnswer, action: string, fields?: Record<string, string | string[]>): Promise<PageAnswer>;
}

/** `always`: headers of every request. */
export function visitor(
  url: string,
  userAgent = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
  always: Readonly<Record<string, string>> = {},
): Visitor {
  const cookies = new Map<string, string>();
  const send = async (path: string, init: RequestInit, headers: Record<string, string>): Promise<PageAnswer> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(new URL(path, url), {
      ...init,
      redirect: 'manual',
      headers: { 'user-agent': userAgent, ...(cookie === '' ? {} : { cookie }), ...always, ...headers },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return {
      status: response.status,
      headers: response.headers,
      html: await response.text(),
      location: response.headers.get('location'),
    };
  };
  const self: Visitor = {
    url,
    cookies,
    get: (path, headers = {}) => send(path, {}, headers),
    post(action, fields, headers = {}) {
      const body = new URLSearchParams(
        Object.entries(fields).flatMap(([name, values]) => [values].flat().map((value) => [name, value])),
      );
      return send(action, { method: 'POST', body }, { origin: url, ...headers });
    },
    answer: (page, action, fields = {}) => self.post(action, { ...hiddenFields(page.html, action), ...fields }),
    submit: async (path, action, fields = {}) => self.answer(await self.get(path), action, fields),
    async upload(path, action, file, fields = {}) {
      const body = new FormData();
      const hidden = hiddenFields((await self.get(path)).html, action);
      for (const [name, value] of Object.entries({ ...hidden, ...fields })) body.set(name, value);
      body.set('file', file);
      return send(action, { method: 'POST', body }, { origin: url });
    },
  };
  return self;
}

/** Signs in with only a password. */
export async function signedIn(
  url: string,
  { owner_email: email, owner_password: password }: { owner_email: string; owner_password: string },
  userAgent?: string,
  always?: Readonly<Record<string, string>>,
): Promise<Visitor> {
  const person = visitor(url, userAgent, always);
  const { status } = await person.submit('/sign-in', '/sign-in', { email, password });
  if (status !== 303 || !person.cookies.has('session')) throw new Error(`The sign-in answered ${status}`);
  return person;
}

/** Queries the graph with a session's cookie, like an internal UI. */
export async function askAs({ url, cookies }: Visitor, query: string, variables: object = {}): Promise<GraphAnswer> {
  const { body } = await read(
    await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-requested-with': 'test',
        cookie: `session=${cookies.get('session')}`,
      },
      body: JSON.stringify({ query, variables }),
    }),
  );
  return body as GraphAnswer;
}

interface GraphAnswer {
  readonly data?: any;
  readonly errors?: any[];
}

function hiddenFields(html: string, action: string): Record<string, string> {
  const form = html
    .split('<form')
    .slice(1)
    .find((part) => part.includes(`action="${action}"`));
  if (form === undefined) throw new Error(`The page has no form to ${action}`);
  const hidden = form.split('</form>', 1)[0]!.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  return Object.fromEntries([...hidden].map(([, name, value]) => [name, unescaped(value!)]));
}

function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
