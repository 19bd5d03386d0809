/** `/settings`: all settings pages, each with a description. */
import type { FastifyInstance } from 'fastify';
import type { Dependencies } from '../../http/dependencies.ts';
import { sendFramed } from '../../http/send-page.ts';
import { withSession } from '../../http/with-session.ts';
import { html } from '../../shell/html.ts';
import { settingsPages } from '../../shell/navigation.ts';

export function settingsPage(pages: FastifyInstance, dependencies: Dependencies): void {
  pages.get(
    '/settings',
    withSession(dependencies, async (signedIn) => {
      const body = html`
<h1>Settings</h1>
<ul class="tiles">${settingsPages(signedIn.principal).map(
        ({ path, label, about }) =>
          html`
  <li class="panel"><h2><a href="${path}">${label}</a></h2><p class="muted">${about}</p></li>`,
      )}
</ul>`;
      return sendFramed(signedIn, { title: 'Settings', body });
    }),
  );
}
