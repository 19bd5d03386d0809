/** A local SMTP server that keeps the mails it accepts. */
import { randomUUID } from 'node:crypto';
import { SMTPServer } from 'smtp-server';
import { freePort } from './free-port.ts';

export interface MailServer {
  /** For `SMTP_URL`. */
  readonly url: string;
  readonly password: string;
  readonly mails: { readonly from: string; readonly to: string[]; readonly text: string }[];
  /** Responses to the next recipients; afterwards it accepts all. */
  readonly refusals: { readonly code: number; readonly text: string }[];
  close(): Promise<void>;
}

export async function startMailServer(): Promise<MailServer> {
  const password = randomUUID();
  const mails: MailServer['mails'] = [];
  const refusals: MailServer['refusals'] = [];
  const server = new SMTPServer({
    authMethods: ['PLAIN'],
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    hideSTARTTLS: true,
    onAuth: (login, _session, callback) =>
      login.password === password ? callback(null, { user: 'books' }) : callback(new Error('wrong')),
    onRcptTo: (_address, _session, callback) => {
      const refusal = refusals.shift();
      callback(refusal ? Object.assign(new Error(refusal.text), { responseCode: refusal.code }) : null);
    },
    onData: (stream, { envelope }, callback) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        mails.push({ from, to: envelope.rcptTo.map(({ address }) => address), text: Buffer.concat(chunks).toString() });
        callback();
      });
    },
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `smtp://books:${password}@127.0.0.1:${port}`,
    password,
    mails,
    refusals,
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}
