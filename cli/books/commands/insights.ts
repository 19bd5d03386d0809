/** `books insights`: the few most important findings. */
import { printExactJson } from '#kernel/exact-json.ts';
import { now } from '#platform/clock.ts';
import { anyText } from '../../kit/flags.ts';
import type { Command } from '../command.ts';
import { currentLogin, postApi } from '../read-api.ts';
import { rangeOfArgs, WINDOWS } from '../resolve-window.ts';

interface Insights {
  readonly items: readonly { readonly sentence: string; readonly path: string }[];
}

export const insights: Command = {
  name: 'insights',
  summary: 'The few sentences worth reading: what changed most and why, and what to do',
  flags: {
    window: { form: anyText(Object.keys(WINDOWS).join('|')), about: 'Default: this-month; months and years are UTC' },
    start: { form: anyText('DATE'), about: 'First instant, in place of a window' },
    end: { form: anyText('DATE'), about: 'The instant after the last one; default: now' },
    json: { about: 'Print the answer of the API, unchanged' },
    api: { form: anyText('URL'), about: 'Address of the service' },
  },
  async run(args, dependencies) {
    const login = currentLogin(args, dependencies);
    const reply = await postApi<Insights>('/insights', printExactJson({ ...rangeOfArgs(args, now()) }), login);
    if (args.has('json')) return dependencies.print(reply.text);
    const { items } = reply.body;
    if (items.length === 0) return dependencies.print('Nothing in this window is worth a sentence.');
    for (const { sentence, path } of items) dependencies.print(`- ${sentence}\n  ${login.api}${path}`);
  },
};
