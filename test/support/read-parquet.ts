/** Reads a Parquet file with another library's reader. Decimals are exact, as text. */
import { parquetMetadata, parquetReadObjects } from 'hyparquet';

const SCALE = 15;

export async function readParquet(file: ArrayBuffer): Promise<readonly Record<string, unknown>[]> {
  const metadata = parquetMetadata(file);
  const decimals = metadata.schema.filter(({ converted_type: type }) => type === 'DECIMAL');
  for (const element of decimals) {
    if (element.scale !== SCALE) throw new Error(`${element.name} has the scale ${element.scale}`);
    // The reader would convert them to doubles.
    delete element.converted_type;
  }
  const rows = await parquetReadObjects({ file, metadata, utf8: false });
  return rows.map((row) => ({
    ...row,
    ...Object.fromEntries(decimals.map(({ name }) => [name, decimalText(row[name] as Uint8Array | null)])),
  }));
}

/** Two's complement, big-endian. */
function decimalText(bytes: Uint8Array | null): string | null {
  if (bytes === null || bytes === undefined) return null;
  const unscaled = BigInt.asIntN(bytes.length * 8, BigInt(`0x${Buffer.from(bytes).toString('hex')}`));
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(SCALE + 1, '0');
  const fraction = digits.slice(-SCALE).replace(/0+$/, '');
  return `${unscaled < 0n ? '-' : ''}${digits.slice(0, -SCALE)}${fraction === '' ? '' : `.${fraction}`}`;
}
