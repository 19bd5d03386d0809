/**
 * An object that is built from another one takes each field from the field of the same name. A field that takes its
 * value from the name of another field of the same object is probably a mistake: input for output, or name for id.
 */
import ts from 'typescript';
import { expect, it } from 'vitest';
import { projectFiles, projectText } from '../support/project-files.ts';

const FOLDERS = ['cli', 'dashboard', 'gateway', 'kernel', 'packages', 'platform', 'reports', 'rest-adapter'];

/** Pairs whose two names mean one thing, or where one names the other's owner. */
const SAME = new Set([
  'accountUserId: id',
  'afterOrganization: organizationId',
  'channelId: id',
  'clientId: id',
  'connectionId: id',
  'createdBy: accountUserId',
  'credentialId: id',
  'customerId: id',
  'issuedBy: accountUserId',
  'previousCost: cost',
  'previousEventCount: eventCount',
  'rateCardId: id',
  'reversesId: id',
  'ruleId: id',
  'sealedPreviousSecret: sealedSecret',
  'subjectId: accountUserId',
  'subjectId: organizationId',
  'subscriptionId: id',
  'termsRevision: revision',
  'threshold: value',
  'throughOrganization: organizationId',
]);

/** Fields that take the value of another field by intent. */
const INTENDED: readonly string[] = [
  'cli/books/cost-summary.ts: title: name',
  'dashboard/figures/book-checks.ts: label: what',
  'dashboard/figures/offered-periods.ts: end: start',
  'dashboard/pages/costs/costs-figures.ts: cached: tokens',
  'dashboard/pages/costs/fixed-cost-fields.ts: editing: key',
  'dashboard/pages/rates/price.ts: aliasProvider: provider',
  'dashboard/pages/rates/price.ts: name: model',
  'kernel/time/instant.ts: iso: epochMs',
  'kernel/time/instant.ts: iso: epochMs',
  'kernel/time/usual-comparison.ts: end: start',
  'platform/operations/operations-job.ts: key: name',
  'platform/transports/http-subgraph.ts: executeOwn: execute',
  'reports/read-margin-days.ts: margin: revenue',
  'rest-adapter/answer-error.ts: referenceCode: correlationId',
  'subgraphs/alerting/evaluation/evaluate-customers.step.ts: name: externalId',
  'subgraphs/alerting/evaluation/evaluate-threshold.step.ts: groupKey: value',
  'subgraphs/alerting/evaluation/evaluate-threshold.step.ts: groupName: value',
  'subgraphs/alerting/insights/list-insights.operation.ts: previousEnd: end',
  'subgraphs/alerting/insights/list-insights.operation.ts: previousStart: start',
  'subgraphs/attribution/feed/plan-step.ts: head: number',
  'subgraphs/attribution/feed/plan-step.ts: head: number',
  'subgraphs/attribution/outcome-costs/outcome-figures.ts: failedCost: failed',
  'subgraphs/attribution/sessions/span-tree.ts: totalCost: ownCost',
  'subgraphs/costing/fixed-costs/allocated-costs.query.ts: count: lines',
  'subgraphs/costing/rates/corrections/correct-drafts.ts: displayName: modelSlug',
  'subgraphs/costing/rates/matching/provider-identity.ts: id: slug',
  'subgraphs/costing/telemetry/served-model.step.ts: deployment: model',
  'subgraphs/identity/oauth/devices/start-device-login.operation.ts: nextPollAt: createdAt',
  'subgraphs/reconciliation/comparison/compare-bill.ts: remaining: billed',
  'subgraphs/reconciliation/comparison/group-lines.ts: ownBasis: ownAmount',
  'subgraphs/revenue/margin/compare-after-fixed-costs.operation.ts: name: externalId',
  'subgraphs/revenue/records/write-charges.step.ts: issued: created',
];

/** Functions that print a value, or give it the type of an amount. */
const PRINTS = new Set(['amount', 'plain', 'decimal', 'money', 'quantity', 'printMoney', 'isoOf', 'String', 'Number']);

function* copiesOf(path: string): Generator<string> {
  const source = ts.createSourceFile(path, projectText(path), ts.ScriptTarget.Latest);
  const nodes: ts.Node[] = [source];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (ts.isObjectLiteralExpression(node)) {
      const keys = new Set(node.properties.map(({ name }) => (name && ts.isIdentifier(name) ? name.text : '')));
      for (const property of node.properties) {
        if (!ts.isPropertyAssignment(property) || !ts.isIdentifier(property.name)) continue;
        const key = property.name.text;
        const copied = copiedName(property.initializer);
        if (copied !== null && copied !== key && keys.has(copied) && !SAME.has(`${key}: ${copied}`)) {
          yield `${path}: ${key}: ${copied}`;
        }
      }
    }
    ts.forEachChild(node, (child) => void nodes.push(child));
  }
}

/** The last name of a value that is copied or only printed: `row.name`, `name`, `row.createdAt.toISOString()`. */
function copiedName(value: ts.Expression): string | null {
  if (ts.isIdentifier(value)) return value.text;
  if (ts.isPropertyAccessExpression(value) && ts.isIdentifier(value.name)) return value.name.text;
  if (ts.isNonNullExpression(value) || ts.isParenthesizedExpression(value)) return copiedName(value.expression);
  if (ts.isAsExpression(value)) return copiedName(value.expression);
  if (ts.isBinaryExpression(value) && value.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken) {
    return copiedName(value.left);
  }
  if (ts.isCallExpression(value) && ts.isPropertyAccessExpression(value.expression)) {
    const { expression, name } = value.expression;
    if (['toISOString', 'toString'].includes(name.text)) return copiedName(expression);
  }
  if (ts.isCallExpression(value) && ts.isIdentifier(value.expression) && PRINTS.has(value.expression.text)) {
    const [printed] = value.arguments;
    return printed === undefined ? null : copiedName(printed);
  }
  return null;
}

it('no field is filled from the name of another field', () => {
  const paths = [...FOLDERS, 'subgraphs']
    .flatMap((folder) => projectFiles(`${folder}/`))
    .filter((path) => path.endsWith('.ts') && !/\/(?:migrations|generated|stripe-stand-in)\/|\.d\.ts$/.test(path));
  expect(paths.length).toBeGreaterThan(1_500);
  const found = paths.flatMap((path) => [...copiesOf(path)]);
  expect(found.toSorted()).toEqual([...INTENDED].toSorted());
});
