// `ripper page check`: checks that the service serves a page as this release has it.

import { z } from 'zod'
import { version } from '../kernel/version.ts'
import { type HttpReader, OutgoingFailure, type TextAnswer } from '../kernel/world.ts'
import { isOrigin } from '../merchants/integration.ts'
import { openHttp, realClock } from '../outgoing/real-world.ts'
import { readAssets } from '../pages/assets.ts'
import { accept_language, type ServedPage } from '../pages/check/expected-page.ts'
import { check_limits, comparePage, namesOrigins, type Report } from '../pages/check/page-check.ts'
import { type PageEntry, page_names, pageInventory } from '../pages/inventory.ts'
import { CommandError, UsageError } from './terminal/command.ts'
import { command, option, withDefault } from './terminal/option.ts'
import { oneLine, printJson } from './terminal/print.ts'
import { terminal } from './terminal/terminal.ts'

export const pageCheck = command({
  name: 'page check',
  summary: 'Compares a served page, its scripts and its headers with this release',
  positionals: ['URL'],
  options: {
    page: option(
      'NAME',
      `which page it is, if its path does not show it: ${page_names.join(', ')}`,
      z.enum(page_names),
    ),
    service: option('ORIGIN', "the origin of scripts, if it is not the page's own"),
    origin: withDefault(
      option('ORIGIN', 'an origin that may frame the page: then only these and the service may', z.array(z.string())),
      [],
    ),
  },
  remarks: ['What it cannot see:', ...check_limits],
  async run({ options, positionals, json }) {
    const url = addressOf(positionals[0]!)
    const service = serviceOf(options.service) ?? url.origin
    const entries = entriesFor(url, options.page)
    const origins = originsOf(options.origin, entries)
    const { entry, report } = await check({ url: url.href, service, origins, entries })
    if (json) {
      printJson({ url: url.href, page: entry.name, release: version(), ...report })
    } else {
      terminal().stdout.write(told(url.href, entry, report))
    }
    return report.differences.length === 0 ? 0 : 1
  },
})

function addressOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new UsageError('URL must be an http or https address such as https://pay.example/pay/tea')
  }
  url.hash = ''
  return url
}

function serviceOf(service: string | undefined): string | undefined {
  if (service !== undefined && !isOrigin(service)) {
    throw new UsageError('--service must be scheme, host and port alone, such as https://pay.example')
  }
  return service
}

/** Null if the user names none. */
function originsOf(origins: string[], entries: PageEntry[]): string[] | null {
  if (origins.length === 0) return null
  const wrong = origins.find((origin) => !isOrigin(origin))
  if (wrong !== undefined) {
    throw new UsageError(`--origin must be scheme, host and port alone, such as https://shop.example, not ${wrong}`)
  }
  if (!entries.some(namesOrigins)) {
    throw new UsageError(`--origin is of no use for ${entries[0]!.title}, because no shop frames it`)
  }
  return origins
}

/** The pages that may be at an address. That of a challenge shows another page once the bank has answered. */
function entriesFor({ pathname }: URL, page: string | undefined): PageEntry[] {
  const entries = pageInventory(readAssets()).filter(({ name, path }) => (page ? name === page : path.test(pathname)))
  if (entries.length > 0) return entries
  throw new UsageError(`needs --page, because ${pathname} does not show which page it is`)
}

/** Reads the page once, and compares it with the entry that it resembles most. */
async function check({
  entries,
  ...place
}: Omit<ServedPage, 'page'> & { entries: PageEntry[] }): Promise<{ entry: PageEntry; report: Report }> {
  const http = openHttp(realClock())
  const { url } = place
  const page = await read(http, url, documentHeaders)
  if (typeof page === 'string') throw new CommandError(`${url} cannot be read: ${page}`)
  const compared = entries.map(async (entry) => ({
    entry,
    report: await comparePage(entry, {
      served: { ...place, page },
      assets: readAssets(),
      read: (address) => read(http, address, scriptHeaders),
    }),
  }))
  // An entry of which nothing could be compared is the last to be named.
  const distance = ({ report }: { report: Report }) => report.differences.length + (report.checked.length > 0 ? 0 : 1e3)
  return (await Promise.all(compared)).sort((a, b) => distance(a) - distance(b))[0]!
}

/** The answer, or the reason why there is none. */
async function read(http: HttpReader, url: string, headers: Record<string, string>): Promise<TextAnswer | string> {
  try {
    return await http.get({ url, headers, timeout_ms: 20_000, answer_bytes_max: 8 * 1024 * 1024 })
  } catch (error) {
    if (error instanceof OutgoingFailure) return error.message
    throw error
  }
}

/** An attacker may change a page only for browsers, so the check sends the headers of a browser. */
const browserHeaders = {
  'user-agent':
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/144.0.0.0 Safari/537.36',
  'accept-language': accept_language,
}
const documentHeaders = {
  ...browserHeaders,
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'none',
  'upgrade-insecure-requests': '1',
}
const scriptHeaders = { ...browserHeaders, accept: '*/*', 'sec-fetch-mode': 'cors' }

function told(url: string, { title }: PageEntry, report: Report): string {
  const { checked, not_checked, differences } = report
  const release = `Ripper Checkout ${version()}`
  const unseen = not_checked.length > 0 ? `Not compared:\n${listed(not_checked)}` : ''
  if (differences.length > 0) {
    return `${url} is not as ${release} serves it (${title}):\n${listed(differences)}${unseen}`
  }
  return `${url} is as ${release} serves it (${title}). Compared:\n${listed(checked)}${unseen}`
}

function listed(lines: string[]): string {
  return lines.map((line) => `  ${oneLine(line, 2_000)}\n`).join('')
}
