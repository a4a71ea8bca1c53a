// The inventory as the document that an assessor reads: docs/SCRIPT_INVENTORY.md.

import { check_limits } from './check/check-limits.ts'
import type { PageEntry, ScriptEntry } from './inventory.ts'

export function inventoryDocument(entries: PageEntry[], release: string): string {
  return `# Scripts and headers of the payment pages

What a shopper's browser may run on each page of Ripper Checkout ${release}, why, and the headers that keep out everything
else: the inventory that PCI DSS 6.4.3 asks for. Made from the code by \`npm run docs\`; the pages are built from the same
records.

Every script is authorised by being part of the release Ripper Checkout ${release}: what is not listed here is not, and no
page loads a script or a style sheet from another host. A script's integrity is assured by its page: linked ones carry the hash below,
inline ones are named by their hash in the page's policy.

\`{service}\` is the origin of the service's address, \`{allowed origins}\` are those of the integration,
\`{origins of pictures}\` those of the pictures in the price list, and \`{bank's origin}\` is that of the page to which the
card's issuer asks the shopper to be sent. What the issuer's page runs, always in a frame of its own, is the issuer's.

## Checking what is served (PCI DSS 11.6.1)

\`\`\`sh
npx ripper page check https://pay.example/pay/tea
npx ripper page check https://pay.example/card-fields/rip_pk_… --origin https://shop.example
\`\`\`

reads a page as a browser does and compares its scripts, its markup and its headers with this inventory, and what the
card fields or the hosted page tell their script with the configuration that the service answers with. The exit status
is 0 where they are the same, and 1 with a line for each difference. Name by \`--origin\` every origin that may frame
the card fields or a 3-D Secure page, which are the integration's allowed origins and, where the merchant has a hosted
page, that page's own: then just these and the service itself may. A shared cache may keep the configuration for five
minutes after you changed it. Let a scheduler run it at least weekly, from outside your own network and from a copy of
the release that the service cannot change, for each page that you use, and raise an alarm on any status but 0. Where
a page's path does not tell which one it is, say so by \`--page\`; where the hosted page has a host of its own, name
the service's by \`--service\`. An address of the 3DS Method or of a challenge holds a token that is good for one
payment only: make that payment for the check.

What the check cannot see:

${check_limits.map((limit) => `- ${limit}`).join('\n')}

## The merchant's page

\`\`\`html
${snippet(entries)}
\`\`\`

This address changes with each release that changes checkout.js; earlier ones are served for 400 days. Change the two together,
or leave out \`integrity\` and load \`{service}/checkout.js\`, which is always the release's own. checkout.js adds
three-ds.js by its hash in both cases.

The page's own policy needs no more than

\`\`\`
script-src {service}; frame-src {service}; connect-src {service}
\`\`\`

and nothing in \`style-src\`, because the checkout's style sheet is made in the page by its script. A page with
\`require-trusted-types-for 'script'\` needs \`trusted-types ripper-checkout\` too. Other scripts on that page, and a check
like the one above, are the merchant's to keep.

${entries.map(section).join('\n')}`
}

function snippet(entries: PageEntry[]): string {
  const { path, integrity } = entries.find(({ name }) => name === 'checkout.js')!.scripts[0]!
  return `<script src="{service}${path}"
  integrity="${integrity}"
  crossorigin="anonymous"></script>`
}

function section({ name, title, address, seen, scripts, styles, headers }: PageEntry): string {
  const sheets = styles.map(
    ({ name, way, integrity }) => `Style sheet: ${name}, ${way}, \`${integrity}\`.\n\n`,
  )
  return `## ${title}

\`${address}\`: ${seen}. Called \`${name}\` by \`--page\`.

| script | how | size | why it is there |
|---|---|---|---|
${scripts.map(row).join('\n')}

${scripts.map(({ name, integrity }) => `${name}: \`${integrity}\``).join('  \n')}

${sheets.join('')}| header | value |
|---|---|
${Object.entries(headers).flatMap(headerRows).join('\n')}
`
}

function row({ name, way, path, size_bytes, purpose }: ScriptEntry): string {
  const how = path ? `${way}, \`${path}\`` : `${way}`
  return `| ${name} | ${how} | ${size_bytes} bytes | ${purpose} |`
}

/** A policy is long: a row for each of its directives. */
function headerRows([name, value]: [string, string]): string[] {
  if (name !== 'content-security-policy') return [`| ${name} | \`${value}\` |`]
  return value.split('; ').map((directive, index) => {
    return `| ${index === 0 ? name : ''} | \`${directive}\` |`
  })
}
