/** Saves the fixed costs, commitments, credits and allowances of the sample product. */
import type { OrganizationId } from '#kernel/ids.ts';
import { now } from '#platform/clock.ts';
import { announceAfterCommit } from '#platform/database/announce.ts';
import { lockOrganization } from '#platform/database/locks.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { historyBegan, historyDay } from '../../../sample/history.ts';
import { termsOfProduct } from '../../../sample/terms.ts';
import { createAllowance } from '../allowances/create-allowance.step.ts';
import { parseAllowance } from '../allowances/parse-allowance.ts';
import { changeCommitment } from '../commitments/change-commitment.step.ts';
import { saveCommitmentRow } from '../commitments/commitment.table.ts';
import { parseCommitment } from '../commitments/parse-commitment.ts';
import { COMMITMENT_CHANNEL, CREDIT_CHANNEL } from '../config.ts';
import { parseFixedCost } from '../fixed-costs/parse-fixed-cost.ts';
import { writeFixedCost } from '../fixed-costs/write-fixed-cost.step.ts';
import { changeProviderCredit } from '../provider-credits/change-provider-credit.step.ts';
import { parseProviderCredit } from '../provider-credits/parse-provider-credit.ts';
import { saveCreditRow } from '../provider-credits/provider-credit.table.ts';

/** Call it once per sample organization. `endsAt`: the end of its history. */
export async function saveSampleTerms(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  endsAt: Date,
): Promise<void> {
  const at = now();
  const today = at.toISOString().slice(0, 10);
  const terms = termsOfProduct(historyDay(historyBegan(endsAt), 0).date);
  for (const allowance of terms.allowances) await createAllowance(tx, organizationId, parseAllowance(allowance), at);
  for (const input of terms.fixedCosts) {
    const fixedCost = parseFixedCost({ ...input, periods: [...input.periods] }, today);
    await writeFixedCost(tx, organizationId, fixedCost.key, at, () => fixedCost);
  }
  await lockOrganization(tx, 'commitments', organizationId);
  for (const input of terms.commitments) {
    const draft = parseCommitment(input, today);
    const { changed } = await changeCommitment(tx, organizationId, null, draft, at);
    await saveCommitmentRow(tx, organizationId, changed);
  }
  await lockOrganization(tx, 'providerCredits', organizationId);
  for (const input of terms.providerCredits) {
    const draft = parseProviderCredit(input, today);
    const { changed } = await changeProviderCredit(tx, organizationId, null, draft, at);
    await saveCreditRow(tx, organizationId, changed);
  }
  announceAfterCommit(tx, COMMITMENT_CHANNEL);
  announceAfterCommit(tx, CREDIT_CHANNEL);
}
