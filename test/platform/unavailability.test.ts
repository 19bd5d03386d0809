import pg from 'pg';
import { GraphQLError } from 'graphql';
import { errors } from 'undici';
import { describe, expect, it } from 'vitest';
import { unavailability } from '#platform/unavailability.ts';

function withCode(code: string, more: object = {}): Error {
  return Object.assign(new Error('said by the driver'), { code, ...more });
}

describe('an error of an unavailable dependency', () => {
  it.each([
    ['08000', 'unreachable'],
    ['08006', 'unreachable'],
    ['08P01', 'unreachable'],
    ['57P01', 'unreachable'],
    ['57P02', 'unreachable'],
    ['57P03', 'unreachable'],
    ['57P04', 'unreachable'],
    ['53300', 'overloaded'],
    ['53200', 'overloaded'],
    ['53400', 'overloaded'],
    ['53100', 'disk full'],
    ['58030', 'disk full'],
    ['25006', 'read-only'],
    ['57014', 'unresponsive'],
    ['57P05', 'unresponsive'],
    ['55P03', 'unresponsive'],
    ['25P03', 'unresponsive'],
    ['25P04', 'unresponsive'],
    ['ECONNREFUSED', 'unreachable'],
    ['ECONNRESET', 'unreachable'],
    ['EPIPE', 'unreachable'],
    ['ENOTFOUND', 'unreachable'],
    ['EAI_AGAIN', 'unreachable'],
    ['EHOSTUNREACH', 'unreachable'],
    ['ENETUNREACH', 'unreachable'],
    ['ETIMEDOUT', 'unresponsive'],
    ['EMFILE', 'overloaded'],
    ['UND_ERR_SOCKET', 'unreachable'],
    ['UND_ERR_CLOSED', 'unreachable'],
    ['UND_ERR_DESTROYED', 'unreachable'],
    ['UND_ERR_CONNECT_TIMEOUT', 'unresponsive'],
    ['UND_ERR_HEADERS_TIMEOUT', 'unresponsive'],
    ['UND_ERR_BODY_TIMEOUT', 'unresponsive'],
    ['HPE_INVALID_CONSTANT', 'unreachable'],
    ['SERVICE_UNAVAILABLE', 'unreachable'],
  ])('%s is %s', (code, state) => {
    expect(unavailability(withCode(code))).toEqual({ state, cause: code });
  });

  it.each([
    ['timeout exceeded when trying to connect', 'unresponsive'],
    ['timeout expired', 'unresponsive'],
    ['Connection terminated due to connection timeout', 'unresponsive'],
    ['Query read timeout', 'unresponsive'],
    ['Connection terminated unexpectedly', 'unreachable'],
    ['Connection terminated', 'unreachable'],
    ['Client has encountered a connection error and is not queryable', 'unreachable'],
    ['Client was closed and is not queryable', 'unreachable'],
    ['Received unexpected dataRow message from backend.', 'unreachable'],
  ])('the driver reports "%s"', (message, state) => {
    expect(unavailability(new Error(message))).toEqual({ state, cause: message });
  });

  it('a missing socket, an aborted signal, and a real error of each driver', async () => {
    expect(unavailability(withCode('ENOENT', { syscall: 'connect' }))).toEqual({
      state: 'unreachable',
      cause: 'ENOENT',
    });
    expect(unavailability(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))).toEqual({
      state: 'unresponsive',
      cause: 'TimeoutError',
    });
    expect(unavailability(new errors.SocketError('other side closed', null as never))).toEqual({
      state: 'unreachable',
      cause: 'UND_ERR_SOCKET',
    });
    expect(unavailability(new errors.HTTPParserError('Expected HTTP/'))).toEqual({
      state: 'unreachable',
      cause: 'HTTPParserError',
    });
    const refused = await new pg.Client({ host: 'localhost', port: 1 }).connect().catch((error: unknown) => error);
    expect(unavailability(refused)).toEqual({ state: 'unreachable', cause: 'ECONNREFUSED' });
    const missing = await new pg.Client({ host: '/nowhere' }).connect().catch((error: unknown) => error);
    expect(unavailability(missing)).toEqual({ state: 'unreachable', cause: 'ENOENT' });
  });

  it('is found inside its wrapper', () => {
    expect(unavailability(new Error('outer', { cause: withCode('57P01') }))).toEqual({
      state: 'unreachable',
      cause: '57P01',
    });
    expect(unavailability(new GraphQLError('outer', { originalError: withCode('53300') }))).toEqual({
      state: 'overloaded',
      cause: '53300',
    });
    expect(unavailability(new AggregateError([withCode('ECONNREFUSED'), withCode('EACCES')]))).toEqual({
      state: 'unreachable',
      cause: 'ECONNREFUSED',
    });
  });
});

describe('every other error is an internal error', () => {
  it.each([
    '23505',
    '22P02',
    '42P01',
    '42501',
    '40001',
    '40P01',
    '28P01',
    '3D000',
    'XX000',
    '25001',
    '25P02',
    'ENOENT',
    'EACCES',
    'ERR_ASSERTION',
  ])('%s', (code) => {
    expect(unavailability(withCode(code))).toBeNull();
  });

  it('an error without a code, and a value that is not an error', () => {
    for (const error of [
      new TypeError('x is not a function'),
      new Error('Connection is a word'),
      null,
      undefined,
      'ECONNREFUSED',
      3,
    ]) {
      expect(unavailability(error)).toBeNull();
    }
    const circular: { cause?: unknown } = {};
    circular.cause = circular;
    expect(unavailability(circular)).toBeNull();
  });
});
