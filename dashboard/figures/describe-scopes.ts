/** Scopes requested by a device or an application, in words. */
import { html, type Html } from '../shell/html.ts';

const GRANTS: Readonly<Record<string, string>> = {
  'costs:read': 'Read costs, breakdowns and trends',
  'dimensions:read': 'Read your dimensions',
  'revenue:read': 'Read margins and profitability',
  'usage:read': 'Read recorded usage events',
  'usage:write': 'Send usage events',
  'bills:read': 'Read bills of providers and how they differ from the books',
  'bills:write': 'Import bills of providers',
};

export function describeScopes(scopes: readonly string[], lifetimeDays: number): Html {
  return html`
<h2>It will be able to</h2>
<ul class="asks">${scopes.map((scope) => html`<li>${GRANTS[scope] ?? scope} <code>${scope}</code></li>`)}</ul>
<p class="muted">For ${lifetimeDays} days. You can revoke it at any time under API keys.</p>`;
}
