import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { answerFailure } from '../../../dashboard/http/answer-failure.ts';

it('an unknown error becomes a page with its correlation ID and without its message', async () => {
  const app = Fastify();
  app.addHook('onRequest', (request, _, done) => {
    request.correlationId = 'the-correlation';
    done();
  });
  app.setErrorHandler(answerFailure);
  app.get('/', () => {
    throw new Error('relation "session" does not exist');
  });
  const { statusCode, body } = await app.inject('/');
  await app.close();
  expect(statusCode).toBe(500);
  expect(body).toContain('Please try again. If this happens again, give support the correlation ID below.');
  expect(body).toContain('<code>the-correlation</code>');
  expect(body).not.toContain('does not exist');
});
