/** Things a person issued to others; shown before the person is disabled, demoted or removed. */
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { field } from '../../http/form.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { html, type Html } from '../../shell/html.ts';
import type { AccountUser } from '../account-user.ts';
import { formatDate } from '../instant.ts';

const ISSUED = graphql(
  'query AccountUserIssued($id: ID!) { accountUserIssued(id: $id) { kind itemId email name createdAt } }',
);
const CHANNELS = graphql('query ChannelsOfPerson { alertChannels { id name target createdBy createdAt } }');
const DELETE_CHANNEL = graphql(
  'mutation DeleteChannelOfPerson($id: ID!) { alertChannelDelete(input: { id: $id }) { userErrors { message } } }',
);

type Channel = DataOf<'ChannelsOfPerson'>['alertChannels'][number];

export interface IssuedAccess {
  readonly items: DataOf<'AccountUserIssued'>['accountUserIssued'];
  /** Alert channels that the person created, or that send to the person's address. */
  readonly channels: readonly Channel[];
}

/** If alerting is unavailable, the page is shown without channels. */
export async function listIssuedAccess(
  gateway: GatewayClient,
  principal: Principal,
  { id, email }: Pick<AccountUser, 'id' | 'email'>,
): Promise<IssuedAccess> {
  const { accountUserIssued: items } = await askGateway(gateway, ISSUED, { id }, principal);
  const { value } = await outcomeOf(askGateway(gateway, CHANNELS, {}, principal), []);
  const channels = (value?.alertChannels ?? []).filter(
    ({ createdBy, target }) => createdBy === id || target.toLowerCase() === email.toLowerCase(),
  );
  return { items, channels };
}

/** Returns an error message, or null on success. */
export async function deleteChannels(
  gateway: GatewayClient,
  principal: Principal,
  channels: readonly Channel[],
): Promise<string | null> {
  const failed: string[] = [];
  for (const { id, name } of channels) {
    const { value, error } = await outcomeOf(askGateway(gateway, DELETE_CHANNEL, { id }, principal), []);
    if (error || value.alertChannelDelete.userErrors.length > 0) failed.push(name);
  }
  return failed.length === 0
    ? null
    : `The account was changed, but these alert channels could not be deleted: ${failed.join(', ')}. Delete them under Alerts.`;
}

export function issuedList({ items, channels }: IssuedAccess): Html | false {
  if (items.length === 0 && channels.length === 0) return false;
  const row = (what: Html | string, createdAt: string) =>
    html`<li>${what} <span class="muted">${formatDate(createdAt)}</span></li>`;
  return html`
<section class="panel" aria-labelledby="issued">
  <h2 id="issued">Issued by this person</h2>
  <p>Invitations and reset links stop working when this account is disabled, removed, or loses the required role.</p>
  <ul>
    ${items.map(({ kind, email, name, createdAt }) => row(describe(kind, email, name), createdAt))}
    ${channels.map(({ name, target, createdAt }) => row(html`Alert channel <strong>${name}</strong>, which sends to <code>${target}</code>`, createdAt))}
  </ul>
</section>`;
}

function describe(kind: IssuedAccess['items'][number]['kind'], email: string, name: string | null): Html {
  if (kind === 'INVITATION') return html`Invitation for <strong>${email}</strong>`;
  if (kind === 'PASSWORD_RESET') return html`Password reset link for <strong>${email}</strong>`;
  return html`API key <strong>${name ?? ''}</strong> of ${email}`;
}

/** Options for a form that takes rights away; ticked by default. */
export function revokeChoices({ items, channels }: IssuedAccess): Html {
  const keys = items.filter(({ kind }) => kind === 'API_KEY').length;
  const choice = (name: string, text: string) =>
    html`<label class="choice"><input type="checkbox" name="${name}" value="yes" checked><span>${text}</span></label>`;
  return html`
    ${keys > 0 && html`<input type="hidden" name="keys_listed" value="yes">${choice('revoke_keys', `Revoke the ${count(keys, 'API key')} listed above too`)}`}
    ${channels.length > 0 && choice('delete_channels', `Delete the ${count(channels.length, 'alert channel')} listed above too`)}`;
}

/** Keys that the page did not list were created later and are revoked too. */
export function isRevokingKeys(form: URLSearchParams): boolean {
  return field(form, 'keys_listed') === '' || field(form, 'revoke_keys') === 'yes';
}

export function isDeletingChannels(form: URLSearchParams): boolean {
  return field(form, 'delete_channels') === 'yes';
}

function count(number: number, noun: string): string {
  return number === 1 ? noun : `${number} ${noun}s`;
}
