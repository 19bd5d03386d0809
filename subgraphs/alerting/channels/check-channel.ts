/** What may be saved as a channel, but for what a network says of its address. */
import { fail } from '../../../schema/errors.ts';
import { NAME_LENGTH_MAX } from '../config.ts';
import type { ChannelKind } from './alert-channel.table.ts';

const TARGET_LENGTH_MAX = 2_000;
const EMAIL_LENGTH_MAX = 254;
const EMAIL = /^[^\s@<>(),;:"\\[\]]{1,64}@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i;

/** Trimmed. Fails with `VALIDATION_ERROR`. */
export function checkChannelName(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > NAME_LENGTH_MAX || /\p{Cc}/u.test(name))
    fail('VALIDATION_ERROR', `name must have 1 to ${NAME_LENGTH_MAX} characters, in one line`);
  return name;
}

/** A URL in its normal form, or an address of mail. Fails with `VALIDATION_ERROR`. */
export function checkTarget(kind: ChannelKind, text: string): string {
  const target = text.trim();
  if (kind === 'EMAIL') {
    if (!EMAIL.test(target) || target.length > EMAIL_LENGTH_MAX)
      fail('VALIDATION_ERROR', 'target must be one address of e-mail, such as alerts@example.com');
    return target;
  }
  if (!URL.canParse(target) || target.length > TARGET_LENGTH_MAX)
    fail('VALIDATION_ERROR', 'target must be a URL that begins with https://');
  return new URL(target).href;
}

/** As people may see it: all of a webhook's URL, of Slack's, which is a secret, where it leads. */
export function describeTarget(kind: ChannelKind, target: string): string {
  return kind === 'SLACK' ? new URL(target).host : target;
}
