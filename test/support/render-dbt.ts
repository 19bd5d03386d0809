/** Renders the dbt project in `integrations/dbt`: models and tests use only `source` and `ref`. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { projectPath } from './project-files.ts';

export interface DbtModel {
  readonly name: string;
  /** Database of the model's source; null for a model that reads other models. */
  readonly database: string | null;
  readonly sql: string;
}

/** `source('attribution', 'cost_day')` becomes `report.cost_day`, `ref('model')` the name of the model. */
export function renderDbt(folder: string): DbtModel[] {
  const path = projectPath(`integrations/dbt/${folder}`);
  return readdirSync(path)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => {
      const text = readFileSync(`${path}/${file}`, 'utf8');
      const sql = text
        .replaceAll(/\{\{ source\('\w+', '(\w+)'\) \}\}/g, 'report.$1')
        .replaceAll(/\{\{ ref\('(\w+)'\) \}\}/g, '$1');
      if (sql.includes('{')) throw new Error(`${file} uses more than source and ref`);
      return { name: basename(file, '.sql'), database: /source\('(\w+)'/.exec(text)?.[1] ?? null, sql };
    });
}
