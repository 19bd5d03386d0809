/**
 * The only file of the command line that reads the environment: the settings folder, and variables that override
 * settings.
 */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

const FOLDER = 'books';

/** The system's folder for program settings: `~/.config` (or XDG_CONFIG_HOME), Application Support, or APPDATA. */
export function configFolder(
  platform = process.platform,
  environment: Readonly<Record<string, string | undefined>> = process.env,
  home = homedir(),
): string {
  if (platform === 'win32') return join(environment['APPDATA'] ?? join(home, 'AppData', 'Roaming'), FOLDER);
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', FOLDER);
  const named = environment['XDG_CONFIG_HOME'];
  // XDG specification: a relative path counts as not set.
  return join(named !== undefined && isAbsolute(named) ? named : join(home, '.config'), FOLDER);
}

/** `null` for a variable that is not set or empty. */
export interface BooksEnvironment {
  readonly key: string | null;
  readonly api: string | null;
  readonly storage: StorageAccess;
}

/** Access to S3-compatible storage, in the variables of AWS's own tools. */
export interface StorageAccess {
  readonly accessKeyId: string | null;
  readonly secretAccessKey: string | null;
  readonly sessionToken: string | null;
  readonly region: string;
  readonly endpoint: string | null;
}

export function fromEnvironment(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): BooksEnvironment {
  return {
    key: environment['BOOKS_API_KEY'] || null,
    api: environment['BOOKS_API_URL'] || null,
    storage: {
      accessKeyId: environment['AWS_ACCESS_KEY_ID'] || null,
      secretAccessKey: environment['AWS_SECRET_ACCESS_KEY'] || null,
      sessionToken: environment['AWS_SESSION_TOKEN'] || null,
      region: environment['AWS_REGION'] || environment['AWS_DEFAULT_REGION'] || 'us-east-1',
      endpoint: environment['AWS_ENDPOINT_URL_S3'] || null,
    },
  };
}
