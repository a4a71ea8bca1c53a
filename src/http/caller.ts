// What the transport of a request reports about its sender.

import { BlockList, isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Caller } from './access.ts'

export function callerOf(request: FastifyRequest): Caller {
  return {
    address: callerAddress(request),
    origin: request.headers.origin ?? null,
    header(name) {
      const value = request.headers[name]
      return typeof value === 'string' ? value : null
    },
  }
}

/**
 * The sender's IP address: the last one in X-Forwarded-For that belongs to no trusted proxy. If an entry there is not
 * an address, the proxy that passed it on counts as the caller.
 */
export function callerAddress({ ip, ips }: Pick<FastifyRequest, 'ip' | 'ips'>): string {
  for (const each of [ip, ...(ips ?? []).toReversed()]) {
    const address = bareAddress(each)
    if (address !== null) return address
  }
  return ip
}

/**
 * Whether an address is one of our proxies, in the form that the framework needs. An address may have a port behind it.
 */
export function trusting(networks: string[]): false | ((address: string) => boolean) {
  if (networks.length === 0) return false
  const list = new BlockList()
  for (const network of networks) {
    const [address, bits] = network.split('/') as [string, string | undefined]
    const family = familyOf(address)
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return (text) => {
    const address = bareAddress(text)
    return address !== null && list.check(address, familyOf(address))
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}

const address_length_max = 80

/**
 * The canonical form of an address: without the port that some proxies add (`203.0.113.7:4711`, `[2001:db8::1]:4711`),
 * and with IPv4 mapped into IPv6 as the IPv4 address. Null if the text is no address.
 */
export function bareAddress(text: string): string | null {
  if (text.length > address_length_max) return null
  const [, v6] = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text) ?? []
  const [, v4] = /^([\d.]+):\d{1,5}$/.exec(text) ?? []
  const address = v6 ?? v4 ?? text
  const family = isIP(address)
  if (family === 0) return null
  return family === 4 ? address : plainIpv6(address.replace(/%.*$/, ''))
}

/**
 * The URL parser writes each IPv6 address in one way: in hex and lower case, with the longest row of zeros left out.
 */
function plainIpv6(address: string): string {
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1)
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(canonical) ?? []
  if (high === undefined || low === undefined) return canonical
  const bytes = [high, low].flatMap((group) => {
    const number = Number.parseInt(group, 16)
    return [number >> 8, number & 255]
  })
  return bytes.join('.')
}
