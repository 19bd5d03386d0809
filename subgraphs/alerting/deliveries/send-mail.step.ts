/** Sends one e-mail through the operator's mail server. The library is loaded on first use. */
import type { OutboundConfig } from '#platform/outbound/outbound-settings.ts';
import { DELIVERY_TIMEOUT_MILLISECONDS } from '../config.ts';
import type { Mail } from './alert-payload.ts';
import { type AttemptOutcome, failedOutcome } from './attempt-outcome.ts';

/**
 * Every attempt at a delivery has the same `Message-ID`. Failures are outcomes; a permanent one (5xx) is not retried.
 */
export async function sendMail(
  smtp: NonNullable<OutboundConfig['smtp']>,
  { id, to, mail }: { readonly id: string; readonly to: string; readonly mail: Mail },
): Promise<AttemptOutcome> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    url: smtp.url,
    connectionTimeout: DELIVERY_TIMEOUT_MILLISECONDS,
    greetingTimeout: DELIVERY_TIMEOUT_MILLISECONDS,
    socketTimeout: DELIVERY_TIMEOUT_MILLISECONDS,
    dnsTimeout: DELIVERY_TIMEOUT_MILLISECONDS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = /@([^\s@<>]+)>?$/.exec(smtp.from)?.[1] ?? 'localhost';
  try {
    const { response } = await transport.sendMail({
      from: smtp.from,
      to: { name: '', address: to },
      messageId: `<${id}@${domain}>`,
      headers: { 'auto-submitted': 'auto-generated' },
      ...mail,
    });
    const statusCode = Number(/^\d{3}/.exec(response)?.[0] ?? Number.NaN);
    const code = Number.isNaN(statusCode) ? null : statusCode;
    return { statusCode: code, error: null, answer: response.slice(0, 200), next: null, retryAfterSeconds: null };
  } catch (error) {
    const { responseCode = null, command } = error as { responseCode?: number | null; command?: string };
    if (responseCode === null) return failedOutcome('The mail server cannot be reached', 'retry');
    // The server's response to a login is for the operator only, so it is not stored.
    if (command?.startsWith('AUTH') === true)
      return failedOutcome('The mail server refused the login', 'retry', responseCode);
    const isFinal = responseCode >= 500;
    return failedOutcome(`The mail server responded with ${responseCode}`, isFinal ? 'never' : 'retry', responseCode);
  } finally {
    transport.close();
  }
}
