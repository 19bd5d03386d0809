/** `books send FILE`: sends providers' responses from a file as events. */
import { readFile } from 'node:fs/promises';
import { anyText } from '../../kit/flags.ts';
import type { Command } from '../command.ts';
import { formatValue } from '../format-value.ts';
import { currentLogin } from '../read-api.ts';
import { parseResponses, sendResponses } from '../send-responses.ts';

export const sendFile: Command = {
  name: 'send',
  summary:
    'Sends provider responses from a file: one, an array, or one per line. BOOKS_API_KEY needs the scope usage:write',
  flags: {
    file: { form: anyText('FILE'), required: true, positional: true, about: 'The file, or - for standard input' },
    api: { form: anyText('URL'), about: 'Address of the service' },
  },
  async run(args, dependencies) {
    const file = args.text('file');
    const text = file === '-' ? await dependencies.readInput() : await readFile(file, 'utf8');
    let responses: unknown[];
    try {
      responses = parseResponses(text);
    } catch {
      throw new Error(`${file} is neither JSON nor one JSON value per line`);
    }
    const sent = await sendResponses(currentLogin(args, dependencies), responses, dependencies.wait);
    for (const { index, message } of sent.errors) dependencies.say(`${file} ${index}: ${formatValue(message, 'text')}`);
    dependencies.print(`${sent.accepted} accepted, ${sent.duplicates} of them duplicates; ${sent.failed} rejected`);
    if (sent.failed > 0) throw new Error(`${sent.failed} of ${responses.length} were rejected`);
  },
};
