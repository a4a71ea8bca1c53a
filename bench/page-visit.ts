// A page on a 4G connection, with a count of what it loads.

import type { BrowserContext, Page } from 'playwright-core'

/** The browser's own 4G profile: 9 Mbit/s and 60 ms, times the factors by which it comes near a real one. */
const fast_4g = { latency: 165, downloadThroughput: 1_012_500, uploadThroughput: 168_750 }

/** With `is_cold` nothing is cached that an earlier page of the context had loaded. */
export async function measuredPage(
  context: BrowserContext,
  { is_cold }: { is_cold: boolean },
): Promise<{ page: Page; counted(): { requests: number; bytes: number } }> {
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  if (is_cold) await session.send('Network.clearBrowserCache')
  await session.send('Network.emulateNetworkConditions', { offline: false, ...fast_4g })
  let requests = 0
  let bytes = 0
  session.on('Network.requestWillBeSent', ({ request }) => {
    if (request.url.startsWith('http')) requests += 1
  })
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  return { page, counted: () => ({ requests, bytes }) }
}
