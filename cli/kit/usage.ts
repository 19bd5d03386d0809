/** Usage text of a command, generated from the command. */
import { type Flag, type Flags, stdinSwitch } from './flags.ts';

export interface Program<Command = { readonly name: string; readonly summary: string; readonly flags: Flags }> {
  /** Printed before the command. */
  readonly prefix: string;
  /** Printed after the command. */
  readonly suffix: string;
  /** Printed after the list of commands. */
  readonly closing: readonly string[];
  /** If true, the first line of a command lists its flags; otherwise it shows `[FLAGS]`. */
  readonly namesFlags: boolean;
  /** Width of the flag column; a longer flag gets its own line. */
  readonly widthMax: number;
  /** The commands, in the order of the usage text. */
  readonly commands: readonly Command[];
}

export function usageOfAll({ prefix, suffix, closing, commands }: Program): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    `Usage: ${prefix} COMMAND …${suffix}`,
    '',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    ...closing,
  ].join('\n');
}

export function usageOf(
  { prefix, suffix, namesFlags, widthMax }: Program<unknown>,
  { name, summary, flags }: Program['commands'][number],
): string {
  const synopses = namesFlags ? Object.entries(flags).map(synopsis) : Object.keys(flags).length > 0 ? ['[FLAGS]'] : [];
  const lines = Object.entries(flags).flatMap(([flag, { form, about, secret }]) => [
    [spell(flag, form?.hint), about] as const,
    ...(secret
      ? [
          [
            spell(stdinSwitch(flag), undefined),
            `read --${flag} from standard input, where other accounts cannot see it`,
          ] as const,
        ]
      : []),
  ]);
  const width = Math.min(widthMax, Math.max(0, ...lines.map(([spelled]) => spelled.length)));
  return [
    `Usage: ${[prefix, name, ...synopses].join(' ')}${suffix}`,
    '',
    summary,
    '',
    ...lines.map(([spelled, about]) =>
      spelled.length > width
        ? `  ${spelled}\n  ${' '.repeat(width)}  ${about}`
        : `  ${spelled.padEnd(width)}  ${about}`,
    ),
  ]
    .join('\n')
    .trimEnd();
}

function synopsis([name, { form, required, repeated, secret, positional }]: [string, Flag]): string {
  if (positional && form) return repeated ? `${form.hint} …` : form.hint;
  const spelled = spell(name, form?.hint);
  if (required && secret) return `(${spelled} | --${stdinSwitch(name)})`;
  if (required) return spelled;
  return repeated ? `[${spelled} …]` : `[${spelled}]`;
}

function spell(name: string, hint: string | undefined): string {
  return hint === undefined ? `--${name}` : `--${name} ${hint}`;
}
