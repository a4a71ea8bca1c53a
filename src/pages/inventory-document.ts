// Writes the inventory as the document that an assessor reads: docs/SCRIPT_INVENTORY.md.

import { check_limits } from './check/page-check.ts'
import type { PageEntry, ScriptEntry } from './inventory.ts'

export function inventoryDocument(entries: PageEntry[], release: string): string {
  return `# Scripts and headers of the payment pages

This is the inventory that PCI DSS 6.4.3 asks for. It lists what a shopper's browser may run on each page of Ripper Checkout
${release}, why, and the headers that keep out everything else. \`npm run docs\` makes it from the records of which the pages are
built, too.

The release Ripper Checkout ${release} authorises exactly the scripts that are listed here. No page loads a script or a style sheet
from another host. Each page assures the integrity of its scripts: it links scripts with the hash below, and its policy names inline
scripts by their hash.

\`{service}\` is the origin of the service's address, \`{allowed origins}\` are those of the integration, and
\`{origins of pictures}\` those of the pictures in the price list. \`{bank's origin}\` is the origin of the page to which the card's
issuer sends the shopper. The issuer is responsible for that page, which is always in a frame of its own.

## Checking what is served (PCI DSS 11.6.1)

\`\`\`sh
npx ripper page check https://pay.example/pay/tea
npx ripper page check https://pay.example/card-fields/rip_pk_… --origin https://shop.example
\`\`\`

This command reads a page as a browser does. It makes the same page itself, as this release would serve it, and compares the two byte
for byte, with the scripts, the style sheets and the headers of this inventory. For the card fields and the hosted page it takes what
they tell their script from the configuration that the service gives. The exit status is 0 if everything is the same. Otherwise it is
1, and says where the page begins to differ, and which files and headers do.

- Name with \`--origin\` every origin that may frame the card fields or a 3-D Secure page. These are the integration's allowed
  origins and, if the merchant has a hosted page, that page's own. The command then accepts only these and the service itself.
- Use \`--page\` if a page's path does not show which page it is. Use \`--service\` to name the service's host if the hosted page has
  another one.
- An address of the 3DS Method or of a challenge contains a token that is valid for one payment. Make a payment for the check.
- A shared cache may keep the configuration for five minutes after you changed it.

Let a scheduler run the command at least weekly, for each page that you use, and raise an alarm on any status but 0. Run it from
outside your own network, and from a copy of the release that the service cannot change.

What the check cannot see:

${check_limits.map((limit) => `- ${limit}`).join('\n')}

## The merchant's page

\`\`\`html
${snippet(entries)}
\`\`\`

This address changes with each release that changes checkout.js; the service keeps serving earlier ones for 400 days. Change the two
together, or leave out \`integrity\` and load \`{service}/checkout.js\`, which is always the release's own. checkout.js adds
three-ds.js by its hash in both cases.

The page's own policy needs no more than

\`\`\`
script-src {service}; frame-src {service}; connect-src {service}
\`\`\`

and nothing in \`style-src\`, because the checkout's style sheet is made in the page by its script. Only Safari before iOS 16.4 asks
there for the nonce of the script tag. A page with
\`require-trusted-types-for 'script'\` needs \`trusted-types ripper-checkout\` too. The merchant is responsible for the other scripts
on that page, and for a check like the one above.

${entries.map(section).join('\n')}`
}

function snippet(entries: PageEntry[]): string {
  const { path, integrity } = entries.find(({ name }) => name === 'checkout.js')!.scripts[0]!
  return `<script src="{service}${path}"
  integrity="${integrity}"
  crossorigin="anonymous"></script>`
}

function section({ name, title, address, seen, scripts, styles, headers }: PageEntry): string {
  const sheets = styles.map(({ name, way, integrity }) => `Style sheet: ${name}, ${way}, \`${integrity}\`.\n\n`)
  return `## ${title}

\`${address}\`: ${seen}. \`--page\` calls it \`${name}\`.

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

/** A policy is long, so each of its directives has a row. */
function headerRows([name, value]: [string, string]): string[] {
  if (name !== 'content-security-policy') return [`| ${name} | \`${value}\` |`]
  return value.split('; ').map((directive, index) => {
    return `| ${index === 0 ? name : ''} | \`${directive}\` |`
  })
}
