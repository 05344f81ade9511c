/**
 * Where this server may connect to for somebody else: the URL of a webhook, the host of a release target. Whoever names
 * one chooses what the machine calls, so it must be on the public internet: no address and no name that leads to the
 * machine itself, its network or its cloud. What a name stands for in the end is known to a resolver only: adapters ask
 * `isPublicAddress` of each address before they connect to it.
 */
import { Context, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

/** Whether private addresses may be called too. They may not, unless a host program says so. */
export const OutboundRule = Context.Reference("@pawl/core/primitives/OutboundAddress/OutboundRule", {
  /** `allowPrivate` lets everything pass: for trying things out on one machine. */
  defaultValue: (): { readonly allowPrivate: boolean } => ({ allowPrivate: false })
})

/** IPv4 addresses with a special use (IANA's registry), and those that are no host's at all. */
const closedV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  // Link-local, and with it the metadata of clouds.
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3"
].map(IpNetwork.fromStringUnsafe)

/** Within 2000::/3, outside of which no IPv6 address is public: protocols of the IETF, documentation, and its like. */
const closedV6 = ["2001::/23", "2001:db8::/32", "2620:4f:8000::/48", "3fff::/20"].map(IpNetwork.fromStringUnsafe)
const globalUnicast = IpNetwork.fromStringUnsafe("2000::/3")
const nat64 = IpNetwork.fromStringUnsafe("64:ff9b::/96")
const sixToFour = IpNetwork.fromStringUnsafe("2002::/16")

const isPublicV4 = (address: NetAddress.IpAddress): boolean => !closedV4.some(IpNetwork.contains(address))

/** The IPv4 address of four bytes of an IPv6 one. */
const innerV4 = (address: NetAddress.Ipv6Address, at: number): NetAddress.Ipv4Address =>
  NetAddress.ipv4FromBytesUnsafe(Uint8Array.from(NetAddress.ipv6ToOctets(address).slice(at, at + 4)))

/** An IPv4 address may stand inside an IPv6 one: it is judged as what it leads to. */
const isPublicV6 = (address: NetAddress.Ipv6Address): boolean => {
  if (NetAddress.isIpv4Mapped(address) || IpNetwork.contains(nat64, address)) return isPublicV4(innerV4(address, 12))
  if (IpNetwork.contains(sixToFour, address)) return isPublicV4(innerV4(address, 2))
  return IpNetwork.contains(globalUnicast, address) && !closedV6.some(IpNetwork.contains(address))
}

/**
 * Whether an address in its text form is public. Everything with a special use is not: loopback, private, link-local,
 * unique local, multicast, carrier NAT, unspecified, reserved, and what wraps one of them; nor is what is no address.
 */
export const isPublicAddress = (text: string): boolean =>
  Result.match(NetAddress.ipFromString(text), {
    onSuccess: (address) => (NetAddress.isIpv4Address(address) ? isPublicV4(address) : isPublicV6(address)),
    onFailure: () => false
  })

/** Ends of names that mean something on a machine or in a network only (RFC 6761, RFC 6762, RFC 8375, ICANN's `internal`). */
const closedNames = ["localhost", "local", "internal", "localdomain", "home.arpa", "lan", "home", "corp", "intranet"]

/** The words with which an address is refused. */
export const notPublic = "the address is not public"

/**
 * Why a host, as it stands in a URL, may never be called: an address that is not public, or a name of this machine or
 * its network; null when only a resolver can tell. Numbers that browsers would take for an address are no names.
 */
export const refusedHost = (host: string): string | null => {
  const name = host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "")
  if (name.includes(":") || /(^|\.)(\d+|0x[0-9a-f]*)$/.test(name)) return isPublicAddress(name) ? null : notPublic
  const closed = !name.includes(".") || closedNames.some((end) => name.endsWith(`.${end}`))
  return closed ? notPublic : null
}
