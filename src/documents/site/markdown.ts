// Renders Markdown as safe HTML: it shows HTML in the text as text, and allows only certain links.

import { Marked, type Tokens } from 'marked'
import { escapeHtml } from '../../kernel/html.ts'

export type Heading = { depth: number; title: string; anchor: string }
/** A name that a row of a table explains, such as a setting. */
export type Term = { name: string; anchor: string; meaning: string }
export type RenderedMarkdown = { html: string; headings: Heading[]; terms: Term[] }

/** Links between guides lead to the rendered ones: `webhooks.md#retries` to `webhooks#retries`. */
export function renderMarkdown(text: string): RenderedMarkdown {
  const headings: Heading[] = []
  const terms: Term[] = []
  const marked = new Marked({ gfm: true })
  marked.use({
    renderer: {
      heading({ depth, tokens, text: source }: Tokens.Heading) {
        const title = plain(source)
        const anchor = anchorOf(title, headings)
        headings.push({ depth, title, anchor })
        const inner = this.parser.parseInline(tokens)
        return `<h${depth} id="${anchor}">${inner} <a class="anchor" href="#${anchor}" aria-label="Link to this heading">#</a></h${depth}>\n`
      },
      html: ({ text: source }) => (isComment(source) ? '' : lineBreakOr(source)),
      code: ({ text: source, lang }) =>
        `<pre${lang === 'sh' ? ' class="command"' : ''} tabindex="0"><code>${lang === 'diff' ? changed(source) : escapeHtml(source)}</code></pre>\n`,
      codespan: ({ text: source }) => `<code>${withOptions(escapeHtml(source))}</code>`,
      link({ href, tokens }: Tokens.Link) {
        const inner = this.parser.parseInline(tokens)
        const target = targetOf(href)
        return target === null ? inner : `<a href="${escapeHtml(target)}">${inner}</a>`
      },
      // Nobody can tick a check-list on a page, so it has no boxes.
      listitem({ task, tokens }: Tokens.ListItem) {
        return task && `<li class="task">${this.parser.parse(tokens)}</li>\n`
      },
      checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
      image({ href, text: words }: Tokens.Image) {
        const [, path, scheme] = /^([\w./-]+)(?:#gh-(light|dark)-mode-only)?$/.exec(href) ?? []
        if (!path) return escapeHtml(words)
        // GitHub shows one of two pictures by the colours that the reader chose, and so does our style sheet.
        const only = scheme ? ` class="only-${scheme}" loading="lazy"` : ''
        return `<img src="${escapeHtml(path)}" alt="${escapeHtml(words)}"${only}>`
      },
      table(token: Tokens.Table) {
        const cells = (row: Tokens.TableCell[], tag: string) =>
          row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')
        // A table with an empty head is only a layout.
        const has_head = token.header.some(({ text: words }) => words !== '')
        const head = has_head ? `<thead><tr>${cells(token.header, 'th')}</tr></thead>` : ''
        const rows = token.rows
          .map((row) => {
            const term = termOf(row, terms)
            if (term) terms.push(term)
            return `<tr${term ? ` id="${term.anchor}"` : ''}>${cells(row, 'td')}</tr>`
          })
          .join('')
        return `<div class="table" tabindex="0"><table>${head}<tbody>${rows}</tbody></table></div>\n`
      },
    },
  })
  return { html: marked.parse(text, { async: false }), headings, terms }
}

/** A line of Markdown without links. */
export function renderInline(text: string): string {
  return new Marked({ gfm: true }).parseInline(escapeHtml(text), { async: false })
}

/** The names of code blocks, by which the tests find them. */
function isComment(source: string): boolean {
  return /^\s*<!--[^>]*-->\s*$/.test(source)
}

/** The only tag that tables need. */
function lineBreakOr(source: string): string {
  return /^<br>$/.test(source) ? '<br>' : escapeHtml(source)
}

/** The address of a link; null if it is not allowed. */
function targetOf(href: string): string | null {
  if (/^https?:\/\//.test(href) || href.startsWith('#')) return href
  if (/^[a-z][a-z0-9+.-]*:/i.test(href) || href.startsWith('//')) return null
  return href.replace(/\.md(?=#|$)/, '')
}

/** An anchor as GitHub makes it. A repeated title gets a number. */
function anchorOf(title: string, earlier: Heading[]): string {
  const anchor = title
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')
  const same = earlier.filter((each) => each.title.toLowerCase() === title.toLowerCase()).length
  return same === 0 ? anchor : `${anchor}-${same}`
}

/** Of a row that begins with the name of a setting. */
function termOf([first, second]: Tokens.TableCell[], earlier: Term[]): Term | null {
  const [, name] = /^`([A-Z]+(?:_[A-Z]+)+)`$/.exec(first?.text ?? '') ?? []
  if (name === undefined || earlier.some((each) => each.name === name)) return null
  return { name, anchor: name.toLowerCase(), meaning: plain(second?.text ?? '') }
}

function plain(source: string): string {
  return source.replaceAll(/[`*]/g, '').replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
}

/** Otherwise a line could break between the two hyphens of `--json`. */
function withOptions(html: string): string {
  return html.replaceAll(/(^|\s)(--?[a-z][\w-]*)/gi, '$1<span class="option">$2</span>')
}

/** A diff, line by line. */
function changed(source: string): string {
  return source
    .split('\n')
    .map((line) => {
      const tag = line.startsWith('+') ? 'ins' : line.startsWith('-') ? 'del' : null
      return tag ? `<${tag}>${escapeHtml(line)}</${tag}>` : escapeHtml(line)
    })
    .join('\n')
}
