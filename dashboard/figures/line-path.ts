/** Path of an SVG line. A missing point interrupts it. */
export function linePath(points: readonly (readonly [x: string, y: string] | null)[]): string {
  return points
    .map((point, index) => (point === null ? '' : `${points[index - 1] ? 'L' : 'M'}${point.join(' ')}`))
    .join('');
}
