import { describe, expect, it } from 'vitest';
import { csvOfEcbXml } from '../../../../subgraphs/revenue/currencies/read-ecb-xml.ts';

const XML = `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
  <gesmes:subject>Reference rates</gesmes:subject>
  <Cube>
    <Cube time="2025-04-25"><Cube currency="USD" rate="1.1357"/><Cube currency='JPY' rate='162.97' /></Cube>
    <Cube time='2025-04-24'><Cube currency='USD' rate='1.1376'/></Cube>
  </Cube>
</gesmes:Envelope>
`;

describe('XML of the European Central Bank', () => {
  it('is read as the lines of the CSV file', () => {
    expect(csvOfEcbXml(XML)).toBe('Date,USD,JPY\n2025-04-25,1.1357,162.97\n2025-04-24,1.1376,N/A');
  });

  it('is refused wherever it was cut off', () => {
    for (let length = 0; length < XML.trimEnd().length; length += 1)
      expect(() => csvOfEcbXml(XML.slice(0, length)), XML.slice(0, length)).toThrow(/contains no rates|is incomplete/);
  });

  it.each([
    ["rate='1.1376'", "rate='1,1376'", 'file: "1,1376" is not a rate of USD on 2025-04-24'],
    ["rate='1.1376'", "rate='N/A'", 'file: "N/A" is not a rate of USD on 2025-04-24'],
    ["rate='1.1376'", "rate=''", 'file: "" is not a rate of USD on 2025-04-24'],
    ["rate='1.1376'", "rate='-1'", 'file: "-1" is not a rate of USD on 2025-04-24'],
    ["rate='1.1376'", "rate='0.0'", 'file: "0.0" is not a rate of USD on 2025-04-24'],
    [
      "rate='1.1376'",
      "rate='1.1376' multiplier='100'",
      "file: <Cube currency='USD' rate='1.1376' multiplier='100'/> is not expected here",
    ],
    ["rate='1.1376'", 'rate=1.1376', "file: <Cube currency='USD' rate=1.1376/>"],
    ["currency='USD'", "currency='US,D'", "file: <Cube currency='US,D' rate='1.1376'/>"],
    ["time='2025-04-24'", "time='24,4'", "file: <Cube time='24,4'>"],
    ["time='2025-04-24'", "day='2025-04-24'", "file: <Cube day='2025-04-24'>"],
    ["<Cube time='2025-04-24'>", '<Cube>', "file: <Cube currency='USD' rate='1.1376'/>"],
    ["currency='JPY'", "currency='USD'", 'file states the rate of USD on 2025-04-25 twice'],
    ['</Cube>\n  </Cube>', '</Cube>', 'file is incomplete'],
    ['</Cube>\n  </Cube>', '</Cube></Cube></Cube>', 'file: </Cube> is not expected here'],
    [XML, '<html><body>Please sign in</body></html>', 'file contains no rates'],
  ])('is refused with %s replaced by %s', (part, other, message) => {
    const changed = XML.replace(part, other);
    expect(changed).not.toBe(XML);
    expect(() => csvOfEcbXml(changed)).toThrow(message);
  });
});
