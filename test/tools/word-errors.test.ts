import { describe, expect, it, test } from 'vitest';
import { wordErrors } from '../../tools/words/word-errors.ts';

describe('it names the place and the word to take of', () => {
  test.each([
    ['const surroundings = 1;', 'surroundings: write dependencies'],
    ['interface WindowQuestion {}', 'WindowQuestion: write query, input or filter'],
    ['function f(given: string) {}', 'given: write args on a command line, else input'],
    ['const { told } = f();', 'told: write outcome or result'],
    ['type Row = { readonly brokenHour: string };', 'brokenHour: write partial hour'],
    ['const ROLLED_KEYS = [];', 'ROLLED_KEYS: write rollup'],
    ['class ShownApiKey {}', 'ShownApiKey: write to…View, format… or render…'],
  ])('%s', (code, error) => {
    expect(wordErrors('platform/x.ts', `\n${code}\n`)).toEqual([`platform/x.ts:2: ${error} (docs/glossary.md)`]);
  });

  test('a file', () => {
    expect(wordErrors('cli/given.ts', '')).toEqual([
      'cli/given.ts: its name: write args on a command line, else input (docs/glossary.md)',
    ]);
  });

  test('a comment, a document and a description of the graph', () => {
    const error = '"anew": write again (docs/glossary.md)';
    expect(wordErrors('platform/x.ts', '/**\n * Begins anew.\n */\n')).toEqual([`platform/x.ts:2: ${error}`]);
    expect(wordErrors('README.md', '# It\n\nbegins anew.\n')).toEqual([`README.md:3: ${error}`]);
    expect(wordErrors('schema/x.graphql', '"It begins anew."\ntype A { a: Int }\n')).toEqual([
      `schema/x.graphql:1: ${error}`,
    ]);
  });
});

describe('it leaves alone', () => {
  it('what is quoted as code, and strings: a message may be asserted on by clients', () => {
    expect(wordErrors('platform/x.ts', "// `nobody` is an account\nconst x = 'nobody is there';\n")).toEqual([]);
  });

  it('the properties of objects, whose names may be others', () => {
    expect(wordErrors('platform/x.ts', "use({ showDeveloperTools: 'never', told: 1 });\n")).toEqual([]);
  });

  it('words that only contain a forbidden one', () => {
    expect(wordErrors('platform/x.ts', 'const defaultValue = 1, showerhead = 2, forgiven = 3;\n')).toEqual([]);
  });

  it('faults that are injected', () => {
    expect(wordErrors('packages/stripe-stand-in/faults.ts', 'const faults = [];\n')).toEqual([]);
    expect(wordErrors('platform/x.ts', 'const faults = [];\n')).toHaveLength(1);
  });
});
