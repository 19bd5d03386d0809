/** `books logout`: revokes the key and forgets it. */
import type { Command } from '../command.ts';
import { revokeKey } from '../revoke-key.ts';

/**
 * Forgets the key even if the service cannot be reached. A key entered by hand may be used elsewhere, so it stays
 * valid.
 */
export const logout: Command = {
  name: 'logout',
  summary: 'Signs out: deletes the saved key, and revokes it if it was issued to this machine',
  flags: {},
  async run(_args, { saved, say }) {
    const login = saved.read();
    if (!login) return say('Not signed in');
    const error = login.issuedHere ? await revokeKey(login) : null;
    saved.forget();
    if (error !== null)
      throw new Error(`The saved key is deleted but not revoked (${error}): revoke it at ${login.api}/api-keys`);
    say(`Signed out of ${login.api}`);
  },
};
