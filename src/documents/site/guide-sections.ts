// What the search knows of a guide: of each section the words in it, once.

/** The words under each heading, in the order of the headings. Names such as `RIPPER_PORT` are one word. */
export function sectionWords(markdown: string): string[] {
  const sections: string[][] = []
  let is_code = false
  for (const line of markdown.split('\n')) {
    if (line.trimStart().startsWith('```')) is_code = !is_code
    if (!is_code && /^#{1,6} /.test(line)) sections.push([])
    sections.at(-1)?.push(line)
  }
  return sections.map((lines) => wordsOf(lines.join(' ')).join(' '))
}

function wordsOf(text: string): string[] {
  const shown = text.replaceAll(/\]\([^)]*\)/g, ' ').toLowerCase()
  return [...new Set(shown.match(/[\p{L}\p{N}_]{2,}/gu) ?? [])]
}
