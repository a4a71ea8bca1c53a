// Which addresses of merchants we post to: checked as a URL when one is registered, and as an IP address at every
// connection.

import { BlockList, isIP } from 'node:net'

export type AddressRule = {
  /** Whether a connection may go to this IP address: a public one, or one in an allowed network. */
  allows(ip: string): boolean
  /** Whether it lies in an allowed network, where plain http may be used too. */
  inAllowedNetwork(ip: string): boolean
  has_allowed_networks: boolean
}

/** `reason` follows the name of the field: `must not …`. It repeats nothing of the value. */
export type UrlFault = { code: 'invalid_url' | 'blocked_address'; reason: string }

/**
 * The rule for addresses. Allowed networks are IP addresses or CIDR networks. Addresses at which clouds serve their
 * machines' credentials must be listed one by one, whatever network they are in.
 */
export function openAddressRule(allowed_networks: string[]): AddressRule {
  const allowedNetworks = networksOf(allowed_networks)
  const single = networksOf(allowed_networks.filter(isSingle))
  const isAllowed = (ip: string) => holds(holds(metadata, ip) ? single : allowedNetworks, ip)
  return {
    allows: (ip) => reachedBy(ip).every((each) => isPublic(each) || isAllowed(each)),
    inAllowedNetwork: (ip) => reachedBy(ip).every(isAllowed),
    has_allowed_networks: allowed_networks.length > 0,
  }
}

const url_length_max = 2048

/** Why a URL is refused, or null. Names are not looked up: their addresses are checked at each connection. */
export function checkUrl(text: string, rule: AddressRule): UrlFault | null {
  return spellingFault(text) ?? destinationFault(new URL(text), rule)
}

/** The host in the form of a connection: an IP address without brackets, or a name without its final dot. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$|\.$/g, '')
}

/** Whether a URL is allowed only in an allowed network: it is plain http, or its name is private. */
export function needsAllowedNetwork(url: URL): boolean {
  return isPlain(url) || isPrivateName(hostOf(url))
}

/** Whether a host is a name that only private networks use. A look-up must say where it leads. */
export function isPrivateName(host: string): boolean {
  return isIP(host) === 0 && loopbackAddresses(host) === null && isLocalName(host)
}

/**
 * The addresses of `localhost` and the names below it, which mean this machine whatever a resolver says; otherwise
 * null.
 */
export function loopbackAddresses(name: string): string[] | null {
  return /(^|\.)localhost$/.test(name) ? ['127.0.0.1', '::1'] : null
}

/** Whether two spellings are one IP address; IPv4 mapped into IPv6 is the IPv4 address. */
export function isSameAddress([one, other]: [string, string]): boolean {
  const list = new BlockList()
  list.addAddress(one, isIP(one) === 6 ? 'ipv6' : 'ipv4')
  return list.check(other, isIP(other) === 6 ? 'ipv6' : 'ipv4')
}

