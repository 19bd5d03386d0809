/** Every response in a contract test is validated against the service's own OpenAPI document. */
import { Ajv2020 as Ajv, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

interface Operation {
  readonly pattern: RegExp;
  /** By status; compiled at first use. */
  readonly validate: ReadonlyMap<string, () => ValidateFunction>;
}

interface Response {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, unknown>>;
}

type Operations = ReadonlyMap<string, Operation>;

const byUrl = new Map<string, Promise<Operations>>();
/** Operations by the text of the document without its servers, because all services of a run have the same document. */
const byDocument = new Map<string, Operations>();

/** Throws if a documented path responds with an undocumented status or body. */
export async function checkAgainstOpenApi(
  url: string,
  method: string,
  path: string,
  status: number,
  body: unknown,
): Promise<void> {
  let loading = byUrl.get(url);
  if (!loading) byUrl.set(url, (loading = load(url)));
  const [pathname = ''] = path.split('?');
  const operation = [...(await loading)].find(
    ([key, { pattern }]) => key.startsWith(`${method} `) && pattern.test(pathname),
  )?.[1];
  if (!operation) return;
  const validate = operation.validate.get(String(status))?.();
  if (!validate)
    throw new Error(`${method} ${pathname} answered ${status}, which its OpenAPI operation does not document`);
  if (!validate(body))
    throw new Error(`${method} ${pathname} ${status} does not fit its schema: ${JSON.stringify(validate.errors)}`);
}

async function load(url: string): Promise<Operations> {
  const text = JSON.stringify(await (await fetch(`${url}/openapi.json`)).json(), (name, value: unknown) =>
    name === 'servers' ? undefined : value,
  );
  const operations = byDocument.get(text) ?? operationsOf(JSON.parse(text));
  byDocument.set(text, operations);
  return operations;
}

function operationsOf(document: any): Operations {
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
          const schema = content?.['application/json'] ? { $ref: `openapi#/${pointer}` } : {};
          let compiled: ValidateFunction | undefined;
          return [status, () => (compiled ??= ajv.compile(schema))] as const;
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
