/**
 * Reads the text of a request body. JSON and forms must be UTF-8. Invalid bytes are never replaced, since that could
 * make two different texts equal.
 */
import { isUtf8 } from 'node:buffer';
import { fail } from '#kernel/errors.ts';

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The bytes of the text, without a byte order mark. Fails with `VALIDATION_ERROR` if they are not UTF-8. */
export function textBytes(body: Buffer): Buffer {
  if (!isUtf8(body)) fail('VALIDATION_ERROR', 'The request body is not valid UTF-8');
  return body.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    ? body.subarray(BYTE_ORDER_MARK.length)
    : body;
}

const PARAMETERS_MAX = 1_000;

/** The parameters of a form, decoded. Fails with `VALIDATION_ERROR`. */
export function readFormParameters(body: Buffer): URLSearchParams {
  const text = textBytes(body).toString();
  let parameters = 1;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) parameters++;
  if (parameters > PARAMETERS_MAX) fail('VALIDATION_ERROR', `A form must not have more than ${PARAMETERS_MAX} fields`);
  return new URLSearchParams(text);
}
