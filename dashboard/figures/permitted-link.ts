import type { Principal } from '#platform/principal.ts';
import { mayOpen } from '../http/page-access.ts';
import { html, type Html } from '../shell/html.ts';

/** A link to a page, if the person may open it. */
export function permittedLink(principal: Principal, path: string, label: string): Html | false {
  return mayOpen(principal, path) && html`<a href="${path}">${label}</a>`;
}
