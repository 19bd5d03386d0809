import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** The judge needs script; the pages have none. What axe finds wrong, one line each; roles, names, labels, landmarks, contrast. */
export async function errorsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${page.url()}: ${id}: ${html}`));
}
