// Writes the inventory as the document that an assessor reads: docs/SCRIPT_INVENTORY.md.

import type { PageEntry, ScriptEntry } from './inventory.ts'

export function inventoryDocument(entries: PageEntry[], release: string): string {
  const common = commonHeaders(entries.filter(({ kind }) => kind !== 'script'))
  const scripts = eachOnce(entries.flatMap((entry) => entry.scripts))
  const styles = eachOnce(entries.flatMap((entry) => entry.styles))
  return `# Scripts and headers of the payment pages

The inventory that PCI DSS 6.4.3 asks for: what a shopper's browser may run on each page of Ripper Checkout ${release}, why, and the headers
that keep out everything else. The release authorises exactly these scripts; no page loads anything from another host. \`npm run docs\` makes it
from the records of which the pages are built, too. \`{service}\` is the service's origin, \`{allowed origins}\` are the integration's,
\`{origins of pictures}\` the price list's, \`{bank's origin}\` that of the issuer's page, for which the issuer is responsible and which is always in
a frame of its own.

## Checking what is served (PCI DSS 11.6.1)

\`\`\`sh
npx ripper page check https://pay.example/pay/tea
npx ripper page check https://pay.example/card-fields/rip_pk_… --origin https://shop.example
\`\`\`

compares a page with this inventory, and what it tells its script with the service's configuration (which a shared cache may keep for five
minutes). The status is 0 if everything is the same, else 1 with a line for each difference. Run it at least weekly for each page
that you use, from outside your network and from a copy of the release that the service cannot change.

- \`--origin\` names every origin that may frame the card fields or a 3-D Secure page: the allowed origins and, if there is one, the hosted page's.
- \`--page\` says which page it is where the path does not show it; \`--service\` names the service's host if the hosted page has another.
- An address of the 3DS Method or of a challenge is valid for one payment: make one for the check.

\`npx ripper page check --help\` says what the check cannot see.

## The merchant's page

\`\`\`html
${snippet(entries)}
\`\`\`

Address and hash change with each release that changes checkout.js; the service serves earlier ones for 400 days. Or leave out \`integrity\` and load \`{service}/checkout.js\`, which is always the release's own. checkout.js adds three-ds.js by its hash.

The page's own policy needs no more than \`script-src {service}; frame-src {service}; connect-src {service}\`, and in Safari before iOS 16.4
the nonce of the script tag in \`style-src\`. Under \`require-trusted-types-for 'script'\` allow \`trusted-types ripper-checkout\`. The merchant
is responsible for the other scripts on that page, and for a check like the one above.

## The scripts

| script | why it is there |
|---|---|
${scripts.map(({ name, purpose }) => `| ${name} | ${purpose} |`).join('\n')}

Their hashes, and those of the style sheets:

${[...scripts, ...styles].map(hashLine).join('  \n')}

## The pages

Each page but checkout.js has these headers: ${[...common].map(([name, value]) => `${name} \`${value}\``).join(', ')}.

${entries.map((entry) => section(entry, common)).join('\n')}`
}

function eachOnce(scripts: ScriptEntry[]): ScriptEntry[] {
  return [...new Map(scripts.map((each) => [each.integrity, each])).values()]
}

function snippet(entries: PageEntry[]): string {
  const { path, integrity } = entries.find(({ name }) => name === 'checkout.js')!.scripts[0]!
  return `<script src="{service}${path}"
  integrity="${integrity}"
  crossorigin="anonymous"></script>`
}

function hashLine({ name, path, size_bytes, integrity }: ScriptEntry): string {
  return `${name}${path ? `, \`${path}\`` : ''}, ${size_bytes} bytes: \`${integrity}\``
}

function commonHeaders([first, ...others]: PageEntry[]): Map<string, string> {
  const isCommon = ([name, value]: [string, string]) => others.every(({ headers }) => headers[name] === value)
  return new Map(Object.entries(first!.headers).filter(isCommon))
}

function section(entry: PageEntry, common: Map<string, string>): string {
  const { name, title, address, seen, kind, scripts, styles, headers } = entry
  const { 'content-security-policy': policy, ...others } = headers
  const own = Object.entries(others).filter(([header]) => kind === 'script' || !common.has(header))
  const loaded = [...scripts, ...styles].map((each) => `${each.name} (${each.way})`).join(', ')
  const values = own.map(([header, value]) => `${header} \`${value}\``).join(', ')
  const parts = [`### ${title}`, `\`${address}\`, \`--page ${name}\`: ${seen}. Loads ${loaded}.`]
  if (values) parts.push(`Headers: ${values}.`)
  if (policy) parts.push(['```', ...policy.split('; '), '```'].join('\n'))
  return `${parts.join('\n\n')}\n`
}
