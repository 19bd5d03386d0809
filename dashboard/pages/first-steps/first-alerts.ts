/** The last of the first steps: a channel for the built-in alert rules. */
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { csrfField } from '../../http/form.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { html, type Html } from '../../shell/html.ts';

const ALERTS = graphql(`query FirstAlerts {
  alertChannels { id name target isEnabled }
  alertRules { id kind name isBuiltIn isMuted channelIds }
}`);
const NOTIFY = graphql(`mutation NotifyChannel($input: AlertRuleSaveInput!) {
  alertRuleSave(input: $input) { alertRule { id } userErrors { message code } }
}`);

export type FirstAlerts = DataOf<'FirstAlerts'>;

/** `null` if the caller may not manage alerts. */
export async function getFirstAlerts(gateway: GatewayClient, principal: Principal): Promise<FirstAlerts | null> {
  return (await outcomeOf(askGateway(gateway, ALERTS, {}, principal), [])).value;
}

/** Unmutes the built-in rules that nobody has changed, and sends them to the channel. */
export async function notifyByDefault(gateway: GatewayClient, principal: Principal, channelId: string): Promise<void> {
  const { alertRules } = await askGateway(gateway, ALERTS, {}, principal);
  for (const { id, kind, name } of alertRules.filter(isUntouched)) {
    const input = { id, kind, name, channelIds: [channelId], muted: false };
    await askGateway(gateway, NOTIFY, { input }, principal);
  }
}

function isUntouched({ isBuiltIn, isMuted, channelIds }: FirstAlerts['alertRules'][number]): boolean {
  return isBuiltIn && isMuted && channelIds.length === 0;
}

export function isNotified({ alertRules }: FirstAlerts): boolean {
  return alertRules.some(({ isMuted, channelIds }) => !isMuted && channelIds.length > 0);
}

export function alertStep({ alertChannels, alertRules }: FirstAlerts, action: string, csrf: string): Html {
  const rules = alertRules.filter(isUntouched).map(({ name }) => name);
  if (alertChannels.length === 0)
    return html`<p>Add an e-mail address, a Slack channel or a webhook. Then return here to turn on the default alerts.</p>
    <p><a class="button" href="/alerts/channels">Add a channel</a></p>`;
  if (rules.length === 0) return html`<p><a href="/alerts">View alerts</a></p>`;
  return html`<p>Turns on: ${rules.join(', ')}.</p>
    <form class="stack wide-form" method="post" action="${action}">${csrfField(csrf)}
      <label>Notify <select name="channel" required>${alertChannels.map(({ id, name, target }) => html`<option value="${id}">${name} (${target})</option>`)}</select></label>
      <button>Turn on alerts</button></form>`;
}
