/** What a form sent. A field that comes twice is as good as none, but for lists that say so. */
import type { FastifyRequest } from 'fastify';
import { html, type Html } from '../shell/html.ts';

export const CSRF_FIELD = 'csrf_token';

export function csrfField(token: string): Html {
  return html`<input type="hidden" name="${CSRF_FIELD}" value="${token}">`;
}

/** The fields of a POST; of anything else none. */
export function formOf({ body }: FastifyRequest): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams();
}

/** A field as typed, without the space around it; empty when it was not sent. */
export function field(form: URLSearchParams, name: string): string {
  return rawField(form, name).trim();
}

/** A field to the last space: passwords. */
export function rawField(form: URLSearchParams, name: string): string {
  const values = form.getAll(name);
  return values.length === 1 ? (values[0] ?? '') : '';
}

/** The query of a page's address. */
export function queryOf({ url }: FastifyRequest): URLSearchParams {
  const mark = url.indexOf('?');
  return new URLSearchParams(mark === -1 ? '' : url.slice(mark));
}
