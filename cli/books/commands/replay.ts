/** `books replay DIR`: sends every file of responses in a folder as events. Running it again counts nothing twice. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { anyText } from '../../kit/flags.ts';
import type { Command } from '../command.ts';
import { formatValue } from '../format-value.ts';
import { currentLogin } from '../read-api.ts';
import { parseResponses, sendResponses } from '../send-responses.ts';

export const replay: Command = {
  name: 'replay',
  summary: 'Sends all files of provider responses in a folder (.json, .jsonl, .ndjson), in order of name',
  flags: {
    folder: { form: anyText('DIR'), required: true, positional: true, about: 'The folder, including its subfolders' },
    api: { form: anyText('URL'), about: 'Address of the service' },
  },
  async run(args, dependencies) {
    const login = currentLogin(args, dependencies);
    const folder = args.text('folder');
    const names = (await readdir(folder, { recursive: true })).filter((name) => /\.(?:json|jsonl|ndjson)$/.test(name));
    const total = { accepted: 0, duplicates: 0, failed: 0 };
    for (const name of names.sort()) {
      let responses: unknown[];
      try {
        responses = parseResponses(await readFile(join(folder, name), 'utf8'));
      } catch {
        // A bad file does not stop the others.
        dependencies.say(`${formatValue(name, 'text')}: not JSON`);
        total.failed++;
        continue;
      }
      const sent = await sendResponses(login, responses, dependencies.wait);
      total.accepted += sent.accepted;
      total.duplicates += sent.duplicates;
      total.failed += sent.failed;
      for (const { index, message } of sent.errors)
        dependencies.say(`${formatValue(name, 'text')} ${index}: ${formatValue(message, 'text')}`);
    }
    const { accepted, duplicates, failed } = total;
    dependencies.print(
      `${names.length} files: ${accepted} accepted, ${duplicates} of them duplicates; ${failed} rejected`,
    );
    if (failed > 0) throw new Error(`${failed} were rejected`);
  },
};
