/**
 * What a message says: thin, as Standard Webhooks 1.0 recommends ("Payload structure"). Ids, a sentence and a link; anyone who needs more
 * asks the graph.
 */
import { CONFIRMATION_DAYS } from '../config.ts';

/** What evaluation tells of a transition of an episode. */
export interface AlertTransition {
  readonly episodeId: string;
  readonly ruleId: string;
  readonly ruleName: string;
  readonly kind: string;
  readonly transition: 'opened' | 'closed' | 'level';
  /** Of several levels of one episode, which: each is delivered once. */
  readonly level?: string | number | null;
  /** In plain words, with the figures. */
  readonly sentence: string;
  /** Of the page that shows them, from the root of the pages. */
  readonly path: string;
  readonly at: Date;
  readonly channelIds: readonly string[];
}

export interface AlertPayload {
  readonly type: 'alert.opened' | 'alert.closed' | 'alert.level' | 'alert.test';
  /** ISO 8601, UTC: when it happened, whenever it is sent. */
  readonly timestamp: string;
  readonly data: {
    readonly organization_id: string;
    /** Null in a test, as are the two below. */
    readonly episode_id: string | null;
    readonly rule_id: string | null;
    readonly kind: string | null;
    readonly rule: string;
    readonly sentence: string;
    readonly link: string;
  };
}

/** The body of the delivery that asks an address for confirmation. It holds no code: whoever reads the log must not be able to confirm. */
export interface ConfirmationPayload {
  readonly type: typeof CONFIRMATION;
  readonly timestamp: string;
  readonly data: { readonly address: string };
}

export const CONFIRMATION = 'alert.confirmation';

/** `origin`: where people's pages are. */
export function toAlertPayload(organizationId: string, transition: AlertTransition, origin: string): AlertPayload {
  const { episodeId, ruleId, kind, ruleName, sentence, path, at } = transition;
  return {
    type: `alert.${transition.transition}`,
    timestamp: at.toISOString(),
    data: {
      organization_id: organizationId,
      episode_id: episodeId,
      rule_id: ruleId,
      kind,
      rule: ruleName,
      sentence,
      link: `${origin}${path}`,
    },
  };
}

export function testPayload(organizationId: string, channelName: string, at: Date, origin: string): AlertPayload {
  return {
    type: 'alert.test',
    timestamp: at.toISOString(),
    data: {
      organization_id: organizationId,
      episode_id: null,
      rule_id: null,
      kind: null,
      rule: 'Test',
      sentence: `This is a test of the channel ${channelName}: alerts arrive here.`,
      link: `${origin}/alerts/channels`,
    },
  };
}

const PREFIXES: Readonly<Record<AlertPayload['type'], string>> = {
  'alert.opened': 'Alert',
  'alert.level': 'Alert',
  'alert.closed': 'Ended',
  'alert.test': 'Test',
};

/** `Alert: Unusual cost`, in one line. */
export function titleOf({ type, data }: AlertPayload): string {
  const prefix = PREFIXES[type];
  return type === 'alert.test' ? 'Test of alerts' : `${prefix}: ${data.rule.replaceAll(/\s+/g, ' ')}`;
}

/** Of a section's text Slack takes 3,000 characters, escapes among them. */
const SLACK_TEXT_MAX = 2_900;

/** The body of a request to an incoming webhook of Slack: blocks, and a text for notifications. */
export function toSlackMessage(payload: AlertPayload): string {
  const { sentence, link } = payload.data;
  const title = escapeForSlack(titleOf(payload));
  const text = escapeForSlack(sentence);
  return JSON.stringify({
    text: cutForSlack(`${title}. ${text}`),
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: cutForSlack(`*${title.replaceAll('*', '∗')}*\n${text}`) } },
      {
        type: 'context',
        elements: [{ type: 'mrkdwn', text: `<${link.replaceAll(/[<>|\s]/g, encodeURIComponent)}|Open the figures>` }],
      },
    ],
    unfurl_links: false,
  });
}

/** The three characters that are Slack's own: without them no text mentions anyone or hides a link. */
function escapeForSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Never within an escape. */
function cutForSlack(text: string): string {
  return text.length <= SLACK_TEXT_MAX ? text : `${text.slice(0, SLACK_TEXT_MAX).replace(/&[a-z]{0,3}$/, '')}…`;
}

export interface Mail {
  readonly subject: string;
  readonly text: string;
}

export function toMail(payload: AlertPayload, channelName: string): Mail {
  const { sentence, link } = payload.data;
  return {
    subject: titleOf(payload),
    text: `${sentence}\n\n${link}\n\n-- \nSent to the channel ${channelName}. The page above leads to its settings.\n`,
  };
}

/** Every word is ours: the address may be someone else's, so nothing that an organization has written is sent to it. */
export function toConfirmationMail(origin: string, code: string): Mail {
  return {
    subject: 'Confirm this address for alerts',
    text: `Someone asked ${origin} to send alerts about AI costs to this address.\n\nTo agree, open this link within ${CONFIRMATION_DAYS} days and press "Confirm":\n\n${origin}/confirm-address#${code}\n\nIf you did not expect this, ignore it: nothing else is sent to this address.\n`,
  };
}
