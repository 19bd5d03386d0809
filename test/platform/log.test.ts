import { expect, it } from 'vitest';
import type { Log } from '#platform/log.ts';
import { loggedLines } from '../support/logged-lines.ts';

function logged(write: (log: Log) => void): Record<string, any> {
  const { log, lines } = loggedLines('info');
  write(log);
  return lines[0]!;
}

it('the code of an error is logged, including those of its causes', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), {
    code: 'ECONNREFUSED',
    extensions: { code: 'SERVICE_UNAVAILABLE' },
  });
  const { err } = logged((log) => log.error({ err: refused }, 'x'));
  expect([err.code, err.extensions.code]).toEqual(['ECONNREFUSED', 'SERVICE_UNAVAILABLE']);
  expect(
    logged((log) => log.error({ err: Object.assign(new Error('too many'), { code: '53300' }) }, 'x'))['err'].code,
  ).toBe('53300');
});

it('a code that is a credential is removed, wherever it is', () => {
  const line = logged((log) =>
    log.info(
      {
        code: '123456',
        body: { code: 'kV3x-code', token: 't' },
        request: { body: { code: 'SOMECODE', password: 'p' } },
        headers: { authorization: 'Bearer x' },
        err: Object.assign(new Error('refused'), { code: 'a-code-of-oauth_XYZ', token: 't' }),
      },
      'x',
    ),
  );
  expect(line).toMatchObject({
    code: '[secret]',
    body: { code: '[secret]', token: '[secret]' },
    request: { body: { code: '[secret]', password: '[secret]' } },
    headers: { authorization: '[secret]' },
    err: { code: '[secret]', token: '[secret]' },
  });
});
