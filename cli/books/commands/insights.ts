/** `books insights`: the few most important findings. */
import { printExactJson } from '#kernel/json/exact-json.ts';
import { now } from '#platform/clock.ts';
import { anyText } from '../../kit/flags.ts';
import type { Command } from '../command.ts';
import { currentLogin, postApi } from '../read-api.ts';
import { ABOUT_WINDOW, rangeOfArgs, WINDOW_NAMES } from '../resolve-window.ts';

interface Insights {
  readonly items: readonly { readonly sentence: string; readonly path: string }[];
}

export const insights: Command = {
  name: 'insights',
  summary: 'Insights: what changed most, why, and what to do',
  flags: {
    window: { form: anyText(WINDOW_NAMES.join('|')), about: ABOUT_WINDOW },
    start: { form: anyText('DATE'), about: 'Start of the period, instead of --window' },
    end: { form: anyText('DATE'), about: 'End of the period, exclusive; default: now' },
    json: { about: 'Print the API response unchanged' },
    api: { form: anyText('URL'), about: 'Address of the service' },
  },
  async run(args, dependencies) {
    const login = currentLogin(args, dependencies);
    const reply = await postApi<Insights>('/insights', printExactJson({ ...rangeOfArgs(args, now()) }), login);
    if (args.has('json')) return dependencies.print(reply.text);
    const { items } = reply.body;
    if (items.length === 0) return dependencies.print('No insights in this period.');
    for (const { sentence, path } of items) dependencies.print(`- ${sentence}\n  ${login.api}${path}`);
  },
};
