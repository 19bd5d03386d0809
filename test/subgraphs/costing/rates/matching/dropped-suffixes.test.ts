/** The parts of a model's name that are dropped to find its price, listed by hand from providers' names. */
import { expect, it } from 'vitest';
import { candidateNames } from '#usage/names/candidate-names.ts';

const names = (model: string) => candidateNames(model).map(({ name }) => name);

it.each([
  ...['-latest', '-preview', '-exp'],
  ...['-20250105', '-20251231', '-20251019', '-20250920', '-20250130', '@20250105'],
  ...['-2025-01-05', '-2025-12-31', '-2025-10-19', '-2025-09-20'],
  ...['-0105', '-1231', '-1019', '-0920'],
  ...['-001', '-v1', '-v1:0', '-v2:10', ':0'],
  ...[':online', ':nitro', ':floor', ':beta', ':exacto', '[1m]', '[200k]', '@default'],
])('%s is dropped', (suffix) => {
  expect(names(`acme-2.5-pro${suffix}`)).toContain('acme-2.5-pro');
});

it.each(['-preview-01-05', '-preview-12-31', '-preview-10-19', '-preview-09-20', '-preview-09-2025'])(
  'the date of %s is dropped',
  (suffix) => {
    expect(names(`acme-2.5-pro${suffix}`)).toContain('acme-2.5-pro-preview');
  },
);

it.each([
  ...['-20251301', '-20250132', '-20250001', '-20250100', '-19991231'],
  ...['-2025-13-01', '-2025-01-32', '-2025-00-01', '-2025-01-00'],
  ...['-1301', '-0132', '-0001', '-0100'],
  ...['-thinking', ':free', ':batch', ':thinking', '[m]'],
])('%s is kept', (suffix) => {
  expect(names(`acme-2.5-pro${suffix}`)).not.toContain('acme-2.5-pro');
});

it.each(['us', 'us-gov', 'eu', 'apac', 'ap', 'au', 'jp', 'in', 'ca', 'sa', 'me', 'af', 'global'])(
  'the region %s is dropped last',
  (region) => {
    expect(names(`${region}.acme.model-2.5`)).toEqual([`${region}.acme.model-2.5`, 'acme.model-2.5']);
  },
);

it.each(['zz', 'my-us'])('%s is not a region', (prefix) => {
  expect(names(`${prefix}.acme.model-2.5`)).toEqual([`${prefix}.acme.model-2.5`]);
});
