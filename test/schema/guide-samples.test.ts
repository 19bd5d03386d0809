/** Every JSON sample in the guides is valid JSON. `npm run check:documents` validates their GraphQL documents. */
import { expect, it } from 'vitest';
import { projectFiles, projectText } from '../support/project-files.ts';

const samples = projectFiles('docs/guides/').flatMap((path) =>
  [...projectText(path).matchAll(/^```json\n([^]*?)^```/gm)].map(([, text = '']) => [path, text] as const),
);

it.each(samples)('%s: JSON', (_path, text) => {
  expect(() => JSON.parse(text)).not.toThrow();
});
