/** The only file of the command line that reads the environment: where settings are kept, and what overrides them. */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

const FOLDER = 'books';

/** Where the system keeps a program's settings: `~/.config` (or XDG_CONFIG_HOME), Application Support, or APPDATA. */
export function configFolder(
  platform = process.platform,
  environment: Readonly<Record<string, string | undefined>> = process.env,
  home = homedir(),
): string {
  if (platform === 'win32') return join(environment['APPDATA'] ?? join(home, 'AppData', 'Roaming'), FOLDER);
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', FOLDER);
  const named = environment['XDG_CONFIG_HOME'];
  // The XDG specification: a path that is not absolute counts as not set.
  return join(named !== undefined && isAbsolute(named) ? named : join(home, '.config'), FOLDER);
}

/** `null` where nothing, or nothing but emptiness, is set. */
export function fromEnvironment(environment: Readonly<Record<string, string | undefined>> = process.env): {
  key: string | null;
  api: string | null;
} {
  return { key: environment['BOOKS_API_KEY'] || null, api: environment['BOOKS_API_URL'] || null };
}