function spellingFault(text: string): UrlFault | null {
  const invalid = (reason: string) => ({ code: 'invalid_url' as const, reason })
  if (text.length > url_length_max) return invalid('must not be longer than 2,048 characters')
  // The parser accepts what the specification forbids: spaces, line breaks, any number of slashes.
  const absolute = /^https?:\/\/[^\s\\\p{Cc}/?#][^\s\\\p{Cc}]*$/iu.test(text) && URL.canParse(text)
  if (!absolute) return invalid('must be an absolute https URL')
  if (/^https?:\/\/[^/?#]*@/i.test(text)) return invalid('must not have a user name or password in it')
  if (text.includes('#')) return invalid('must not have a fragment')
  if (!isHost(hostOf(new URL(text)))) return invalid('must name a host')
  return null
}

function destinationFault(url: URL, rule: AddressRule): UrlFault | null {
  const host = hostOf(url)
  const reach = reachOf(host, rule)
  if (reach === 'none') {
    return { code: 'blocked_address', reason: 'must not lead to a private or local address' }
  }
  if (reach === 'allowed_network' || !isPlain(url)) return null
  return { code: 'invalid_url', reason: 'must be an absolute https URL' }
}

/** As far as the text shows: a local name may lead into any allowed network. */
function reachOf(host: string, rule: AddressRule): 'public' | 'allowed_network' | 'none' {
  const addresses = isIP(host) === 0 ? loopbackAddresses(host) : [host]
  if (addresses?.some(rule.inAllowedNetwork)) return 'allowed_network'
  if (addresses) return addresses.some(rule.allows) ? 'public' : 'none'
  if (!isPrivateName(host)) return 'public'
  return rule.has_allowed_networks ? 'allowed_network' : 'none'
}

function isPlain(url: URL): boolean {
  return url.protocol !== 'https:'
}

function isHost(host: string): boolean {
  if (isIP(host) !== 0) return true
  return host.length <= 253 && host.split('.').every((label) => /^[a-z0-9_-]{1,63}$/.test(label))
}

function isLocalName(name: string): boolean {
  return !name.includes('.') || /(^|\.)(local|internal|localdomain|lan|corp|intranet|home\.arpa)$/.test(name)
}

type Networks = { ipv4: BlockList; ipv6: BlockList }

function networksOf(list: string[]): Networks {
  const networks = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const network of list) {
    const [address, bits] = network.split('/') as [string, string | undefined]
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    networks[family].addSubnet(address, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family)
  }
  return networks
}

function isSingle(network: string): boolean {
  const [address, bits] = network.split('/') as [string, string | undefined]
  return bits === undefined || Number(bits) === (isIP(address) === 6 ? 128 : 32)
}

/** The address, and the IPv4 address inside an ISATAP address: packets end there, whatever the network. */
function reachedBy(ip: string): string[] {
  if (isIP(ip) !== 6 || ip.includes('%')) return [ip]
  const [marked, protocol, high, low] = groupsOf(ip).slice(4) as [number, number, number, number]
  // With or without the bit that marks the IPv4 address as globally unique.
  if ((marked & ~0x200) !== 0 || protocol !== 0x5efe) return [ip]
  return [ip, [high >> 8, high & 255, low >> 8, low & 255].join('.')]
}

/** The eight numbers of an IPv6 address. The URL parser writes each in hex, and abbreviates zeros as `::`. */
function groupsOf(ip: string): number[] {
  const canonical = new URL(`http://[${ip}]/`).hostname.slice(1, -1)
  const [before, after] = canonical.split('::').map((part) => part.split(':').filter((each) => each !== ''))
  const zeros = 8 - before!.length - (after?.length ?? 0)
  const groups = [...before!, ...Array<string>(zeros).fill('0'), ...(after ?? [])]
  return groups.map((each) => Number.parseInt(each, 16))
}

const mappedAddresses = networksOf(['::ffff:0:0/96']).ipv6

/** An IPv4 address mapped into IPv6 is checked as the IPv4 address that it reaches. */
function holds({ ipv4, ipv6 }: Networks, ip: string): boolean {
  const family = isIP(ip)
  if (family === 4) return ipv4.check(ip, 'ipv4')
  // An address with a zone is on one of this machine's links.
  if (family === 0 || ip.includes('%')) return false
  return (mappedAddresses.check(ip, 'ipv6') ? ipv4 : ipv6).check(ip, 'ipv6')
}

/**
 * Denied unless known: of IPv6 only global unicast is allowed, which excludes every form that embeds an IPv4 address.
 */
function isPublic(ip: string): boolean {
  if (isIP(ip) === 4) return !holds(special, ip)
  return holds(globalUnicast, ip) && !holds(special, ip)
}

const globalUnicast = networksOf(['2000::/3'])

// The special-purpose registries of IANA, and public addresses that clouds use internally.
const special = networksOf([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '168.63.129.16',
  // Teredo, benchmarking, ORCHID and the rest of the protocol assignments; documentation; 6to4; AS112.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
])

const metadata = networksOf([
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
])
