/**
 * The page behind a one-time link. The code is in the link's fragment, so that no server or proxy logs it. A script
 * submits it to `PATH/open`; without scripts, people paste the link there. Opening the page does not use up the link.
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

/** The code in pasted text, which is the bare code or the whole link. */
export function codeOf(text: string): string {
  return text.slice(text.lastIndexOf('#') + 1);
}
