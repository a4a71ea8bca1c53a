// What this release would serve in place of a page that somebody got: by the renderers of the service, with the same inputs.

import type { PageAnswer } from '../../http/pages.ts'
import { languageFor } from '../../kernel/words.ts'
import type { TextAnswer } from '../../kernel/world.ts'
import { isOrigin } from '../../merchants/integration.ts'
import { answeredNotice, backTo, challengeDocument, methodFrame } from '../../payments/authentication/framed-page.ts'
import { type Configuration, configView } from '../../payments/reading/read-config.ts'
import { type Assets, assetHeaders } from '../assets.ts'
import { cardFieldsDocument } from '../card-fields.ts'
import { type ShopContext, shopDocument } from '../demo-shop.ts'
import type { PageName } from '../inventory.ts'
import { hostedDocument } from '../pay.ts'

/** Whoever fetches a page to have it checked sends this header, which chooses the page's language. */
export const accept_language = 'en-GB,en;q=0.9'

export type ServedPage = {
  url: string
  /** The origin of scripts. */
  service: string
  /** The origins that may frame the page, besides the service's own; null if the caller named none. */
  origins: string[] | null
  page: TextAnswer
}

/** The answer at an address, or the reason why there is none. */
export type Read = (address: string) => Promise<TextAnswer | string>

/** A page that cannot be made, for a reason in words. */
export class NotMade extends Error {}

/**
 * Some values stand only in the page, such as the bank's address. They are taken from there and put into a page of ours, so it does
 * not matter where they were found: whatever else the page has is a difference. Throws NotMade.
 */
export async function expectedPage(
  name: PageName,
  { served, assets, read }: { served: ServedPage; assets: Assets; read: Read },
): Promise<PageAnswer> {
  const { service, page } = served
  const url = new URL(served.url)
  const subject = url.pathname.split('/').at(-1)!
  const origins = trustedOrigins(name, served)
  switch (name) {
    case 'checkout.js':
      return { status: 200, body: assets[name].text, headers: assetHeaders(assets[name]) }
    case 'card-fields': {
      const { appearance, receipts_sent } = await configuration(name, served, read)
      return cardFieldsDocument(assets, {
        origins,
        public_key: subject,
        language: languageFor(url.searchParams.get('locale'), accept_language),
        base_url: service,
        appearance,
        receipts_sent,
        is_isolated: url.searchParams.has('isolated'),
      })
    }
    case 'hosted-page': {
      const language = languageFor(url.searchParams.get('locale'), accept_language)
      const config = await configuration(name, served, read)
      return hostedDocument(assets, { handle: subject, base_url: service, config, language })
    }
    case 'demo-shop': {
      const { public_key, goods, hosted_url } = contextIn(page.body) as ShopContext
      return shopDocument(assets, { base_url: service, public_key, goods, hosted_url })
    }
  }
  const language = languageFor(null, accept_language)
  const back = name === 'method-page' ? null : backTo(url.searchParams.get('return_url') ?? '', origins)
  const frame = { origins, service, back }
  if (name === 'result-page') return answeredNotice({ frame, language })
  const field = name === 'method-page' ? 'threeDSMethodData' : 'creq'
  const value = valueIn(page.body, new RegExp(` name="${field}" value="([^"]*)"`)) ?? ''
  const form = { action: bankAddress(served), fields: { [field]: value } }
  return name === 'method-page' ? methodFrame({ form, frame, language }) : challengeDocument({ form, frame, language })
}

/** The origins that the caller named, or else the page itself, and the service's own: in the order in which the page has them. */
export function trustedOrigins(name: PageName, { service, origins, page }: ServedPage): string[] {
  const named =
    name === 'card-fields' ? contextIn(page.body).origins : parsed(valueIn(page.body, / data-origins="([^"]*)"/))
  const told = [named].flat().filter((origin): origin is string => typeof origin === 'string' && isOrigin(origin))
  const own = [...new Set([service, ...told])]
  if (origins === null) return own
  const expected = [...new Set([service, ...origins])]
  const are_same = own.length === expected.length && expected.every((origin) => own.includes(origin))
  return are_same ? own : expected
}

/** The configuration with which the service made the page. Throws NotMade if the service does not give it, or not for this page. */
async function configuration(name: PageName, { url, service }: ServedPage, read: Read): Promise<Configuration> {
  const { pathname, searchParams } = new URL(url)
  const subject = pathname.split('/').at(-1)!
  const integration = searchParams.get('integration')
  const query = integration === null ? '' : `?integration=${encodeURIComponent(integration)}`
  const address =
    name === 'hosted-page'
      ? `${service}/v1/checkout/handles/${subject}`
      : `${service}/v1/checkout/config/${subject}${query}`
  const answer = await read(address)
  const fault = answerFault(`The service's configuration, ${address},`, answer)
  if (fault !== null) throw new NotMade(fault)
  const config = parsed((answer as TextAnswer).body)
  const view = configView.safeParse(config)
  const pictures = (view.data?.pricing.price_list ?? []).flatMap(({ image_url }) => image_url ?? [])
  if (!view.success || !pictures.every((picture) => URL.canParse(picture))) {
    throw new NotMade(`The service's configuration, ${address}, is not as this release gives it.`)
  }
  const { public_key, card_fields_url } = view.data
  if (name === 'card-fields' && public_key !== subject) {
    throw new NotMade(`The service's configuration belongs to ${public_key}, not to ${subject}.`)
  }
  // The card goes to the server that serves the card fields.
  const ours = `${service}/card-fields/${public_key}`
  if (card_fields_url.split('?')[0] !== ours) {
    throw new NotMade(`The service's configuration has the card fields at ${card_fields_url}, not ${ours}.`)
  }
  return config as Configuration
}

/** The reason why an answer cannot be compared; null if it can. */
export function answerFault(subject: string, answer: TextAnswer | string): string | null {
  if (typeof answer === 'string') return `${subject} could not be read: ${answer}.`
  return answer.status === 200 ? null : `${subject} answers ${answer.status}, not 200.`
}

/** Where the page posts the shopper's browser to. Only the simulated bank, at the service itself, may lack TLS. */
function bankAddress({ service, page }: ServedPage): string {
  const action = valueIn(page.body, / action="([^"]*)"/) ?? ''
  const { protocol, origin } = URL.canParse(action) ? new URL(action) : { protocol: '', origin: '' }
  if (protocol === 'https:' || origin === service) return action
  throw new NotMade(`The page posts the shopper's browser to “${action}”, which is no bank's page over https.`)
}

function contextIn(html: string): Record<string, unknown> {
  const json = /<script type="application\/json" id="context">([^<]*)</.exec(html)?.[1] ?? null
  const context = parsed(json)
  return context !== null && typeof context === 'object' ? (context as Record<string, unknown>) : {}
}

function valueIn(html: string, pattern: RegExp): string | null {
  const value = pattern.exec(html)?.[1] ?? null
  return value?.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))) ?? null
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return null
  }
}
