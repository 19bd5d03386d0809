import { expect, it } from 'vitest';
import { createParser } from '#platform/transports/in-process-subgraph.ts';

it('a document is parsed once, as long as it is among the recent ones', () => {
  const parseOnce = createParser();
  const document = parseOnce('{ ping }');
  expect(parseOnce('{ ping }')).toBe(document);
  for (let index = 0; index < 2_000; index += 1) parseOnce(`{ ping${index} }`);
  expect(parseOnce('{ ping }')).not.toBe(document);
});

it('the text of cached documents has a limit, whoever wrote it', () => {
  const parseOnce = createParser();
  const document = parseOnce('{ ping }');
  for (let index = 0; index < 20; index += 1) parseOnce(`{ ping(text: "${index}${'x'.repeat(60_000)}") }`);
  expect(parseOnce('{ ping }')).not.toBe(document);
  const huge = `{ ping(text: "${'x'.repeat(2_000_000)}") }`;
  expect(parseOnce(huge)).not.toBe(parseOnce(huge));
});
