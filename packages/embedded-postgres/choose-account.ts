/** Account that runs PostgreSQL, which refuses to run as root. Only existing accounts are used; none is created. */
import { readFileSync, statSync } from 'node:fs';

export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/**
 * Returns the account to run as, or undefined to stay the current user. The owner of an existing cluster takes
 * precedence, since only it can run the cluster; then `postgres`, then `nobody`.
 */
export function chooseAccount(existingCluster: string | undefined): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readAccounts();
  const owner = existingCluster === undefined ? undefined : statSync(existingCluster);
  if (owner !== undefined && owner.uid !== 0) {
    const known = accounts.find((account) => account.uid === owner.uid);
    return known ?? { name: `user ${owner.uid}`, uid: owner.uid, gid: owner.gid };
  }
  const chosen = ['postgres', 'nobody']
    .map((name) => accounts.find((account) => account.name === name))
    .find((account) => account !== undefined && account.uid !== 0);
  if (!chosen) {
    throw new Error(
      'PostgreSQL does not run as root, and neither the account "postgres" nor "nobody" exists to run it. ' +
        'Start as an ordinary user, or set DATABASE_URL.',
    );
  }
  return chosen;
}

function readAccounts(): Account[] {
  return readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [name, , uid, gid] = line.split(':');
      return name !== undefined && uid !== undefined && gid !== undefined
        ? [{ name, uid: Number(uid), gid: Number(gid) }]
        : [];
    });
}
