// Passes the card fields' style on to the checkout around them, because only the frame works out an appearance.

/** Reports the page's custom properties and scheme as style text, now and whenever they change, as when a device turns dark. */
export function followLook(root: HTMLElement, tell: (style: string) => void): void {
  const tellNow = () => tell(styleOf(getComputedStyle(root)))
  new MutationObserver(tellNow).observe(root, { attributeFilter: ['style', 'data-theme'] })
  tellNow()
}

/** As in tokens.css. */
const names = 'primary on-primary background text muted border danger good test test-background radius size space font'

function styleOf(computed: CSSStyleDeclaration): string {
  const properties = names.split(' ').map((name) => `--ripper-${name}`)
  return ['color-scheme', ...properties].map((name) => `${name}:${computed.getPropertyValue(name)}`).join(';')
}
