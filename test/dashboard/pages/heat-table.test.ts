/** The legend of the costs by hour of the week. */
import { expect, it } from 'vitest';
import { heatTable } from '../../../dashboard/pages/costs/heat-table.ts';
import { print } from '../../../dashboard/shell/html.ts';

const legendOf = (costs: readonly string[]) => {
  const points = costs.map((cost, hour) => ({ start: new Date(Date.UTC(2026, 10, 2, hour)).toISOString(), cost }));
  return print(heatTable(points)).split('heat-legend')[1] ?? '';
};

it('a legend shows only the shades in use, with their upper limits', () => {
  const limits = (costs: readonly string[]) =>
    [...legendOf(costs).matchAll(/title="up to ([^"]+)"/g)].map(([, to]) => to);
  expect(limits(['1', '2', '3', '4', '5', '6'])).toEqual(['$1.00', '$2.00', '$3.00', '$4.00', '$5.00', '$6.00']);
  expect(limits(['5', '5', '5'])).toEqual(['$5.00']);
  expect(legendOf(['5'])).toContain('the same number of hours, up to $5.00.');
});
