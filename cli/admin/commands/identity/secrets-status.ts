/** Shows the encryption keys of the stored secrets. */
import type { Command } from '../../command.ts';
import { listSealedValues } from '../../sealed-values.ts';

export const secretsStatus: Command = {
  name: 'secrets status',
  summary: 'Counts encrypted values by key. Exits with 1 if any cannot be decrypted.',
  flags: {},
  async run(_args, gateway) {
    const output = await listSealedValues(gateway);
    const unreadable = output.filter(({ is_readable }) => !is_readable);
    if (unreadable.length === 0) return { output };
    return {
      output,
      error: `Cannot be decrypted: ${unreadable.map(({ count, kind }) => `${count} ${kind}`).join(', ')}`,
    };
  },
};
