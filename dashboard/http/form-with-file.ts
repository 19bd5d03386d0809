/** Reads a form with a file, which browsers send as `multipart/form-data`. */
import { fail } from '#kernel/errors.ts';

/** The fields of the form, and the bytes of the file in the field `file`. */
export class FormWithFile extends URLSearchParams {
  readonly file: Buffer;

  constructor(fields: URLSearchParams, file: Buffer) {
    super(fields);
    this.file = file;
  }
}

/** Content type of such a form, with the boundary between its parts. */
const FORM = /^multipart\/form-data; *boundary=("?)([\w'()+,./:=?-]{1,70})\1$/i;

/** A limit, because the parser reads all parts at once. */
const PARTS_MAX = 20;

/** Fails with `VALIDATION_ERROR` for a body that is not such a form, or has too many parts. */
export async function readFormWithFile(sent: Buffer, contentType: string): Promise<FormWithFile> {
  const boundary = FORM.exec(contentType)?.[2];
  if (boundary === undefined || hasMore(sent, `--${boundary}`, PARTS_MAX))
    fail('VALIDATION_ERROR', 'The form is not valid');
  const response = new Response(new Uint8Array(sent), { headers: { 'content-type': contentType } });
  const form = await response.formData().catch(() => fail('VALIDATION_ERROR', 'The form is not valid'));
  const fields = new URLSearchParams();
  let file = Buffer.alloc(0);
  for (const [name, value] of form.entries())
    if (typeof value === 'string') fields.append(name, value);
    else if (name === 'file') file = Buffer.from(await value.arrayBuffer());
  return new FormWithFile(fields, file);
}

/** True if `bytes` contains `text` more than `times` times. */
function hasMore(bytes: Buffer, text: string, times: number): boolean {
  let found = 0;
  for (let at = bytes.indexOf(text); at >= 0 && found <= times; at = bytes.indexOf(text, at + text.length)) found++;
  return found > times;
}
