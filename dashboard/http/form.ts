/** Reads form fields. A repeated field counts as missing, except in lists that allow it. */
import type { FastifyRequest } from 'fastify';
import { html, type Html } from '../shell/html.ts';

export const CSRF_FIELD = 'csrf_token';

export function csrfField(token: string): Html {
  return html`<input type="hidden" name="${CSRF_FIELD}" value="${token}">`;
}

/** Fields of a POST; empty for other methods. */
export function formOf({ body }: FastifyRequest): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams();
}

/** A trimmed field; empty if missing. */
export function field(form: URLSearchParams, name: string): string {
  return rawField(form, name).trim();
}

/** The names in a field that separates them by commas. */
export function names(form: URLSearchParams, name: string): string[] {
  return field(form, name)
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

/** An untrimmed field, for passwords. */
export function rawField(form: URLSearchParams, name: string): string {
  const values = form.getAll(name);
  return values.length === 1 ? (values[0] ?? '') : '';
}

/** Query parameters of a page's URL. */
export function queryOf({ url }: FastifyRequest): URLSearchParams {
  const mark = url.indexOf('?');
  return new URLSearchParams(mark === -1 ? '' : url.slice(mark));
}
