/** `books login`: gets a key for this machine, with the user's consent in the browser, and saves it. */
import { anyText } from '../../kit/flags.ts';
import { apiOrigin, DEFAULT_API, isInTheClear } from '../api-origin.ts';
import type { Command } from '../command.ts';
import { awaitKey, beginDeviceLogin } from '../device-login.ts';
import { ping } from '../ping.ts';
import { revokeKey } from '../revoke-key.ts';
import { formatValue } from '../format-value.ts';
import type { Dependencies } from '../dependencies.ts';

export const login: Command = {
  name: 'login',
  summary: 'Signs this machine in: shows a code to approve in the browser',
  flags: {
    api: { form: anyText('URL'), about: `Address of the service; default: the last one used, or ${DEFAULT_API}` },
    'with-key': { about: 'Save an existing key instead, read from standard input' },
  },
  async run(args, dependencies) {
    const { saved, environment, say } = dependencies;
    const before = saved.read();
    const api = apiOrigin(args.optional('api') ?? environment.api ?? before?.api ?? DEFAULT_API);
    if (isInTheClear(api)) say(`Warning: ${api} does not use https: others on the network can read the key`);
    const key = args.has('with-key') ? (await dependencies.readInput()).trim() : await deviceKey(api, dependencies);
    const { body } = await ping({ api, key });
    saved.write({ api, key, issuedHere: !args.has('with-key') });
    say(
      `Signed in to ${api} with the key "${formatValue(body.key_name, 'text')}", which expires ${body.expires_at ?? 'never'}`,
    );
    if (!before?.issuedHere || before.key === key) return;
    const error = await revokeKey(before);
    if (error !== null)
      say(`The key of the previous login is not revoked (${error}): revoke it at ${before.api}/api-keys`);
  },
};

async function deviceKey(api: string, { machineName, say, wait }: Dependencies): Promise<string> {
  const code = await beginDeviceLogin(api, machineName);
  say(
    `Open   ${code.verification_uri_complete}\nCode   ${code.user_code}\n\nWaiting for your approval (${Math.round(code.expires_in / 60)} minutes) …`,
  );
  return awaitKey(api, code, wait);
}
