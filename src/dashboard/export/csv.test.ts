import { expect, test } from 'vitest'
import { type Cell, csvLine } from './csv.ts'

test.each<[Cell[], string]>([
  [['a', 'b c'], 'a,b c'],
  [['a,b', 'say "hi"', 'two\nlines'], '"a,b","say ""hi""","two\nlines"'],
  [[null, '', 0], ',,0'],
  [['=1+1', '+1', '-1', '@x', '\tx'], "'=1+1,'+1,'-1,'@x,'\tx"],
  [['＝1+1', '＋1', '－1', '＠x'], "'＝1+1,'＋1,'－1,'＠x"],
  [['\r=1'], '"\'\r=1"'],
  [['=HYPERLINK("http://a.example")'], '"\'=HYPERLINK(""http://a.example"")"'],
  [[-5, 42.5], '-5,42.5'],
  [['a=b', 'jo@example.com'], 'a=b,jo@example.com'],
])('%j', (cells, line) => {
  expect(csvLine(cells)).toBe(`${line}\r\n`)
})
