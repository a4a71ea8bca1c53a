// A shopper's browser in a simulated world, as far as the banks' pages need one.

import { simulator_prefix } from '../../src/three-ds/open.ts'
import type { ThreeDsSimulator } from '../../src/three-ds/simulated-issuer/simulator.ts'
import { base_url } from './places.ts'
import type { Town } from './town.ts'

type Form = { action: string; fields: Record<string, string> }
type Page = { html: string; form: Form | null; posts_itself: boolean }

/** What the shopper does where a page waits for a code: types it, or leaves. */
export type AtCode = { code: string; action: 'submit' | 'cancel' } | null

/** Opens a page of ours and goes through the bank's until it leads back. False where it got lost on the way. */
export async function visit(
  { town, simulator }: { town: Town; simulator: ThreeDsSimulator },
  url: string,
  atCode: AtCode,
): Promise<boolean> {
  const path = url.slice(base_url.length)
  const opened = await town.ask({ method: 'GET', path })
  let page = opened && pageOf(opened.text)
  for (let steps = 0; page?.form && steps < 6; steps++) {
    const { form } = page
    if (steps > 0 && !page.posts_itself) {
      if (!atCode) return false
      Object.assign(form.fields, atCode)
    }
    const came = await post({ town, simulator }, form)
    if (came === null) return false
    if (came === 'back') return true
    page = pageOf(came)
  }
  return page !== null
}

async function post(
  { town, simulator }: { town: Town; simulator: ThreeDsSimulator },
  { action, fields }: Form,
): Promise<string | 'back' | null> {
  if (!action.startsWith(base_url)) return null
  const path = action.slice(base_url.length)
  if (!path.startsWith(simulator_prefix)) {
    const answer = await town.ask({ method: 'POST', path, form: fields })
    return answer ? 'back' : null
  }
  const answer = await simulator.handle({
    method: 'POST',
    path: path.slice(simulator_prefix.length),
    query: new URLSearchParams(),
    headers: {},
    body: new URLSearchParams(fields).toString(),
  })
  return answer === 'hang_up' ? null : answer.body
}

function pageOf(html: string): Page {
  const action = /<form [^>]*action="([^"]*)"/.exec(html)?.[1]
  const hidden = html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)
  const fields = Object.fromEntries([...hidden].map(([, name, value]) => [plain(name!), plain(value!)]))
  const form = action === undefined ? null : { action: plain(action), fields }
  return { html, form, posts_itself: html.includes('.submit()</script>') }
}

function plain(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
}
