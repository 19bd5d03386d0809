/** Asserts the complete standard error envelope of the contract. */
import { expect } from 'vitest';
import type { Answer } from './api-client.ts';

export function expectEnvelope(answer: Answer, status: number, code: string, message?: RegExp): void {
  expect({ status: answer.status, code: answer.body?.error?.code, message: answer.body?.error?.message }).toEqual({
    status,
    code,
    message: message ? expect.stringMatching(message) : expect.any(String),
  });
  const correlationId = answer.headers.get('x-correlation-id');
  expect(correlationId).toMatch(/^[A-Za-z0-9._:-]+$/);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(answer.body).toMatchObject({
    success: false,
    error: {
      correlationId,
      referenceCode: correlationId,
      details: {
        retryable: status === 429 || status >= 500,
        userMessage: expect.any(String),
        ...(status >= 500 ? { supportMessage: expect.any(String) } : {}),
      },
    },
    // A query may contain data that nobody should copy into a ticket.
    meta: { timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/), path: expect.stringMatching(/^\/[^?]*$/) },
  });
}
