// What becomes of markdown: nothing that a browser would run, and links that lead on.

import { expect, test } from 'vitest'
import { renderMarkdown } from './markdown.ts'

test.each([
  ['<script>alert(1)</script>', '<script'],
  ['text <img src=x onerror=alert(1)> text', '<img'],
  ['<a href="javascript:alert(1)">x</a>', '<a '],
  ['[x](javascript:alert(1))', 'javascript:'],
  ['[x](JavaScript:alert(1))', 'href'],
  ['[x](data:text/html,1)', 'href'],
  ['[x](//elsewhere.example)', 'href'],
  ['![x](https://elsewhere.example/x.png)', '<img'],
  ['![x"onerror="alert(1)](x.png)', '"onerror'],
  ['`</code><script>`', '<script'],
  ['```html\n</code></pre><script>\n```', '<script'],
  ['# <b>Title</b>', '<b>'],
  ['| a |\n|---|\n| <i>x</i> |', '<i>'],
  ['<!-- first --> <script> -->', '<script'],
  ['<javascript:alert(1)>', 'href'],
])('%s gives no %s', (text, forbidden) => {
  expect(renderMarkdown(text).html).not.toContain(forbidden)
})

test.each([
  ['[x](webhooks.md#retries)', '<p><a href="webhooks#retries">x</a></p>\n'],
  ['[x](../sdk/README.md)', '<p><a href="../sdk/README">x</a></p>\n'],
  ['[x](openapi.json)', '<p><a href="openapi.json">x</a></p>\n'],
  ['<https://example.com/a>', '<p><a href="https://example.com/a">https://example.com/a</a></p>\n'],
  ['![The page](docs/page.png)', '<p><img src="docs/page.png" alt="The page"></p>\n'],
  [
    '![The page](docs/page.png#gh-dark-mode-only)',
    '<p><img src="docs/page.png" alt="The page" class="only-dark" loading="lazy"></p>\n',
  ],
  ['![The page](docs/page.png#top)', '<p>The page</p>\n'],
  ['- [ ] a', '<ul>\n<li class="task">☐ a</li>\n</ul>\n'],
  ['- a', '<ul>\n<li>a</li>\n</ul>\n'],
  ['`x-y --json -h`', '<p><code>x-y <span class="option">--json</span> <span class="option">-h</span></code></p>\n'],
  ['a<br>b', '<p>a<br>b</p>\n'],
  ['<!-- block-name -->\n', ''],
  ['```diff\n-a\n+b\n```', '<pre tabindex="0"><code><del>-a</del>\n<ins>+b</ins></code></pre>\n'],
])('%s', (text, html) => {
  expect(renderMarkdown(text).html).toBe(html)
})

test('headings get the anchors that GitHub gives them', () => {
  const { headings } = renderMarkdown('# Running it\n## `TLS`, and *more*\n## Same\n## Same\n')
  expect(headings).toEqual([
    { depth: 1, title: 'Running it', anchor: 'running-it' },
    { depth: 2, title: 'TLS, and more', anchor: 'tls-and-more' },
    { depth: 2, title: 'Same', anchor: 'same' },
    { depth: 2, title: 'Same', anchor: 'same-1' },
  ])
})
