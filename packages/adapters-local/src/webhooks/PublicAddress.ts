/** Which addresses are on the public internet, and so may be called by whoever can make a webhook. */
import ipaddr from "ipaddr.js"

const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3")
const nat64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96")

/** An IPv4 address may stand inside an IPv6 one: it is judged as what it leads to. */
const innerOf = (address: ipaddr.IPv6): ipaddr.IPv4 | null => {
  if (address.isIPv4MappedAddress()) return address.toIPv4Address()
  const bytes = address.toByteArray()
  if (address.match(nat64)) return new ipaddr.IPv4(bytes.slice(12))
  return address.range() === "6to4" ? new ipaddr.IPv4(bytes.slice(2, 6)) : null
}

/**
 * Whether an address in its text form is public. Everything with a special use is not: loopback, private, link-local
 * (and with it 169.254.169.254), unique local, multicast, carrier NAT, unspecified, reserved, and what wraps one of them.
 */
export const isPublicAddress = (text: string): boolean => {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.parse(text)
  if (!(address instanceof ipaddr.IPv6)) return address.range() === "unicast"
  // Scoped addresses (`fe80::1%eth0`) mean something on this machine alone.
  if (address.zoneId !== undefined && address.zoneId !== "") return false
  const inner = innerOf(address)
  if (inner !== null) return inner.range() === "unicast"
  return address.match(globalUnicast) && address.range() === "unicast"
}
