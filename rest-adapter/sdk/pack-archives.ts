/** Packs files into the archive formats of npm and pip. The same files always give the same bytes. */
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';

/** Path in the archive → content. */
export type Files = ReadonlyMap<string, Buffer>;

const BLOCK = 512;
/** npm's own time for every file. It must not vary: lockfiles contain the archive's hash. */
const TAR_TIME = 499_162_500;

/** A gzipped POSIX tar. Paths are limited to 100 bytes. */
export function packTarball(files: Files): Buffer {
  const blocks: Buffer[] = [];
  for (const [path, content] of files) {
    blocks.push(tarHeader(path, content.length), content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK));
  }
  blocks.push(Buffer.alloc(2 * BLOCK));
  return gzipSync(Buffer.concat(blocks), { level: 9 });
}

function tarHeader(path: string, size: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`;
  header.write(path, 0, 100);
  header.write(octal(0o644, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(size, 12), 124);
  header.write(octal(TAR_TIME, 12), 136);
  // The sum of all bytes, counting its own field as spaces.
  header.write(' '.repeat(8), 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

/** 1980-01-01 in DOS format, the earliest date. */
const ZIP_DATE = 0x21;
const DEFLATED = 8;
const REGULAR_FILE = 0o100644;

/** A zip in the classic format: at most 65,535 files and 4 GiB. */
export function packZip(files: Files): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, content] of files) {
    const name = Buffer.from(path);
    const packed = deflateRawSync(content, { level: 9 });
    const about = Buffer.alloc(26);
    about.writeUInt16LE(20, 0);
    about.writeUInt16LE(DEFLATED, 4);
    about.writeUInt16LE(ZIP_DATE, 8);
    about.writeUInt32LE(crc32(content), 10);
    about.writeUInt32LE(packed.length, 14);
    about.writeUInt32LE(content.length, 18);
    about.writeUInt16LE(name.length, 22);
    const end = Buffer.alloc(14);
    end.writeUInt32LE(REGULAR_FILE * 0x10000, 6);
    end.writeUInt32LE(offset, 10);
    // 3: created by Unix, so that the file mode applies.
    directory.push(Buffer.from('PK\x01\x02\x14\x03', 'latin1'), about, end, name);
    const local = [Buffer.from('PK\x03\x04', 'latin1'), about, name, packed];
    parts.push(...local);
    offset += local.reduce((sum, { length }) => sum + length, 0);
  }
  const listed = Buffer.concat(directory);
  const tail = Buffer.alloc(18);
  tail.writeUInt16LE(files.size, 4);
  tail.writeUInt16LE(files.size, 6);
  tail.writeUInt32LE(listed.length, 8);
  tail.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, listed, Buffer.from('PK\x05\x06', 'latin1'), tail]);
}
