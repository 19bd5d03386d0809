/**
 * `/alerts/channels`: where alerts are sent: webhooks, Slack, e-mail. A secret is shown once, in the response to the
 * form that created it.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { isAdmin } from '../../figures/account-user.ts';
import { secretBox } from '../../figures/api-key.ts';
import { formatInstant } from '../../figures/instant.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { csrfField, field } from '../../http/form.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { sendFramed } from '../../http/send-page.ts';
import { type SignedIn, withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';
import { alertsHeading } from './alerts-heading.ts';

const CHANNELS = graphql(`query AlertChannelsPage {
  alertChannels { id kind name target isEnabled problem confirmedAt previousSecretUntil createdAt }
}`);
const SAVE = graphql(`mutation SaveAlertChannel($input: AlertChannelSaveInput!) {
  outcome: alertChannelSave(input: $input) { alertChannel { id name kind confirmedAt } secret userErrors { message } }
}`);
const ROTATE = graphql(`mutation RotateAlertChannel($id: ID!) {
  outcome: alertChannelSecretRotate(input: { id: $id }) { alertChannel { id name previousSecretUntil } secret userErrors { message } }
}`);
const TEST = graphql(
  `mutation TestAlertChannel($id: ID!) { outcome: alertChannelTest(input: { id: $id }) { alertDelivery { state error } userErrors { message } } }`,
);
const DELETE = graphql(`mutation DeleteAlertChannel($id: ID!) {
  outcome: alertChannelDelete(input: { id: $id }) { userErrors { message } }
}`);

type Channel = DataOf<'AlertChannelsPage'>['alertChannels'][number];

const PATH = '/alerts/channels';
const KINDS = {
  WEBHOOK: { label: 'Webhook', target: 'URL', hint: 'https://example.com/alerts' },
  SLACK: { label: 'Slack', target: 'Incoming webhook URL', hint: 'https://hooks.slack.com/services/…' },
  EMAIL: { label: 'E-mail', target: 'Address', hint: 'alerts@example.com' },
} as const;
type ChannelKind = keyof typeof KINDS;

export function alertChannelsPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  const render = async (signedIn: SignedIn, error?: string): Promise<FastifyReply> => {
    const { alertChannels } = await askGateway(gateway, CHANNELS, {}, signedIn.principal);
    const mayManage = isAdmin(signedIn.principal);
    const body = html`
${alertsHeading(signedIn.principal, 'Channels', PATH)}
<p class="lead">Where alerts are sent. A webhook follows <a href="https://www.standardwebhooks.com/">Standard Webhooks</a>: it is signed, retried with backoff for three days, and delivered at least once with the same id. <a href="/alerts/deliveries">Deliveries</a></p>
${alertChannels.length === 0 ? html`<p class="panel empty">No channels: alerts appear here only.</p>` : html`<ul class="rows">${alertChannels.map((channel) => channelItem(signedIn, channel, mayManage))}</ul>`}
${mayManage ? html`<div class="acts">${(Object.keys(KINDS) as ChannelKind[]).map((kind) => newForm(signedIn, kind))}</div>` : html`<p class="panel">Owners and admins manage channels.</p>`}`;
    return sendFramed(signedIn, { title: 'Channels', body, error });
  };
  const renderSecret = (signedIn: SignedIn, title: string, secret: string, more: Html | string): FastifyReply =>
    sendFramed(signedIn, {
      title,
      body: html`
${alertsHeading(signedIn.principal, title, PATH)}
<div class="panel"><p>Copy the signing secret now: it is shown only once. ${more}</p>
  ${secretBox(secret, 'Signing secret')}
  <p><a class="button" href="${PATH}">I have copied it</a></p></div>`,
    });

  pages.get(
    PATH,
    withSession(dependencies, async (signedIn) => render(signedIn)),
  );
  pages.post(
    PATH,
    withSession(dependencies, async (signedIn) => {
      const kind = field(signedIn.form, 'kind');
      const [id, target] = [field(signedIn.form, 'id'), field(signedIn.form, 'target')];
      const input = {
        ...(id === '' ? {} : { id }),
        kind: Object.hasOwn(KINDS, kind) ? (kind as ChannelKind) : 'WEBHOOK',
        name: field(signedIn.form, 'name'),
        ...(target === '' ? {} : { target }),
      } as const;
      const { value, error } = await outcomeOf(askGateway(gateway, SAVE, { input }, signedIn.principal));
      const wrong = error?.message ?? value?.outcome.userErrors[0]?.message;
      if (wrong !== undefined) return render(signedIn, wrong);
      const secret = value?.outcome.secret ?? null;
      return secret === null
        ? signedIn.reply.redirect(
            `${PATH}?done=${isUnconfirmed(value?.outcome.alertChannel) ? 'channel-to-confirm' : 'channel-saved'}`,
            303,
          )
        : renderSecret(signedIn, 'The channel is ready', secret, 'Receivers use it to verify deliveries.');
    }),
  );
  pages.post(
    `${PATH}/:id/rotate`,
    withSession(dependencies, async (signedIn) => {
      const { value, error } = await outcomeOf(askGateway(gateway, ROTATE, { id: idOf(signedIn) }, signedIn.principal));
      const wrong = error?.message ?? value?.outcome.userErrors[0]?.message;
      const secret = value?.outcome.secret ?? null;
      if (wrong !== undefined || secret === null) return render(signedIn, wrong ?? 'The secret was not rotated.');
      const until = value?.outcome.alertChannel?.previousSecretUntil ?? null;
      return renderSecret(
        signedIn,
        'The new secret',
        secret,
        until === null ? '' : html`Deliveries are also signed with the old secret until ${formatInstant(until)}.`,
      );
    }),
  );
  const act = (
    path: string,
    done: string,
    send: (id: string, signedIn: SignedIn) => Promise<{ outcome: { userErrors: readonly { message: string }[] } }>,
  ) =>
    pages.post(
      `${PATH}/:id/${path}`,
      withSession(dependencies, async (signedIn) => {
        const { value, error } = await outcomeOf(send(idOf(signedIn), signedIn));
        const wrong = error?.message ?? value?.outcome.userErrors[0]?.message;
        return wrong === undefined ? signedIn.reply.redirect(`${PATH}?done=${done}`, 303) : render(signedIn, wrong);
      }),
    );
  act('test', 'channel-tested', async (id, { principal }) => {
    const { outcome } = await askGateway(gateway, TEST, { id }, principal);
    const { state, error } = outcome.alertDelivery ?? { state: null, error: null };
    return state === 'DELIVERED' || state === null
      ? { outcome }
      : { outcome: { userErrors: [{ message: `The test has not arrived yet: ${error ?? 'no response'}` }] } };
  });
  act('delete', 'channel-deleted', (id, { principal }) => askGateway(gateway, DELETE, { id }, principal));
}

function idOf({ request }: SignedIn): string {
  return (request.params as { id: string }).id;
}

function channelItem({ csrf }: SignedIn, channel: Channel, mayManage: boolean): Html {
  const { id, kind, name, target, isEnabled, problem, previousSecretUntil, createdAt } = channel;
  const save = !isEnabled ? 'Switch on' : isUnconfirmed(channel) ? 'Send a new link' : null;
  const button = (path: string, label: string, tone = 'secondary') =>
    html`<form method="post" action="${PATH}/${id}/${path}">${csrfField(csrf)}<button class="${tone}">${label}<span class="unseen"> ${name}</span></button></form>`;
  return html`
  <li class="panel">
    <h2 class="name">${name} <span class="badge">${KINDS[kind].label}</span> ${isEnabled ? problem === null && html`<span class="badge good">on</span>` : html`<span class="badge bad">off</span>`}</h2>
    <p class="muted name"><code>${target}</code>, added ${formatInstant(createdAt)}. <a href="/alerts/deliveries?channel=${id}">Deliveries</a></p>
    ${problem !== null && html`<p class="warning">${problem}</p>`}
    ${previousSecretUntil !== null && html`<p class="muted">Also signed with the old secret until ${formatInstant(previousSecretUntil)}.</p>`}
    ${
      mayManage &&
      html`<div class="actions">${!isUnconfirmed(channel) && button('test', 'Send a test')}${save !== null && html`<form method="post" action="${PATH}">${csrfField(csrf)}<input type="hidden" name="id" value="${id}"><input type="hidden" name="kind" value="${kind}"><input type="hidden" name="name" value="${name}"><button class="secondary">${save}<span class="unseen"> ${name}</span></button></form>`}${kind === 'WEBHOOK' && button('rotate', 'Rotate the secret')}${button('delete', 'Delete', 'danger')}</div>`
    }
  </li>`;
}

/** True if an e-mail address still has to be confirmed by its holder. */
function isUnconfirmed(channel: Pick<Channel, 'kind' | 'confirmedAt'> | null | undefined): boolean {
  return channel?.kind === 'EMAIL' && channel.confirmedAt === null;
}

function newForm({ csrf, form }: SignedIn, kind: ChannelKind): Html {
  const isHere = field(form, 'kind') === kind;
  const { label, target, hint } = KINDS[kind];
  const heading = `new-${kind.toLowerCase()}`;
  return html`
<form class="panel stack" method="post" action="${PATH}" aria-labelledby="${heading}" autocomplete="off">${csrfField(csrf)}<input type="hidden" name="kind" value="${kind}">
  <h2 id="${heading}">New: ${label}</h2>
  <label>Name <input name="name" value="${isHere ? field(form, 'name') : ''}" maxlength="100" required></label>
  <label>${target} <input name="target" value="${isHere && kind !== 'SLACK' ? field(form, 'target') : ''}" placeholder="${hint}" maxlength="2000" required></label>
  <button class="secondary">Add</button></form>`;
}
