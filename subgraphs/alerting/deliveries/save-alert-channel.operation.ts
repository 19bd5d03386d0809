/** Creates or changes a channel. A new webhook's secret is returned only here. */
import type { OrganizationId } from '#kernel/ids.ts';
import { now } from '#platform/clock.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { describeOutboundError } from '#platform/outbound/describe-outbound-error.ts';
import type { Outbound } from '#platform/outbound/outbound-client.ts';
import { randomBytes, randomUuid } from '#platform/random.ts';
import type { Sealing } from '#platform/seal.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { CHANNEL_SEAL, CHANNELS_MAX, NAME_LENGTH_MAX } from '../config.ts';
import type { AlertChannel, AlertChannelSaveInput } from '../resolvers.generated.ts';
import { type AlertChannelRow, type ChannelKind, countChannels, saveChannel } from '../channels/alert-channel.table.ts';
import { isUnconfirmed, NO_MAIL_SERVER, toAlertChannelView } from '../channels/alert-channel-view.ts';
import { newConfirmation } from '../channels/confirmation-code.ts';
import { newSigningSecret } from '../channels/new-signing-secret.step.ts';
import { requireChannel } from '../channels/require-channel.step.ts';
import { enqueueConfirmation } from './enqueue-confirmation.step.ts';

interface Dependencies {
  readonly outbound: Outbound;
  readonly sealing: Sealing;
  readonly hasMail: boolean;
}

/**
 * A disabled channel is enabled again. While an e-mail address is unconfirmed, each save sends it a new link. Fails
 * with `VALIDATION_ERROR` for an address to which nothing can be sent, and with `NOT_FOUND` for an unknown channel.
 */
export async function saveAlertChannel(
  context: SubgraphContext,
  input: AlertChannelSaveInput,
  { outbound, sealing, hasMail }: Dependencies,
): Promise<{ alertChannel: AlertChannel; secret: string | null }> {
  const organizationId = organizationOf(context);
  if (context.principal.sampleOf !== undefined) fail('FORBIDDEN', 'Nothing is sent from sample data');
  const { kind } = input;
  const name = checkChannelName(input.name);
  const target = input.target === undefined || input.target === null ? null : checkTarget(kind, input.target);
  if (kind === 'EMAIL' && !hasMail) fail('VALIDATION_ERROR', `kind EMAIL is not available: ${NO_MAIL_SERVER}`);
  if (kind !== 'EMAIL' && target !== null) await requireReachable(outbound, target);
  return context.database.write(organizationId, async (tx) => {
    const at = now();
    const known = await findKnown(tx, organizationId, input);
    if (known === null && target === null) fail('VALIDATION_ERROR', 'target is required for a new channel');
    const id = known?.id ?? randomUuid();
    const secret = known === null && kind === 'WEBHOOK' ? newSigningSecret() : null;
    const newlySealed = kind === 'SLACK' ? target : secret;
    const saved: AlertChannelRow = {
      organizationId,
      id,
      kind,
      name,
      target: target === null ? (known?.target ?? '') : describeTarget(kind, target),
      sealedSecret: newlySealed === null ? (known?.sealedSecret ?? null) : sealing.seal(newlySealed, CHANNEL_SEAL, id),
      sealedPreviousSecret: known?.sealedPreviousSecret ?? null,
      previousUntil: known?.previousUntil ?? null,
      createdAt: known?.createdAt ?? at,
      updatedAt: at,
      createdBy: known === null ? context.principal.accountUserId : known.createdBy,
      disabledAt: null,
      disabledReason: null,
      failingSince: known === null || target !== null || known.disabledAt !== null ? null : known.failingSince,
      confirmedAt: target === null || target === known?.target ? (known?.confirmedAt ?? null) : null,
      confirmationHash: null,
      confirmationExpiresAt: null,
    };
    const needsConfirmation = isUnconfirmed(saved);
    const channel = needsConfirmation ? { ...saved, ...newConfirmation(id, randomBytes(32), at, sealing) } : saved;
    if (kind === 'SLACK' && channel.sealedSecret === null)
      fail('VALIDATION_ERROR', 'target is required: the stored one was lost');
    if (kind === 'WEBHOOK' && channel.sealedSecret === null)
      fail('VALIDATION_ERROR', 'id: the secret of this webhook was lost, so rotate it');
    await saveChannel(tx, channel);
    if (needsConfirmation) await enqueueConfirmation(tx, channel, at);
    await recordAudit(tx, {
      organizationId,
      at,
      action: known === null ? 'alert_channel.created' : 'alert_channel.changed',
      ...actorOf(context.principal),
      subjectId: id,
      detail: `${name}: ${kind.toLowerCase()} to ${kind === 'WEBHOOK' ? new URL(channel.target).host : channel.target}`,
    });
    return { alertChannel: toAlertChannelView(channel, hasMail), secret };
  });
}

async function findKnown(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  { id, kind }: AlertChannelSaveInput,
): Promise<AlertChannelRow | null> {
  if (id === undefined || id === null) {
    if ((await countChannels(tx, organizationId)) >= CHANNELS_MAX)
      fail('VALIDATION_ERROR', `An organization can have at most ${CHANNELS_MAX} channels`);
    return null;
  }
  const known = await requireChannel(tx, organizationId, id);
  if (known.kind !== kind) fail('VALIDATION_ERROR', `kind cannot be changed: this channel is ${known.kind}`);
  return known;
}

async function requireReachable(outbound: Outbound, target: string): Promise<void> {
  await outbound.check(target).catch((error: unknown) => {
    fail('VALIDATION_ERROR', `target is not allowed: ${describeOutboundError(error)}`);
  });
}

const TARGET_LENGTH_MAX = 2_000;
const EMAIL_LENGTH_MAX = 254;
const EMAIL = /^[^\s@<>(),;:"\\[\]]{1,64}@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i;

/** Returns the trimmed name. Fails with `VALIDATION_ERROR`. */
function checkChannelName(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > NAME_LENGTH_MAX || /\p{Cc}/u.test(name))
    fail('VALIDATION_ERROR', `name must have 1 to ${NAME_LENGTH_MAX} characters, on one line`);
  return name;
}

/** Returns a normalized URL, or an e-mail address. Fails with `VALIDATION_ERROR`. */
function checkTarget(kind: ChannelKind, text: string): string {
  const target = text.trim();
  if (kind === 'EMAIL') {
    if (!EMAIL.test(target) || target.length > EMAIL_LENGTH_MAX)
      fail('VALIDATION_ERROR', 'target must be one e-mail address, such as alerts@example.com');
    return target;
  }
  if (!URL.canParse(target) || target.length > TARGET_LENGTH_MAX)
    fail('VALIDATION_ERROR', 'target must be a URL that begins with https://');
  return new URL(target).href;
}

/** Displayed form: a webhook's whole URL, but only the host of Slack's, which is a secret. */
function describeTarget(kind: ChannelKind, target: string): string {
  return kind === 'SLACK' ? new URL(target).host : target;
}
