// Connects the frame and the checkout around it: an allowed origin says hello once, and the frame answers with a port.

import type { PortMessage } from '../shared/protocol.ts'
import { readHello } from './messages.ts'

/** `connected` is called once, with this side's port. */
export function awaitHello(origins: readonly string[], connected: (port: MessagePort) => void): void {
  if (parent === window) return
  const listen = (event: MessageEvent) => {
    const hello = event.source === parent && origins.includes(event.origin) ? readHello(event.data) : null
    if (!hello) return
    removeEventListener('message', listen)
    const { port1, port2 } = new MessageChannel()
    const welcome: PortMessage = { type: 'ripper:port', nonce: hello.nonce }
    parent.postMessage(welcome, event.origin, [port2])
    connected(port1)
  }
  addEventListener('message', listen)
}
