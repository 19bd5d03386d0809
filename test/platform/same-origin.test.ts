import { expect, it } from 'vitest';
import { isSameOrigin } from '#platform/same-origin.ts';

const APP = ['https://app.example'];
const LOCAL = ['http://127.0.0.1:8080'];

it.each([
  [true, 'a program other than a browser', {}, APP],
  [true, 'our own origin', { origin: 'https://app.example', host: 'app.example' }, APP],
  [
    true,
    'our own origin, asked through a proxy that changes the host',
    { origin: 'https://app.example', host: 'internal:8080' },
    APP,
  ],
  [true, 'the host that was asked', { origin: 'http://localhost:8080', host: 'localhost:8080' }, LOCAL],
  [true, 'a form under no-referrer', { origin: 'null', 'sec-fetch-site': 'same-origin', host: 'app.example' }, APP],
  [false, 'an opaque origin that no browser vouches for', { origin: 'null', host: 'app.example' }, APP],
  [false, 'an opaque origin on plain http away from this machine', { origin: 'null', host: '192.168.1.5:8080' }, LOCAL],
  [
    false,
    "an opaque origin that the browser calls nobody's",
    { origin: 'null', 'sec-fetch-site': 'none', host: 'app.example' },
    APP,
  ],
  [
    false,
    'an opaque origin on this machine, where browsers do send Sec-Fetch-Site',
    { origin: 'null', host: '127.0.0.1:8080' },
    LOCAL,
  ],
  [false, 'another origin', { origin: 'https://evil.example', host: 'app.example' }, APP],
  [false, 'another port', { origin: 'http://127.0.0.1:9999', host: '127.0.0.1:8080' }, LOCAL],
  [false, 'another site', { 'sec-fetch-site': 'cross-site', origin: 'null', host: 'app.example' }, APP],
  [false, 'a sister site', { 'sec-fetch-site': 'same-site', host: 'app.example' }, APP],
  [false, 'an origin that is none', { origin: 'x', host: 'app.example' }, APP],
])('%s: %s', (expected, _, headers, origins) => {
  expect(isSameOrigin(headers, origins)).toBe(expected);
});
