/** A setting that lists the origins of pages: exact origins, no wildcards. */
import { z } from 'zod';

export const exactOrigins = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine(
    (origins) => origins.every(isOrigin),
    'must be exact origins, such as https://app.example.com,http://localhost:5173, with commas between them',
  );

/** As a browser sends it: without a path, trailing slash or default port, host name in lower case. */
function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && !text.includes('*') && URL.canParse(text) && new URL(text).origin === text;
}
