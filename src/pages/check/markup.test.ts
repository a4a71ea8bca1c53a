import { expect, test } from 'vitest'
import { readMarkup } from './markup.ts'

/** `name attribute=value …|text` for each tag. */
function shown(html: string): string[] {
  return readMarkup(html).tags.map(({ name, attributes, text }) => {
    const pairs = [...attributes].map(([key, value]) => ` ${key}=${value}`)
    return `${name}${pairs.join('')}${text === null ? '' : `|${text}`}`
  })
}

test.each([
  ['nothing', '', []],
  ['a doctype and text', '<!doctype html>1 < 2', []],
  ['attributes of every kind', `<a b c=d e='f"' g="h>'" i = j/>`, [`a b= c=d e=f" g=h>' i=j/`]],
  ['capitals', '<A HREF=x>', ['a href=x']],
  ['an attribute given twice', '<a b=1 b=2>', ['a b=1']],
  ['slashes between attributes', '<a/b=1/c>', ['a b=1/c']],
  ['a name that begins with =', '<a =b=c>', ['a =b=c']],
  ['an empty value', '<a b= >', ['a b=']],
  ['numeric references', '<a b="&#34;&#x6a;&#58">', ['a b="j:']],
  ['tags in a script', '<script>a<b>"</b></script><p>', ['script|a<b>"</b>', 'p']],
  ['tags in a title', '<title><b x="</title><script>1</script>">', ['title|<b x="', 'script|1']],
  ['an end with more in it', '<script>1</SCRIPT x="y"><p>', ['script|1', 'p']],
  ['what only looks like an end', '<style></styles></style >', ['style|</styles>']],
  ['a closing tag with attributes', '<p></p x="<script>"><b>', ['p', 'b']],
  ['tags for browsers without scripts', '<noscript><b></noscript>', ['noscript|<b>', 'b']],
  ['a script behind a comment', '<!--><script>1</script>-->', ['script|1']],
  ['a script within a comment', '<!-- <script>1</script> -->', ['script|1']],
])('%s', (_name, html, tags) => {
  expect(shown(html)).toEqual(tags)
})

test.each([
  ['a comment', '<p><!-- x -->'],
  ['an instruction', '<?xml?>'],
  ['a comment in disguise', '</ x>'],
  ['another doctype', '<!doctype html><!doctype html>'],
  ['another kind of doctype', '<!doctype html SYSTEM "x">'],
  ['a tag without an end', '<p class="'],
  ['a script without an end', '<script>1'],
  ['a named reference', '<a href="javascript&colon;1">'],
  ['a comment for browsers without scripts', '<noscript><!--</noscript>'],
])('%s is odd', (_name, html) => {
  expect(readMarkup(html).oddities).toHaveLength(1)
})

test.each(['<!doctype html><p title="a &#38; b">1 < 2</p>', ' <!DOCTYPE HTML><script></script>'])(
  '%s is not',
  (html) => {
    expect(readMarkup(html).oddities).toEqual([])
  },
)
