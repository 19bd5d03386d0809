/** The columns of the report tables as Markdown, for the guide about exports. */
import type { ReportTable } from '../reports/report-table.ts';
import { REPORT_TABLES } from '../reports/report-tables.ts';

const HEADING = `# Columns of the report tables

<!-- Made by \`npm run generate\` from \`reports/tables/\`. Do not edit. -->

[The guide](exports.md) shows how to export these tables. Decimals have at most 15 fraction digits and are exact in every format. Amounts are USD unless
stated otherwise.
`;

export function reportColumns(): string {
  return `${HEADING}${REPORT_TABLES.map(section).join('')}`;
}

function section({ name, version, scope, about, key, grains, editions: ofStandard, columns }: ReportTable): string {
  const lines = Object.entries(columns).map(
    ([column, { type, isNullable, unit, grain, editions, about: meaning }]) =>
      `| \`${column}\` | ${type}${unit === undefined ? '' : `, ${unit}`}${isNullable ? ', may be empty' : ''} | ${meaning}${grain === undefined ? '' : ` Only with \`grain=${grain}\`.`}${editions === undefined ? '' : ` Only in version ${editions.join(', ')}.`} |`,
  );
  const grainNote = grains.length > 1 ? ` Grains: ${grains.map((grain) => `\`${grain}\``).join(', ')}.` : '';
  return `
## \`${name}\`

${about} ${ofStandard === undefined ? `Version ${version}` : `Versions: ${ofStandard.map((edition) => `\`${edition}\``).join(', ')}`}. Scope: \`${scope}\`.${grainNote} Key: ${key.map((column) => `\`${column}\``).join(', ')}.

| Column | Type | Meaning |
|---|---|---|
${lines.join('\n')}
`;
}
