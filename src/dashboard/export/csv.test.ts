import { describe, expect, test } from 'vitest'
import { type Cell, csvLine } from './csv.ts'

test.each<[Cell[], string]>([
  [['a', 'b c'], 'a,b c'],
  [['a,b', 'say "hi"', 'two\nlines'], '"a,b","say ""hi""","two\nlines"'],
  [[null, '', 0], ',,0'],
  [['=1+1', '+1', '-1', '@x', '\tx'], "'=1+1,'+1,'-1,'@x,'\tx"],
  [['＝1+1', '＋1', '－1', '＠x'], "'＝1+1,'＋1,'－1,'＠x"],
  [['\r=1'], '"\'\r\'=1"'],
  [['=HYPERLINK("http://a.example")'], '"\'=HYPERLINK(""http://a.example"")"'],
  [[-5, 42.5], '-5,42.5'],
  [[{ decimal: '-5.00' }, '-5.00'], "-5.00,'-5.00"],
  [['a=b', 'jo@example.com'], 'a=b,jo@example.com'],
  [['A-1/2', 'Order - 5', 'QQ==', 'a--b', 'x:-1'], 'A-1/2,Order - 5,QQ==,a--b,x:-1'],
  [["x;=cmd|'/C calc'!A0;"], "x;'=cmd|'/C calc'!A0;"],
  [["a;=cmd|'/Ccalc'!A0;@evil.example"], "a;'=cmd|'/Ccalc'!A0;'@evil.example"],
])('%j', (cells, line) => {
  expect(csvLine(cells)).toBe(`${line}\r\n`)
})

const signs = ['=', '+', '-', '@', '＝', '＋', '－', '＠']
const separators = [',', ';', '\t', '|', '\n', '\r', '^', '~', '!', '§', '&', '*', '\u2028']
const pads = ['', ' ', '"', "'", '""', ' "', '\u00a0', '\t']

/** The cells of a line as a spreadsheet reads them that has this separator, quotes at a cell's begin minded or not. */
function cellsOf(line: string, separator: string, minds_quotes: boolean): string[] {
  const cells: string[] = []
  let cell = ''
  let is_quoted = false
  for (let at = 0; at < line.length; at++) {
    const sign = line[at]!
    if (is_quoted && sign === '"' && line[at + 1] === '"') cell += line[at++]
    else if (is_quoted && sign === '"') is_quoted = false
    else if (minds_quotes && !is_quoted && sign === '"' && cell === '') is_quoted = true
    else if (!is_quoted && (sign === separator || sign === '\r' || sign === '\n')) {
      cells.push(cell)
      cell = ''
    } else cell += sign
  }
  return [...cells, cell]
}

describe('no cell is a formula', () => {
  const texts = signs.flatMap((sign) =>
    separators.flatMap((before) => pads.map((pad) => `x${before}${pad}${sign}1${before}y`)),
  )
  test.each(separators)('where cells end at %j', (separator) => {
    for (const text of texts) {
      const line = csvLine(['first', text, `${text}"`, 'last'])
      for (const minds_quotes of [true, false]) {
        const cells = cellsOf(line, separator, minds_quotes)
        const formulae = cells.filter((cell) => /^[\s"]*[=+\-@＝＋－＠]/u.test(cell))
        expect([text, formulae]).toEqual([text, []])
      }
    }
  })
})
