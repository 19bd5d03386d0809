/** GraphiQL for browsers: a small page, with script and style as separate files that browsers cache. */
import { createHash } from 'node:crypto';
import { graphql } from '#schema/graphql.ts';
import { renderGraphiQL } from '@graphql-yoga/render-graphiql';

export interface GraphiqlPage {
  readonly html: string;
  readonly script: string;
  readonly style: string;
  /** Paths that change with the content. */
  readonly scriptPath: string;
  readonly stylePath: string;
}

/** Example operations, which GraphiQL offers by name. The check validates each against the schema. */
const EXAMPLES = [
  graphql(`query ScopesAndPresets {
  permissionsManifest {
    scopes { name grants }
    presets { name scopes }
  }
}`),
  graphql(`query CostsOfThirtyDays {
  window(last: { days: 30 }) {
    start
    end
    costs(groupBy: [AGENT, MODEL], first: 20) {
      nodes { values { key value } totalCost eventCount percentOfTotal }
      pageInfo { hasNextPage endCursor }
      totalCost
    }
    costTrend(granularity: DAY, by: MODEL) { series { isRest value { value } points { start cost } } }
    warnings { message }
  }
}`),
  graphql(`query WhoLosesMoney {
  window(named: CURRENT_PERIOD) {
    margin {
      endUsers(first: 10) { nodes { endUserName marginAmount marginPercent endUser { externalId } } }
      total { totalRevenue totalCost marginAmount }
      warnings { message }
    }
  }
}`),
  graphql(`query SinceWhenAndWhy($externalId: String!, $filter: CostFilter) {
  endUser(externalId: $externalId) {
    overTime(granularity: MONTH, last: { months: 12 }) { margins { start revenue cost marginAmount } }
  }
  window(last: { months: 1 }) {
    byAgent: costs(filter: $filter, groupBy: [AGENT]) { nodes { values { value } totalCost } }
    byModel: costs(filter: $filter, groupBy: [MODEL]) { nodes { values { value } totalCost } }
  }
}`),
];

const HOW_TO = `# If you are signed in to the dashboard, you are signed in here, too. Otherwise, put an API key into the headers below:
# { "Authorization": "Bearer …" }. The play button asks which of these operations to run.
`;

/**
 * Typed headers may be credentials, so they are not persisted. A session cookie is accepted only along with the
 * additional header.
 */
const OPTIONS = {
  title: 'GraphiQL',
  favicon: '/assets/icon.svg',
  defaultQuery: [HOW_TO, ...EXAMPLES].join('\n\n'),
  shouldPersistHeaders: false,
  additionalHeaders: { 'X-Requested-With': 'GraphiQL' },
};

/** Splits the rendered page into markup, one style and one script of nine megabytes. */
export function graphiqlPage(): GraphiqlPage {
  const rendered = renderGraphiQL(OPTIONS);
  const [beforeStyle, style, afterStyle] = cut(rendered, '<style>', '</style>');
  const [beforeScript, script, afterScript] = cut(afterStyle, '<script>', '</script>');
  const stylePath = `/graphql/assets/${fingerprint(style)}.css`;
  const scriptPath = `/graphql/assets/${fingerprint(script)}.js`;
  const html = `${beforeStyle}<link rel="stylesheet" href="${stylePath}">${beforeScript}<script src="${scriptPath}"></script>${afterScript}`;
  return { html: html.trim(), script, style, scriptPath, stylePath };
}

function cut(text: string, opening: string, closing: string): [before: string, inside: string, after: string] {
  const start = text.indexOf(opening);
  const end = text.indexOf(closing, start);
  if (start < 0 || end < 0) throw new Error(`GraphiQL's page has no ${opening}`);
  return [text.slice(0, start), text.slice(start + opening.length, end), text.slice(end + closing.length)];
}

function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
