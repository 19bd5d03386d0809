/** A QR code drawn here: what it says reaches nobody else. Black on white in either colour scheme, as cameras want it. */
import { encode } from 'uqr';
import { html, type Html } from '../shell/html.ts';

/** The quiet zone that ISO/IEC 18004 asks for, in modules. */
const BORDER = 4;

export function qrCode(text: string, label: string): Html {
  const { data, size } = encode(text, { ecc: 'M', border: BORDER });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path d="${path}" fill="#000"/></svg>`;
}
