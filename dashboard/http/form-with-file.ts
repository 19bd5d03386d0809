/** Reads a form with a file, which browsers send as `multipart/form-data`. */
import { fail } from '#schema/errors.ts';

/** The fields of the form, and the bytes of the file in the field `file`. */
export class FormWithFile extends URLSearchParams {
  readonly file: Buffer;

  constructor(fields: URLSearchParams, file: Buffer) {
    super(fields);
    this.file = file;
  }
}

/** Fails with `VALIDATION_ERROR` for a body that is not such a form. */
export async function readFormWithFile(sent: Buffer, contentType: string): Promise<FormWithFile> {
  const response = new Response(new Uint8Array(sent), { headers: { 'content-type': contentType } });
  const form = await response.formData().catch(() => fail('VALIDATION_ERROR', 'The form is not valid'));
  const fields = new URLSearchParams();
  let file = Buffer.alloc(0);
  for (const [name, value] of form.entries())
    if (typeof value === 'string') fields.append(name, value);
    else if (name === 'file') file = Buffer.from(await value.arrayBuffer());
  return new FormWithFile(fields, file);
}
