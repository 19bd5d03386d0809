/** How the command line polls a service that speaks RFC 8628 and gives scripted responses. */
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { awaitKey, type DeviceCode } from '../../../cli/books/device-login.ts';

const CODE: DeviceCode = {
  device_code: 'd',
  user_code: 'BBBB-BBBB',
  verification_uri: '',
  verification_uri_complete: '',
  expires_in: 60,
  interval: 5,
};

/** Gives the responses one after another, and repeats the last one. Null: a broken connection. */
async function serviceThatSays(...answers: (readonly [number, object] | null)[]): Promise<string> {
  let count = 0;
  const server = createServer((request, response) => {
    const answer = answers[Math.min(count++, answers.length - 1)] ?? null;
    if (answer === null) return void request.socket.destroy();
    response.writeHead(answer[0], { 'content-type': 'application/json' }).end(JSON.stringify(answer[1]));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

const PENDING = [400, { error: 'authorization_pending' }] as const;

test('the login waits five seconds longer after slow_down, after an error, and after a broken connection', async () => {
  const api = await serviceThatSays(PENDING, [400, { error: 'slow_down' }], PENDING, [500, {}], null, [
    200,
    { access_token: 'key' },
  ]);
  const waits: number[] = [];
  expect(
    await awaitKey(api, { ...CODE, expires_in: 900 }, async (seconds) => {
      waits.push(seconds);
    }),
  ).toBe('key');
  expect(waits).toEqual([5, 5, 10, 10, 15, 20]);
});

test('the login ends when the code has expired, whatever the service responds', async () => {
  let waited = 0;
  await expect(
    awaitKey(await serviceThatSays(PENDING), CODE, async (seconds) => {
      waited += seconds;
    }),
  ).rejects.toThrow('Nobody approved');
  expect(waited).toBe(60);
});

test.each([
  ['expired_token', 'Nobody approved'],
  ['access_denied', 'denied'],
  ['invalid_grant', 'The login failed: invalid_grant'],
])('the login ends with an error after %s', async (error, message) => {
  await expect(awaitKey(await serviceThatSays([400, { error }]), CODE, async () => {})).rejects.toThrow(message);
});
