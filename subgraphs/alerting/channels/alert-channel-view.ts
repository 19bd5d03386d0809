/** A channel as the API returns it, without its secret. */
import type { AlertChannel } from '../resolvers.generated.ts';
import type { AlertChannelRow } from './alert-channel.table.ts';

/** `hasMail`: true if the operator has configured a mail server. */
export function toAlertChannelView(channel: AlertChannelRow, hasMail: boolean): AlertChannel {
  const { id, kind, name, target, createdBy, disabledReason } = channel;
  return {
    id,
    kind,
    name,
    target,
    isEnabled: channel.disabledAt === null,
    problem: problemOf(channel, hasMail),
    disabledAt: channel.disabledAt?.toISOString() ?? null,
    disabledReason,
    failingSince: channel.failingSince?.toISOString() ?? null,
    previousSecretUntil: channel.previousUntil?.toISOString() ?? null,
    confirmedAt: channel.confirmedAt?.toISOString() ?? null,
    createdAt: channel.createdAt.toISOString(),
    updatedAt: channel.updatedAt.toISOString(),
    createdBy,
  };
}

const UNCONFIRMED = 'No alerts are sent until the address is confirmed with the link in the confirmation e-mail';

export const NO_MAIL_SERVER = 'no mail server is configured: the operator must set SMTP_URL and SMTP_FROM';

/** Reason why no alerts are sent to a channel; null if they are. */
export function whyBlocked(channel: Pick<AlertChannelRow, 'kind' | 'disabledReason' | 'confirmedAt'>): string | null {
  if (channel.disabledReason !== null) return `The channel was switched off: ${channel.disabledReason}`;
  return isUnconfirmed(channel) ? 'The address is not confirmed yet' : null;
}

/** True if the holder of an e-mail address has not agreed yet. Other kinds need no confirmation. */
export function isUnconfirmed({ kind, confirmedAt }: Pick<AlertChannelRow, 'kind' | 'confirmedAt'>): boolean {
  return kind === 'EMAIL' && confirmedAt === null;
}

function problemOf(channel: AlertChannelRow, hasMail: boolean): string | null {
  const { kind, disabledReason, failingSince } = channel;
  if (disabledReason !== null) return `The channel is switched off: ${disabledReason}`;
  if (kind === 'EMAIL' && !hasMail) return `Nothing is sent: ${NO_MAIL_SERVER}`;
  if (isUnconfirmed(channel)) return UNCONFIRMED;
  return failingSince === null ? null : `No delivery has succeeded since ${failingSince.toISOString()}`;
}
