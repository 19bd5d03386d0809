import axe from 'axe-core';
import type { Page } from 'playwright-core';

/**
 * Checks a page with axe and returns one line per violation: roles, names, labels, landmarks, contrast. Axe needs
 * scripts, which our pages do not allow.
 */
export async function errorsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${page.url()}: ${id}: ${html}`));
}
