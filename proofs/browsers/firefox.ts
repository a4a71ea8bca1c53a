// Firefox, driven by WebDriver BiDi over its own socket, without a program between.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Driver } from './driver.ts'
import { control, find_source } from './find.ts'
import { programOf, run } from './programs.ts'

type Result = Record<string, unknown>
type Remote = { type: string; sharedId?: string; value?: { context?: string } | string }

export const firefox: Browser = {
  name: 'Firefox',
  install: 'apt-get install firefox-esr',
  async start() {
    const program = programOf('firefox-esr', 'firefox')
    const profile = mkdtempSync(join(tmpdir(), 'ripper-firefox-'))
    const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0']
    const browser = run(program, [...args, '--width', '1280', '--height', '900'], {
      HOME: profile,
      MOZ_DISABLE_CONTENT_SANDBOX: '1',
    })
    const close = async () => {
      await browser.stop()
      rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
    }
    try {
      const [, address] = await browser.says(/BiDi listening on (ws:\/\/\S+)/)
      const socket = await openSocket(`${address}/session`)
      await socket.send('session.new', { capabilities: {} })
      const tree = await socket.send('browsingContext.getTree', {})
      const [{ context }] = tree.contexts as [{ context: string }]
      return driverOf(socket, context, close)
    } catch (error) {
      await close()
      throw error
    }
  },
}

type Socket = {
  send(method: string, params: Result): Promise<Result>
  close(): void
}

async function openSocket(address: string): Promise<Socket> {
  const socket = new WebSocket(address)
  const waiting = new Map<number, { resolve(result: Result): void; reject(error: Error): void }>()
  let sent = 0
  socket.onmessage = ({ data }) => {
    const { id, type, result, error, message } = JSON.parse(String(data))
    const asked = waiting.get(id)
    waiting.delete(id)
    if (type === 'success') asked?.resolve(result)
    else asked?.reject(new Error(`${error}: ${message}`))
  }
  socket.onclose = () => {
    for (const { reject } of waiting.values()) reject(new Error('Firefox has gone'))
  }
  await new Promise<void>((resolve, reject) => {
    socket.onopen = () => resolve()
    socket.onerror = () => reject(new Error('Firefox does not answer'))
  })
  return {
    send: (method, params) =>
      new Promise((resolve, reject) => {
        sent += 1
        waiting.set(sent, { resolve, reject })
        socket.send(JSON.stringify({ id: sent, method, params }))
      }),
    close: () => socket.close(),
  }
}

function driverOf(socket: Socket, page: string, close: () => Promise<void>): Driver {
  const contextOf = (place: unknown) => (place as string | null) ?? page
  const evaluate = async (place: unknown, source: string, args: unknown[]): Promise<Remote> => {
    const { result, exceptionDetails } = await socket.send('script.callFunction', {
      functionDeclaration: source,
      arguments: args,
      awaitPromise: true,
      target: { context: contextOf(place), sandbox: 'proof' },
    })
    if (exceptionDetails) throw new Error((exceptionDetails as { text: string }).text)
    return result as Remote
  }
  const text = (value: string) => ({ type: 'string', value })
  const act = (place: unknown, id: string, type: string, actions: object[]) =>
    socket.send('input.performActions', {
      context: contextOf(place),
      actions: [{ id, type, actions }],
    })
  const click = async (place: unknown, handle: unknown) => {
    const { sharedId } = handle as Remote
    await evaluate(place, "(each) => each.scrollIntoView({ block: 'center' })", [{ sharedId }])
    const origin = { type: 'element', element: { sharedId } }
    await act(place, 'mouse', 'pointer', [
      { type: 'pointerMove', x: 0, y: 0, origin },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ])
  }
  return {
    async open(url) {
      await socket.send('browsingContext.navigate', { context: page, url, wait: 'complete' })
    },
    async find(place, kind, name) {
      const found = await evaluate(place, find_source, [text(kind), text(name)])
      return found.type === 'node' ? found : null
    },
    async enter(place, frame) {
      const { sharedId } = frame as Remote
      const found = await evaluate(place, '(frame) => frame.contentWindow', [{ sharedId }])
      return (found.value as { context: string }).context
    },
    click,
    async type(place, handle, typed) {
      await click(place, handle)
      const press = (value: string) => [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ]
      await act(place, 'keys', 'key', [
        ...[{ type: 'keyDown', value: control }, ...press('a'), { type: 'keyUp', value: control }],
        ...[...typed].flatMap(press),
      ])
    },
    async read() {
      const { value } = await evaluate(null, '() => document.body.innerText', [])
      return String(value)
    },
    async close() {
      socket.close()
      await close()
    },
  }
}
