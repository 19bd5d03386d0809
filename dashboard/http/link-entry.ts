/**
 * The page that a one-time link opens. The code stands in the fragment of the link, so that no log of a server or proxy holds it: a script
 * submits it to `PATH/open`, and without script people paste the link there. Opening the page spends nothing.
 */
import type { FastifyReply } from 'fastify';
import { html } from '../shell/html.ts';
import { LINK_SCRIPT_PATH } from '../shell/serve-assets.ts';
import { cardPage } from '../shell/shell.ts';
import { csrfField } from './form.ts';
import { allowOwnScript } from './security-headers.ts';
import { sendPage } from './send-page.ts';
import type { Visit } from './with-visit.ts';

export function sendLinkEntry({ reply, csrf }: Visit, { path, title }: { path: string; title: string }): FastifyReply {
  allowOwnScript(reply);
  const body = html`
<h1>${title}</h1>
<form method="post" action="${path}/open" class="stack" data-one-time-link>
  ${csrfField(csrf)}
  <label>Link <span class="hint">paste the link that you received</span>
    <input name="token" autocomplete="off" autocapitalize="off" spellcheck="false" maxlength="500" required></label>
  <button>Continue</button>
</form>`;
  return sendPage(reply, cardPage({ title, body, script: LINK_SCRIPT_PATH }));
}

/** Of what was pasted: the code alone, or the whole link. */
export function codeOf(text: string): string {
  return text.slice(text.lastIndexOf('#') + 1);
}
