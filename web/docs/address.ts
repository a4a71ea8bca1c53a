// Examples name the address of a service that was started as the README says. Here they name the one that shows them.

const usual = 'http://127.0.0.1:8080'

export function showOwnAddress(): void {
  if (location.origin === usual) return
  const texts = document.createTreeWalker(document.getElementById('text')!, NodeFilter.SHOW_TEXT)
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const { nodeValue } = text
    if (nodeValue?.includes(usual)) text.nodeValue = nodeValue.replaceAll(usual, location.origin)
  }
  for (const link of document.querySelectorAll<HTMLAnchorElement>(`#text a[href^="${usual}"]`)) {
    link.href = link.href.replace(usual, location.origin)
  }
}
