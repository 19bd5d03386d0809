/** How to type a command, written from the command itself. */
import type { Command, Flag } from './command.ts';
import { stdinSwitch } from './parse-flags.ts';

const PREFIX = 'npm run -s admin --';

export function usageOfAll(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    `Usage: ${PREFIX} COMMAND … [--json]`,
    '',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    `${PREFIX} COMMAND --help shows the flags. The service is at ADMIN_URL (default: the local address);`,
    'the operator token is ADMIN_TOKEN, else that of DATA_DIR/first-run.json.',
  ].join('\n');
}

export function usageOf({ name, summary, flags }: Command): string {
  const entries = Object.entries(flags).flatMap(([flag, definition]): [string, Flag][] => [[flag, definition], ...stdinEntry(flag, definition)]);
  const width = Math.max(0, ...entries.map(([flag, { form }]) => spell(flag, form?.hint).length));
  return [
    `Usage: ${PREFIX} ${[name, ...Object.entries(flags).map(synopsis)].join(' ')} [--json]`,
    '',
    summary,
    '',
    ...entries.map(([flag, { form, about }]) => `  ${spell(flag, form?.hint).padEnd(width)}  ${about}`),
  ].join('\n').trimEnd();
}

function stdinEntry(flag: string, { secret }: Flag): [string, Flag][] {
  return secret ? [[stdinSwitch(flag), { about: `reads --${flag} from standard input, where no other account sees it` }]] : [];
}

function synopsis([name, { form, required, repeated, secret }]: [string, Flag]): string {
  const spelled = spell(name, form?.hint);
  if (required && secret) return `(${spelled} | --${stdinSwitch(name)})`;
  if (required) return spelled;
  return repeated ? `[${spelled} …]` : `[${spelled}]`;
}

function spell(name: string, hint: string | undefined): string {
  return hint === undefined ? `--${name}` : `--${name} ${hint}`;
}
