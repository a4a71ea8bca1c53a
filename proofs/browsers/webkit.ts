// WebKit, driven by WebDriver through WebKitWebDriver: GTK's small browser on a screen in memory.

import type { Browser, Driver } from './driver.ts'
import { find_source } from './find.ts'
import { openDisplay, programOf, run } from './programs.ts'

const element_key = 'element-6066-11e4-a52e-4f735466cecf'
type Element = { [element_key]: string }

export const webkit: Browser = {
  name: 'WebKit',
  install: 'apt-get install webkit2gtk-driver xvfb',
  async start() {
    const program = programOf('WebKitWebDriver')
    const display = await openDisplay()
    const port = 20_000 + (process.pid % 20_000)
    const driver = run(program, [`--port=${port}`, '--host=127.0.0.1'], {
      DISPLAY: display.name,
      GDK_BACKEND: 'x11',
      // There is no sandbox where this runs as root, and no graphics card.
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
      WEBKIT_DISABLE_COMPOSITING_MODE: '1',
      LIBGL_ALWAYS_SOFTWARE: '1',
    })
    const close = async () => {
      await driver.stop()
      await display.close()
    }
    try {
      const base = `http://127.0.0.1:${port}`
      const session = await openSession(base)
      return driverOf(`${base}/session/${session}`, close)
    } catch (error) {
      await close()
      throw error
    }
  },
}

async function openSession(base: string): Promise<string> {
  for (let tries = 0; ; tries += 1) {
    try {
      const { sessionId } = (await ask(`${base}/session`, 'POST', {
        capabilities: { alwaysMatch: {} },
      })) as { sessionId: string }
      return sessionId
    } catch (error) {
      // The driver has not opened its port yet.
      if (!(error instanceof TypeError) || tries >= 50) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

async function ask(address: string, method: string, body?: object): Promise<unknown> {
  const response = await fetch(address, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    signal: AbortSignal.timeout(90_000),
  })
  const { value } = (await response.json()) as { value: { error?: string; message?: string } }
  if (!response.ok) throw new Error(`${value.error}: ${value.message}`)
  return value
}

function driverOf(session: string, end: () => Promise<void>): Driver {
  const post = (path: string, body: object = {}) => ask(`${session}${path}`, 'POST', body)
  /** The driver has one place at a time: frames are gone into from the page on. */
  const goTo = async (place: unknown) => {
    await post('/frame', { id: null })
    for (const frame of (place ?? []) as Element[]) await post('/frame', { id: frame })
  }
  const idOf = (handle: unknown) => (handle as Element)[element_key]
  return {
    async open(url) {
      await post('/url', { url })
    },
    async find(place, kind, name) {
      await goTo(place)
      const script = `return (${find_source})(arguments[0], arguments[1])`
      return post('/execute/sync', { script, args: [kind, name] })
    },
    enter: async (place, frame) => [...((place ?? []) as Element[]), frame],
    async click(place, handle) {
      await goTo(place)
      await post(`/element/${idOf(handle)}/click`)
    },
    async type(place, handle, text) {
      await goTo(place)
      // It drops Control from what is typed, so that nothing can be marked by keys.
      const script = 'arguments[0].select()'
      await post('/execute/sync', { script, args: [handle] })
      await post(`/element/${idOf(handle)}/value`, { text })
    },
    async read() {
      await goTo(null)
      const script = 'return document.body.innerText'
      return String(await post('/execute/sync', { script, args: [] }))
    },
    async close() {
      await ask(session, 'DELETE').catch(() => undefined)
      await end()
    },
  }
}
