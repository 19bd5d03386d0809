/** Which texts of an alert name an end user, and what is left of them. */
import { expect, it } from 'vitest';
import {
  eraseFromBody,
  eraseFromEpisode,
  eraseFromPath,
  eraseWord,
  isOfEndUser,
} from '../../../../subgraphs/alerting/erasure/erase-names.ts';

const NAMES = { externalId: 'acme', pseudonym: 'erased', id: 'the-id', pseudonymId: 'other-id', name: 'acme corp' };
const evidenceOf = (variables: object) => ({
  sentence: 'acme corp cost $1, and acme paid.',
  query: { document: 'a document', variables },
  path: '/customers/the-id?from=2026-10-02',
});

it.each([
  [{ search: 'acme' }, true],
  [{ filter: { endUser: 'acme' } }, true],
  [{ search: 'acme corp' }, false],
  [{ filter: { endUser: 'acme2' }, search: null }, false],
  [{ filter: null }, false],
  [{}, false],
])('an episode with %j belongs to the end user: %s', (variables, expected) => {
  expect(isOfEndUser({ evidence: evidenceOf(variables) as never }, 'acme')).toBe(expected);
});

it.each([
  ['acme', 'acme corp', 'erased', 'erased'],
  ['', null, '', null],
])('an episode of the group %j keeps no part of its name', (groupKey, groupName, erasedKey, erasedName) => {
  const variables = { search: 'acme', list: ['acme', 'acme2'], filter: { endUser: 'acme', model: null } };
  const episode = { organizationId: 'o', id: 'e', groupKey, groupName, evidence: evidenceOf(variables) as never };
  expect(eraseFromEpisode(episode, NAMES)).toMatchObject({
    groupKey: erasedKey,
    groupName: erasedName,
    evidence: {
      sentence: 'erased cost $1, and erased paid.',
      query: { variables: { search: 'erased', list: ['erased', 'acme2'], filter: { endUser: 'erased', model: null } } },
      path: '/customers/other-id?from=2026-10-02',
    },
  });
});

it.each([
  ['acme', 'acme corp'],
  ['acme-7', 'acme'],
])('an end user %j named %j leaves no part of either name', (externalId, name) => {
  const body = { data: { sentence: `${name} (${externalId}) paid.`, link: '/' } };
  const erased = JSON.parse(eraseFromBody(JSON.stringify(body), { ...NAMES, externalId, name }));
  expect(erased.data.sentence).toBe('erased (erased) paid.');
});

it('a message keeps no name in its sentence or its link', () => {
  const body = {
    type: 'alert.opened',
    data: { rule: 'A rule', sentence: 'acme corp and acme', link: 'https://x/the-id' },
  };
  expect(JSON.parse(eraseFromBody(JSON.stringify(body), NAMES))).toEqual({
    type: 'alert.opened',
    data: { rule: 'A rule', sentence: 'erased and erased', link: 'https://x/other-id' },
  });
});

it.each([
  ['/customers/the-id', '/customers/other-id'],
  ['/costs?endUser=acme&model=acme2', '/costs?endUser=erased&model=acme2'],
  ['/costs?filter=endUser%3Aacme', '/costs?filter=endUser%3Aerased'],
  ['/costs?filter=endUser%3Aacme2', '/costs?filter=endUser%3Aacme2'],
])('the path %s becomes %s', (path, expected) => {
  expect(eraseFromPath(path, NAMES)).toBe(expected);
});

it.each([
  ['1 of 10, and 1', '1', 'x of 10, and x'],
  ['a_1, 1', '1', 'a_1, x'],
  ['über-1', '1', 'über-x'],
  ['a.b aXb', 'a.b', 'x aXb'],
  ['$& costs', '$&', 'x costs'],
])('in %j, the word %j is replaced: %j', (text, name, expected) => {
  expect(eraseWord(text, name, 'x')).toBe(expected);
});

it('a replacement is taken literally', () => {
  expect(eraseWord('acme', 'acme', '$&')).toBe('$&');
});
