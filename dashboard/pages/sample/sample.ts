/**
 * `/sample`: creates sample data, shows its progress, returns to the person's own organization, and removes the
 * sample data (decision 58).
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import type { Principal } from '#platform/principal.ts';
import { SESSION_COOKIE } from '#schema/session-cookie.ts';
import { fail, type KnownError } from '#kernel/errors.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { sampleOffer } from '../../figures/sample-offer.ts';
import { cookieOf } from '../../http/cookies.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { csrfField } from '../../http/form.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { sendFramed } from '../../http/send-page.ts';
import { type SignedIn, withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';
import { refusalOf } from '../../http/refusal-of.ts';

const OPEN = graphql(
  'mutation OpenSample { sampleDataOpen { sampleData { organizationId } userErrors { message code } } }',
);
const LEAVE = graphql(
  'mutation LeaveSample { sampleDataLeave { sampleData { organizationId } userErrors { message code } } }',
);
const REMOVE = graphql(
  'mutation RemoveSample { sampleDataRemove { sampleData { organizationId } userErrors { message code } } }',
);
const FILL_REVENUE = graphql(
  'mutation FillSampleRevenue { sampleRevenueFill { recordsCreated userErrors { message code } } }',
);
const FILL_COSTS = graphql(
  'mutation FillSampleCosts { sampleCostsFill { operation { id } userErrors { message code } } }',
);
const FILL_OUTCOMES = graphql(
  'mutation FillSampleOutcomes { sampleOutcomesFill { outcomes userErrors { message code } } }',
);
const FILLING = graphql(
  'query SampleFilling { costingOperations(kind: "fill-sample", first: 1) { nodes { state done total lastError } } }',
);

const PATH = '/sample';
const LOOK_EVERY_SECONDS = 2;

type Filling = DataOf<'SampleFilling'>['costingOperations']['nodes'][number];

export function samplePages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway, isSecure } = dependencies;

  const render = async (signedIn: SignedIn, error?: KnownError): Promise<FastifyReply> => {
    const { principal, reply } = signedIn;
    const refusal = refusalOf(error);
    if (principal.sampleOf === undefined) {
      const body = html`<h1>Sample data</h1>${await sampleOffer(gateway, signedIn)}`;
      return sendFramed(signedIn, { title: 'Sample data', ...refusal, body });
    }
    const [filling] = (await askGateway(gateway, FILLING, {}, principal)).costingOperations.nodes;
    if (filling?.state === 'FINISHED') return reply.redirect('/?window=90d&done=sample-ready', 303);
    // The page refreshes by a header, so it works without scripts.
    if (filling?.state === 'RUNNING' && !error) reply.header('Refresh', `${LOOK_EVERY_SECONDS}; url=${PATH}`);
    const body = html`<h1>Sample data</h1>${progress(signedIn, filling ?? null)}`;
    return sendFramed(signedIn, { title: 'Sample data', ...refusal, body });
  };

  /**
   * Revenue and outcomes are filled first, then a long operation fills events: once it has started, nothing else is
   * missing.
   */
  const fillAll = async (principal: Principal): Promise<void> => {
    await askGateway(gateway, FILL_REVENUE, {}, principal);
    await askGateway(gateway, FILL_OUTCOMES, {}, principal);
    await askGateway(gateway, FILL_COSTS, {}, principal);
  };
  const fill = async (signedIn: SignedIn, principal: Principal): Promise<FastifyReply> => {
    const { error } = await outcomeOf(fillAll(principal), []);
    return error ? render({ ...signedIn, principal }, error) : signedIn.reply.redirect(PATH, 303);
  };

  pages.get(
    PATH,
    withSession(dependencies, async (signedIn) => render(signedIn)),
  );

  pages.post(
    `${PATH}/open`,
    withSession(dependencies, async (signedIn) => {
      const { error } = await outcomeOf(askGateway(gateway, OPEN, {}, signedIn.principal));
      if (error) return render(signedIn, error);
      // From here on, the session reads the sample data.
      const token = cookieOf(signedIn.request, isSecure, SESSION_COOKIE) ?? '';
      const principal = await gateway.authenticate({ kind: 'session', token }, signedIn.request.correlationId);
      return fill(signedIn, principal ?? fail('UNAUTHORIZED', 'The session has ended'));
    }),
  );

  pages.post(
    `${PATH}/fill`,
    withSession(dependencies, async (signedIn) => fill(signedIn, signedIn.principal)),
  );

  const act = (name: string, to: string, send: (principal: Principal) => Promise<unknown>) =>
    pages.post(
      `${PATH}/${name}`,
      withSession(dependencies, async (signedIn) => {
        const { error } = await outcomeOf(send(signedIn.principal));
        return error ? render(signedIn, error) : signedIn.reply.redirect(to, 303);
      }),
    );
  act('leave', '/', (principal) => askGateway(gateway, LEAVE, {}, principal));
  act('remove', '/first-steps?done=sample-removed', (principal) => askGateway(gateway, REMOVE, {}, principal));
}

function progress({ csrf }: SignedIn, filling: Filling | null): Html {
  if (filling?.state === 'RUNNING') {
    const { done, total } = filling;
    const isPricing = total !== null && done >= total;
    return html`
<div class="panel stack" role="status">
  <p>${isPricing ? 'All days are loaded; the last events are being priced.' : html`Loading day ${done} of ${total}.`} This page refreshes by itself.</p>
  <progress value="${done}" max="${total}" aria-label="Days loaded"></progress>
  <p class="actions"><a class="button secondary" href="/?window=90d">View what is loaded</a></p>
</div>`;
  }
  return html`
<form class="panel stack" method="post" action="${PATH}/fill">${csrfField(csrf)}
  <p>${filling === null ? 'The sample data is not loaded yet.' : html`Loading the sample data was interrupted${filling.lastError !== null && html`: ${filling.lastError}`}.`}</p>
  <button>${filling === null ? 'Load sample data' : 'Continue'}</button></form>`;
}
