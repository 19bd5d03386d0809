/** `books whoami`: the key's permissions, and those it lacks. */
import { anyText } from '../../kit/flags.ts';
import { QUERY_SCOPES } from '#schema/scopes.ts';
import type { Command } from '../command.ts';
import { ping } from '../ping.ts';
import { currentLogin, READ_PRESET } from '../read-api.ts';
import { formatSheet } from '../format-sheet.ts';
import { formatValue } from '../format-value.ts';

/** Prints the output, then fails if the key cannot read everything. */
export const whoami: Command = {
  name: 'whoami',
  summary: 'Checks the key and shows its permissions',
  flags: {
    json: { about: 'Print the API response unchanged' },
    api: { form: anyText('URL'), about: 'Address of the service' },
  },
  async run(args, dependencies) {
    const login = currentLogin(args, dependencies);
    const { text, body } = await ping(login);
    dependencies.print(
      args.has('json')
        ? text
        : formatSheet({
            facts: [
              ['Service', login.api],
              ['Organization', body.organization_id],
              ['Key', formatValue(body.key_name, 'text')],
              ['Environment', body.environment],
              ['Scopes', body.scopes.join(', ')],
              ['Expires', body.expires_at ?? 'never'],
            ],
            columns: [],
            rows: [],
            remarks: [],
          }),
    );
    const missing = QUERY_SCOPES.filter((scope) => !body.scopes.includes(scope));
    if (missing.length > 0)
      throw new Error(`The key lacks ${missing.join(', ')}: create one with the preset "${READ_PRESET}"`);
  },
};
