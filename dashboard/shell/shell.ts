/** The frame of every page: head, landmarks, navigation. */
import { now } from '#platform/clock.ts';
import type { Principal } from '#platform/principal.ts';
import { ENROLLMENT, type SignedIn } from '../http/with-session.ts';
import { formatInstant } from '../figures/instant.ts';
import { csrfField, queryOf } from '../http/form.ts';
import { html, type Html } from './html.ts';
import { noticeOf } from './notices.ts';
import { isInSettings, isWithin, mainPages, type NavigationItem, settingsPages } from './navigation.ts';
import { PAGES_SCRIPT_PATH, STYLE_PATH } from './serve-assets.ts';

export interface Page {
  readonly title: string;
  readonly body: Html;
  /** Error message for the submitted form. */
  readonly error?: string | null | undefined;
  readonly status?: number;
  /** URL of the page's own script, if any. */
  readonly script?: string | undefined;
  /** Entity tag of a page that may refresh itself. */
  readonly tag?: string;
}

const NAME = 'AI Product Books';

/** A page for a signed-in person. */
export function framedPage({ principal, request, csrf }: SignedIn, page: Page): Html {
  const here = request.url.split('?', 1)[0] ?? '/';
  const notice = noticeOf(queryOf(request));
  return document(
    page,
    html`
<header class="top">
  <div class="wide">
    <a class="brand" href="/">${mark}<span>${NAME}</span></a>
    <button class="menu quiet" type="button" popovertarget="menu">Menu</button>
    <nav id="menu" popover aria-label="Main">
      <ul>${mainPages(principal).map((item) => pageLink(item, here))}
      </ul>
    </nav>
    ${!principal.grants.includes(ENROLLMENT) && html`<form class="search" role="search" aria-label="Everything" method="post" action="/search">${csrfField(csrf)}<input id="search" name="q" type="search" maxlength="255" autocomplete="off" placeholder="Search" aria-label="Search everything"></form>`}
    <form class="account" method="post" action="/sign-out">
      ${csrfField(csrf)}<span class="person"><span class="organization">${principal.organizationName}</span>${principal.grants.includes(ENROLLMENT) ? html`<span class="who">${principal.credentialName}</span>` : html`<a class="who" href="/password"${here === '/password' && html` aria-current="page"`}>${principal.credentialName}<span class="unseen">: change your password</span></a>`}</span><button class="quiet">Sign out</button>
    </form>
  </div>
</header>
${principal.sampleOf !== undefined && sampleBanner(csrf)}
<main id="main" class="wide">
  <p class="printed">${principal.organizationName}, prepared ${formatInstant(now().toISOString())}</p>
  ${here !== '/settings' && isInSettings(here) && settingsNavigation(principal, here)}
  ${notice !== null && html`<p class="notice" role="status">${notice}</p>`}
  ${alert(page)}
  ${page.body}
</main>
<footer class="wide"><a href="/docs">API reference</a> <a href="/openapi.json">OpenAPI</a> <span class="muted">Days and times are in UTC.</span></footer>`,
    html`<script src="${PAGES_SCRIPT_PATH}" defer></script>`,
  );
}

/** Shown on every page while the session reads sample data, so that nobody mistakes it for their own. */
function sampleBanner(csrf: string): Html {
  return html`
<aside class="sample" aria-label="Sample data"><div class="wide">
  <p><strong>Sample data</strong> – not your data.</p>
  <form method="post" action="/sample/leave">${csrfField(csrf)}<button>Back to your own organization</button></form>
  <form method="post" action="/sample/remove">${csrfField(csrf)}<button class="secondary">Remove sample data</button></form>
</div></aside>`;
}

function pageLink({ path, label }: NavigationItem, here: string): Html {
  const isHere = isWithin(here, path) || (path === '/settings' && isInSettings(here));
  return html`
        <li><a href="${path}"${isHere && html` aria-current="${here === path ? 'page' : 'true'}"`}>${label}</a></li>`;
}

/** Second navigation row, on all settings pages. */
function settingsNavigation(principal: Principal, here: string): Html | false {
  const pages = settingsPages(principal);
  return (
    pages.length > 1 &&
    html`<button class="menu quiet" type="button" popovertarget="settings-menu">Settings pages</button><nav id="settings-menu" popover class="second" aria-label="Settings"><ul>${pages.map((item) => pageLink(item, here))}</ul></nav>`
  );
}

/** A page with a single question, for people who are not signed in or who decide about a device or client. */
export function cardPage(page: Page, notice: string | null = null): Html {
  return document(
    page,
    html`
<main id="main" class="card">
  <a class="brand" href="/">${mark}<span>${NAME}</span></a>
  ${notice !== null && html`<p class="notice" role="status">${notice}</p>`}
  ${alert(page)}
  ${page.body}
</main>`,
  );
}

/** A page that forwards by itself. A redirect would be subject to the browser's `form-action` check. */
export function forwardingPage(title: string, to: string, body: Html): Html {
  return document(
    { title, body },
    html`<main id="main" class="card"><div class="brand">${mark}<span>${NAME}</span></div>${body}</main>`,
    html`<meta http-equiv="refresh" content="0;url=${to}">`,
  );
}

const mark = html`<svg class="mark" viewBox="0 0 24 24" aria-hidden="true"><rect x="3" y="12" width="4" height="9" rx="1"/><rect x="10" y="7" width="4" height="14" rx="1"/><rect x="17" y="3" width="4" height="18" rx="1"/></svg>`;

function document({ title, error, script, tag }: Page, body: Html, head: Html | null = null): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="same-origin">
<title>${error ? 'Error: ' : ''}${title} – ${NAME}</title>
<link rel="stylesheet" href="${STYLE_PATH}">
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
${script !== undefined && html`<script src="${script}" defer></script>`}${head}</head>
<body${tag !== undefined && html` data-tag="${tag}"`}>
<a class="skip" href="#main">Skip to content</a>
${body}
</body>
</html>
`;
}

function alert({ error }: Page): Html | null {
  return error ? html`<p class="alert" role="alert" id="error">${error}</p>` : null;
}
