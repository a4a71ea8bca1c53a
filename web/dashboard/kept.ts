// What this browser keeps of a person's taste: in cookies, because the document is made after them. The browser sends no
// storage along, and a script that read it would come too late: the page would flash in the wrong language and colours.

const year_seconds = 365 * 24 * 3600

/** `''` forgets it. */
export function keep(name: 'ripper-language' | 'ripper-theme', value: string): void {
  const age = value === '' ? 0 : year_seconds
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  // Lax: somebody who comes from a link in a mail wants the same page. The cookie opens nothing.
  // biome-ignore lint/suspicious/noDocumentCookie: a cookie store is not there on plain http, nor in every browser
  document.cookie = `${name}=${value}; Path=/dashboard; Max-Age=${age}; SameSite=Lax${secure}`
}
