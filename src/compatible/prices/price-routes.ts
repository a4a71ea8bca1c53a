// GET /v1/prices, /v1/prices/{sku}, /v1/products and /v1/products/{sku}: the price list of the default integration. Shops ask for their
// price before they sell it.

import { z } from 'zod'
import { bearerKey } from '../../http/access.ts'
import { currency } from '../../http/currency.ts'
import { type Route, route } from '../../http/route.ts'
import { Refusal } from '../../kernel/errors.ts'
import { admitKey, admitMerchant } from '../../merchants/admit.ts'
import type { Context } from '../../payments/context.ts'
import { must, text } from '../../payments/fields.ts'
import { filterChoice } from '../../payments/reading/list-filters.ts'
import type { Address } from '../addresses.ts'
import { explain } from '../faults.ts'
import { listMembers, listView, noEdge, type PageRequest, pageOf, pageRequestOf, queryOf, viewList } from '../lists.ts'
import { type Offer, offersOf, price, product, viewPrice, viewProduct } from './price.ts'

const sku = text(200).optional()
const skuPages = { ...listMembers, starting_after: sku, ending_before: sku }
const active = filterChoice(['true', 'false']).optional()

const shared = {
  method: 'GET',
  tag: 'Compatible',
  access: bearerKey('read_transactions'),
  mode: 'handler',
  dialect: 'compatible',
  explain,
  status: 200,
  admit: admitKey,
} as const

export const listPricesAt = (address: Address): Route<Context> =>
  route({
    ...shared,
    ...address,
    summary: 'List the prices of the price list',
    query: queryOf({
      ...skuPages,
      active,
      currency: currency.optional(),
      product: sku,
      type: filterChoice(['one_time', 'recurring']).optional(),
    }),
    reply: listView(price, '/v1/prices').meta({ title: 'PriceList', note: 'A page of the price list.' }),
    refusals: [],
    handle: async (context: Context, { holder, query }) => {
      const account = await admitMerchant(context, holder.merchant_id)
      const offers = offersOf(account, { key_mode: holder.mode, currency: query.currency }).filter(
        (offer) => query.product === undefined || offer.sku === query.product,
      )
      const is_other = query.active === 'false' || query.type === 'recurring'
      const { rows, has_more } = pageOfOffers(is_other ? [] : offers, pageRequestOf(query), 'price')
      return viewList('/v1/prices', rows.map(viewPrice), has_more)
    },
  })

export const listProductsAt = (address: Address): Route<Context> =>
  route({
    ...shared,
    ...address,
    summary: 'List the products of the price list',
    query: queryOf({ ...skuPages, active, ids: skuList() }),
    reply: listView(product, '/v1/products').meta({
      title: 'ProductList',
      note: 'A page of the products that the price list names.',
    }),
    refusals: [],
    handle: async (context: Context, { holder, query }) => {
      const account = await admitMerchant(context, holder.merchant_id)
      const offers = offersOf(account, { key_mode: holder.mode }).filter(
        (offer) => query.ids === undefined || query.ids.includes(offer.sku),
      )
      const { rows, has_more } = pageOfOffers(query.active === 'false' ? [] : offers, pageRequestOf(query), 'product')
      return viewList('/v1/products', rows.map(viewProduct), has_more)
    },
  })

export const readPriceAt = (address: Address) =>
  readOfferAt(address, { summary: 'Read a price of the price list', reply: price, view: viewPrice, noun: 'price' })

export const readProductAt = (address: Address) =>
  readOfferAt(address, {
    summary: 'Read a product of the price list',
    reply: product,
    view: viewProduct,
    noun: 'product',
  })

function readOfferAt<Reply extends z.ZodType>(
  { path, alias_of }: Address,
  { summary, reply, view, noun }: { summary: string; reply: Reply; view(offer: Offer): z.input<Reply>; noun: string },
): Route<Context> {
  const missing = () =>
    new Refusal('resource_not_found', `Your price list has no ${noun} with this id.`, { field: noun })
  return route({
    ...shared,
    path: `${path}/{sku}`,
    alias_of: alias_of && `${alias_of}/{sku}`,
    summary,
    query: z.strictObject({}),
    reply,
    unknownId: missing,
    has_free_ids: true,
    refusals: ['resource_not_found'],
    handle: async (context: Context, { holder, params }) => {
      const account = await admitMerchant(context, holder.merchant_id)
      const offer = offersOf(account, { key_mode: holder.mode }).find(({ sku }) => sku === params.sku)
      if (!offer) throw missing()
      return view(offer)
    },
  })
}

function skuList() {
  const words = must('be a list of ids')
  return z
    .preprocess((ids) => (ids && typeof ids === 'object' ? Object.values(ids).flat() : ids), z.array(z.string(), words))
    .optional()
}

/** In the order of the price list, which is in memory as a whole. */
function pageOfOffers(offers: Offer[], request: PageRequest, noun: string) {
  const { edge, direction, limit, created_from, created_before } = request
  const at = edge === null ? -1 : offers.findIndex(({ sku }) => sku === edge)
  if (edge !== null && at < 0) throw noEdge(request, noun)
  const beyond = direction === 'older' ? offers.slice(at + 1) : offers.slice(0, at).toReversed()
  const rows = beyond.filter(
    ({ created_at }) =>
      (created_from === undefined || created_at >= created_from) &&
      (created_before === undefined || created_at < created_before),
  )
  return pageOf({ rows: rows.slice(0, limit + 1), ended_at: null }, request, noun)
}
