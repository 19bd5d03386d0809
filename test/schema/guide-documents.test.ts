/** Every GraphQL document in the guides is valid against the public schema, and every JSON sample is valid JSON. */
import { buildSchema, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { projectFiles, projectText } from '../support/project-files.ts';

const schema = buildSchema(projectText('schema/api.graphql'));
const samples = (language: string) =>
  projectFiles('docs/guides/').flatMap((path) =>
    [...projectText(path).matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(
      ([, text = '']) => [path, text] as const,
    ),
  );

describe('samples of the guides', () => {
  it.each(samples('graphql'))('%s: a document', (_path, text) => {
    expect(validate(schema, parse(text)).map(({ message }) => message)).toEqual([]);
  });

  it.each(samples('json'))('%s: JSON', (_path, text) => {
    expect(() => JSON.parse(text)).not.toThrow();
  });
});
