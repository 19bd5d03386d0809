/** Every answer that a contract test gets is held against the service's own OpenAPI document. */
import { Ajv2020 as Ajv, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

interface Operation {
  readonly pattern: RegExp;
  readonly validate: ReadonlyMap<string, ValidateFunction>;
}

interface Response {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, unknown>>;
}

const documents = new Map<string, Promise<ReadonlyMap<string, Operation>>>();

/** Throws when a documented path answers with a status or a body that the document does not know. */
export async function checkAgainstOpenApi(
  url: string,
  method: string,
  path: string,
  status: number,
  body: unknown,
): Promise<void> {
  let loading = documents.get(url);
  if (!loading) documents.set(url, (loading = load(url)));
  const [pathname = ''] = path.split('?');
  const operation = [...(await loading)].find(
    ([key, { pattern }]) => key.startsWith(`${method} `) && pattern.test(pathname),
  )?.[1];
  if (!operation) return;
  const validate = operation.validate.get(String(status));
  if (!validate) throw new Error(`${method} ${pathname} answered ${status}, which its OpenAPI operation does not know`);
  if (!validate(body))
    throw new Error(`${method} ${pathname} ${status} does not fit its schema: ${JSON.stringify(validate.errors)}`);
}

async function load(url: string): Promise<ReadonlyMap<string, Operation>> {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a JSON document
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as any;
  const ajv = new Ajv({ strict: false, allErrors: false });
  formats.default(ajv, ['uuid', 'date-time', 'date']);
  ajv.addFormat('double', true);
  ajv.addFormat('int32', true);
  ajv.addSchema(document, 'openapi');
  const operations = new Map<string, Operation>();
  for (const [template, methods] of Object.entries<Record<string, { responses?: Readonly<Record<string, Response>> }>>(
    document.paths,
  )) {
    for (const [method, { responses }] of Object.entries(methods)) {
      const validate = new Map(
        Object.entries(responses ?? {}).map(([status, response]) => {
          const place = response.$ref?.slice(2).split('/') ?? ['paths', template, method, 'responses', status];
          const { content } = place.reduce((value, part) => value[part], document) as Response;
          const pointer = [...place, 'content', 'application/json', 'schema'].map(escape).join('/');
          return [status, ajv.compile(content?.['application/json'] ? { $ref: `openapi#/${pointer}` } : {})] as const;
        }),
      );
      operations.set(`${method.toUpperCase()} ${template}`, {
        pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
        validate,
      });
    }
  }
  return operations;
}

function escape(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}
