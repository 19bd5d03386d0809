/** Saves the fixed costs, commitments, credits and allowances of the imaginary product, so that their pages are filled. */
import { graphql } from '#schema/graphql.ts';
import type { OperatorGateway } from '../cli/kit/operator-gateway.ts';
import { termsOfProduct } from '../sample/terms.ts';

/** `firstDay`: UTC day on which the history begins. Terms of an earlier run are kept. Returns how many were saved. */
export async function saveTerms(gateway: OperatorGateway, organizationId: string, firstDay: string): Promise<number> {
  const terms = termsOfProduct(firstDay);
  const known = await gateway.ask(
    graphql(
      'query DemoTerms { fixedCosts { key } commitments { name } providerCredits { name } allowances(first: 1) { nodes { subject } } }',
    ),
    {},
    organizationId,
  );
  const fixedCosts = terms.fixedCosts.filter(({ key }) => known.fixedCosts.every((one) => one.key !== key));
  for (const { periods, ...terms } of fixedCosts)
    await gateway.ask(
      graphql(
        'mutation DemoFixedCost($input: FixedCostSaveInput!) { fixedCostSave(input: $input) { userErrors { message code } } }',
      ),
      { input: { ...terms, periods: [...periods] } },
      organizationId,
    );
  const commitments = terms.commitments.filter(({ name }) => known.commitments.every((one) => one.name !== name));
  for (const input of commitments)
    await gateway.ask(
      graphql(
        'mutation DemoCommitment($input: CommitmentSaveInput!) { commitmentSave(input: $input) { userErrors { message code } } }',
      ),
      { input },
      organizationId,
    );
  const credits = terms.providerCredits.filter(({ name }) => known.providerCredits.every((one) => one.name !== name));
  for (const input of credits)
    await gateway.ask(
      graphql(
        'mutation DemoCredit($input: ProviderCreditSaveInput!) { providerCreditSave(input: $input) { userErrors { message code } } }',
      ),
      { input },
      organizationId,
    );
  const allowances = known.allowances.nodes.length === 0 ? terms.allowances : [];
  for (const input of allowances)
    await gateway.ask(
      graphql(
        'mutation DemoAllowance($input: AllowanceSaveInput!) { allowanceSave(input: $input) { userErrors { message code } } }',
      ),
      { input },
      organizationId,
    );
  return fixedCosts.length + commitments.length + credits.length + allowances.length;
}
