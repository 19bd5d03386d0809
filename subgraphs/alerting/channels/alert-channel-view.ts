/** A channel as the graph shows it: never its secret. */
import type { AlertChannel } from '../resolvers.generated.ts';
import type { AlertChannelRow } from './alert-channel.table.ts';

/** `hasMail`: whether the operator has set a mail server. */
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
    createdAt: channel.createdAt.toISOString(),
    updatedAt: channel.updatedAt.toISOString(),
    createdBy,
  };
}

export const NO_MAIL_SERVER = 'no mail server is set: the operator sets SMTP_URL and SMTP_FROM';

function problemOf({ kind, disabledReason, failingSince }: AlertChannelRow, hasMail: boolean): string | null {
  if (disabledReason !== null) return `It is switched off: ${disabledReason}`;
  if (kind === 'EMAIL' && !hasMail) return `Nothing is sent: ${NO_MAIL_SERVER}`;
  return failingSince === null ? null : `Nothing was taken since ${failingSince.toISOString()}`;
}
