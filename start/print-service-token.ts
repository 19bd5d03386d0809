/**
 * `npm run -s federation:token -- NAME`: prints the token with which the subgraph of this name authenticates at the
 * gateway.
 */
import { ConfigError, readConfig } from '#platform/config.ts';
import { serviceToken } from '#platform/transports/service-token.ts';
import { keyRings } from './service-secret.ts';

const [name = ''] = process.argv.slice(2);
if (!/^[a-z][a-z0-9-]{0,39}$/.test(name)) {
  process.stderr.write(
    'Usage: npm run -s federation:token -- NAME\nThe secret is SERVICE_SECRET, otherwise the one in DATA_DIR.\n',
  );
  process.exit(2);
}
try {
  process.stdout.write(`${serviceToken(name, keyRings(readConfig()).signing)}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof ConfigError ? error.message : String(error)}\n`);
  process.exit(1);
}
