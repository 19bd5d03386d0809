/** Settings for outbound traffic: allowed private hosts, and the mail server. */
import { z } from 'zod';
import { isAllowedHost } from './allowed-hosts.ts';

export interface OutboundConfig {
  /** Private hosts, hosts with a port, addresses and networks that outbound requests may reach. */
  readonly outboundAllowedHosts: readonly string[];
  /** `null`: no mail is sent. */
  readonly smtp: SmtpServer | null;
}

interface SmtpServer {
  /** With user name and password if required: `smtp://user:password@host:587`. */
  readonly url: string;
  /** The sender, as in a header: `Books <books@example.com>`. */
  readonly from: string;
}

const isMailServer = (text: string): boolean =>
  URL.canParse(text) && ['smtp:', 'smtps:'].includes(new URL(text).protocol) && new URL(text).hostname !== '';

export const outboundSettings = {
  OUTBOUND_ALLOWED_HOSTS: z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .refine(
      (parts) => parts.every(isAllowedHost),
      'must be comma-separated hosts, addresses or networks, such as hooks.internal:8443,10.0.0.0/8',
    )
    .default([]),
  SMTP_URL: z.string().refine(isMailServer, 'must be a URL starting with smtp:// or smtps://').optional(),
  SMTP_FROM: z
    .string()
    .regex(/^(?:[^\s@<>]+@[^\s@<>]+|[^\r\n<>]*<[^\s@<>]+@[^\s@<>]+>)$/, 'must look like Books <books@example.com>')
    .optional(),
};

type Settings = z.infer<z.ZodObject<typeof outboundSettings>>;

/** Mail server and sender must be set together. */
export function requireBothOfMail(settings: Settings, context: z.RefinementCtx): void {
  const [missing, present] = settings.SMTP_URL === undefined ? ['SMTP_URL', 'SMTP_FROM'] : ['SMTP_FROM', 'SMTP_URL'];
  if ((settings.SMTP_URL === undefined) !== (settings.SMTP_FROM === undefined))
    context.addIssue({ code: 'custom', path: [missing], message: `must be set too, because ${present} is` });
}

export function toOutboundConfig({ OUTBOUND_ALLOWED_HOSTS, SMTP_URL, SMTP_FROM }: Settings): OutboundConfig {
  const smtp = SMTP_URL === undefined || SMTP_FROM === undefined ? null : { url: SMTP_URL, from: SMTP_FROM };
  return { outboundAllowedHosts: OUTBOUND_ALLOWED_HOSTS, smtp };
}
