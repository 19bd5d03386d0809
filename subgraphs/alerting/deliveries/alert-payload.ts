/**
 * Content of a message: thin, as Standard Webhooks 1.0 recommends ("Payload structure"). It has ids, a sentence and a
 * link; receivers that need more query the graph.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { CONFIRMATION_DAYS } from '../config.ts';

/** An episode's transition as evaluation reports it. */
export interface AlertTransition {
  readonly episodeId: string;
  readonly ruleId: string;
  readonly ruleName: string;
  readonly kind: string;
  readonly transition: 'opened' | 'closed' | 'level';
  /** Distinguishes several levels of one episode: each is delivered once. */
  readonly level?: string | number | null;
  /** Plain text with the figures. */
  readonly sentence: string;
  /** Path of the page that shows the figures. */
  readonly path: string;
  readonly at: Date;
  readonly channelIds: readonly string[];
}

export interface AlertPayload {
  readonly type: 'alert.opened' | 'alert.closed' | 'alert.level' | 'alert.test' | 'statement.ready' | 'export.failed';
  /** Time of the transition, regardless of when it is sent; ISO 8601 UTC. */
  readonly timestamp: string;
  readonly data: {
    readonly organization_id: string;
    /** Null for tests, statements and exports, as are `rule_id` and `kind`. */
    readonly episode_id: string | null;
    readonly rule_id: string | null;
    readonly kind: string | null;
    /** Name of the rule, or title of the statement or export. */
    readonly rule: string;
    readonly sentence: string;
    readonly link: string;
  };
}

/**
 * Body of the delivery that asks an address for confirmation. It contains no code: readers of the log must not be able
 * to confirm.
 */
export interface ConfirmationPayload {
  readonly type: typeof CONFIRMATION;
  readonly timestamp: string;
  readonly data: { readonly address: string };
}

export const CONFIRMATION = 'alert.confirmation';

/** `origin`: base URL of the pages. */
export function toAlertPayload(
  organizationId: OrganizationId,
  transition: AlertTransition,
  origin: string,
): AlertPayload {
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

/** The message that tests a channel. */
export function testPayload(
  organizationId: OrganizationId,
  channelName: string,
  at: Date,
  origin: string,
): AlertPayload {
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

interface Notice {
  readonly title: string;
  readonly sentence: string;
  /** URL of the page with the details. */
  readonly link: string;
  readonly at: Date;
}

export function statementPayload(organizationId: OrganizationId, notice: Notice): AlertPayload {
  return noticePayload('statement.ready', organizationId, notice);
}

/** An export that fails repeatedly or was stopped. */
export function exportPayload(organizationId: OrganizationId, notice: Notice): AlertPayload {
  return noticePayload('export.failed', organizationId, notice);
}

function noticePayload(
  type: AlertPayload['type'],
  organizationId: OrganizationId,
  { title, sentence, link, at }: Notice,
): AlertPayload {
  return {
    type,
    timestamp: at.toISOString(),
    data: { organization_id: organizationId, episode_id: null, rule_id: null, kind: null, rule: title, sentence, link },
  };
}

const PREFIXES = {
  'alert.opened': 'Alert',
  'alert.level': 'Alert',
  'alert.closed': 'Closed',
} as const;

/** For example `Alert: Unusual cost`, on one line. */
export function titleOf({ type, data }: AlertPayload): string {
  if (type === 'alert.test') return 'Test of alerts';
  if (type === 'statement.ready') return data.rule;
  if (type === 'export.failed') return `Failing: ${data.rule}`;
  return `${PREFIXES[type]}: ${data.rule.replaceAll(/\s+/g, ' ')}`;
}

/** Slack accepts 3,000 characters in a section's text, including escapes. */
const SLACK_TEXT_MAX = 2_900;

/** Request body for a Slack incoming webhook: blocks, and a text for notifications. */
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
        elements: [{ type: 'mrkdwn', text: `<${link.replaceAll(/[<>|\s]/g, encodeURIComponent)}|View figures>` }],
      },
    ],
    unfurl_links: false,
  });
}

/** Escapes Slack's three special characters, so that no text can mention a user or hide a link. */
function escapeForSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Shortens text to the maximum length in Slack, without cutting an escape such as `&amp;`. */
function cutForSlack(text: string): string {
  return text.length <= SLACK_TEXT_MAX ? text : `${text.slice(0, SLACK_TEXT_MAX).replace(/&[a-z]{0,3}$/, '')}…`;
}

export interface Mail {
  readonly subject: string;
  readonly text: string;
}

/** The message as an e-mail in plain text. */
export function toMail(payload: AlertPayload, channelName: string): Mail {
  const { sentence, link } = payload.data;
  return {
    subject: titleOf(payload),
    text: `${sentence}\n\n${link}\n\n-- \nSent to the channel ${channelName}. To change or delete it, open Alerts → Channels.\n`,
  };
}

/** All text is ours: the address may belong to someone else, so nothing that an organization wrote is sent to it. */
export function toConfirmationMail(origin: string, code: string): Mail {
  return {
    subject: 'Confirm this address for alerts',
    text: `Someone asked ${origin} to send alerts about AI costs to this address.\n\nTo agree, open this link within ${CONFIRMATION_DAYS} days and press "Confirm":\n\n${origin}/confirm-address#${code}\n\nIf you did not expect this, ignore it: nothing else is sent to this address.\n`,
  };
}
