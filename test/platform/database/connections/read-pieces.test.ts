import { Parser } from 'pg-protocol/dist/parser.js';
import { describe, expect, it } from 'vitest';
import { pieceReader } from '../../../../platform/database/connections/read-pieces.ts';

function dataRow(...columns: readonly string[]): Buffer {
  const fields = columns.flatMap((column) => {
    const bytes = Buffer.from(column);
    const length = Buffer.alloc(4);
    length.writeInt32BE(bytes.length);
    return [length, bytes];
  });
  const count = Buffer.alloc(2);
  count.writeInt16BE(columns.length);
  return message('D', count, ...fields);
}

function message(letter: string, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const header = Buffer.alloc(5);
  header.write(letter);
  header.writeUInt32BE(content.length + 4, 1);
  return Buffer.concat([header, content]);
}

const sent = Buffer.concat([
  message('2'),
  dataRow('ä€😀', ''),
  dataRow('x'.repeat(40), 'y'),
  message('C', Buffer.from('SELECT 2\0')),
  message('Z', Buffer.from('I')),
]);

/** What is heard of pieces of so many bytes, each of them gone once it has been read. */
function heardOf(bytes: Buffer, ...lengths: readonly number[]): unknown[] {
  const heard: unknown[] = [];
  const read = pieceReader(new Parser(), (found) => heard.push(found));
  const shared = Buffer.alloc(bytes.length);
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const length = bytes.copy(shared, 0, at, at + lengths[index % lengths.length]!);
    read(shared.subarray(0, length));
    shared.fill(0);
    at += length;
  }
  return heard;
}

describe('messages in pieces of memory that is used again', () => {
  const whole: unknown[] = [];
  new Parser().parse(sent, (found) => whole.push(found));

  it('are heard as in one piece, wherever the pieces end', () => {
    expect(whole).toHaveLength(5);
    for (let length = 1; length <= sent.length; length++) {
      expect(heardOf(sent, length), `pieces of ${length}`).toEqual(whole);
      expect(heardOf(sent, length, 3, sent.length), `pieces of ${length}, 3 and the rest`).toEqual(whole);
    }
  });

  it('are heard where one is larger than any piece, again and again', () => {
    const rows = [1, 2, 3].map((index) => dataRow('z'.repeat(index * 300_000), String(index)));
    const heard = heardOf(Buffer.concat([...rows, sent]), 65_536);
    expect(heard).toMatchObject([
      { fields: [expect.stringMatching(/^z{300000}$/), '1'] },
      { fields: [expect.stringMatching(/^z{600000}$/), '2'] },
      { fields: [expect.stringMatching(/^z{900000}$/), '3'] },
      ...(whole as object[]),
    ]);
  });
});
