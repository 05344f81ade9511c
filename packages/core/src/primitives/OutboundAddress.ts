/**
 * Where this server may connect to for somebody else: the URL of a webhook, the host of a release target. Whoever names
 * one chooses what the machine calls, so it must be on the public internet: no address and no name that leads to the
 * machine itself, its network or its cloud. What a name stands for in the end is known to a resolver only: adapters ask
 * `isPublicAddress` of each address before they connect to it.
 */
import { Context } from "effect"

export const OutboundRule = Context.Reference("@pawl/core/primitives/OutboundAddress/OutboundRule", {
  /** `allowPrivate` lets everything pass: for trying things out on one machine. */
  defaultValue: (): { readonly allowPrivate: boolean } => ({ allowPrivate: false })
})

/** The range of an address, as how many of its first bits are what. */
type Range = readonly [first: ReadonlyArray<number>, bits: number]

/** IPv4 addresses with a special use (IANA's registry), and those that are no host's at all. */
const closedV4: ReadonlyArray<Range> = [
  [[0, 0, 0, 0], 8],
  [[10, 0, 0, 0], 8],
  [[100, 64, 0, 0], 10],
  [[127, 0, 0, 0], 8],
  // Link-local, and with it the metadata of clouds.
  [[169, 254, 0, 0], 16],
  [[172, 16, 0, 0], 12],
  [[192, 0, 0, 0], 24],
  [[192, 0, 2, 0], 24],
  [[192, 31, 196, 0], 24],
  [[192, 52, 193, 0], 24],
  [[192, 88, 99, 0], 24],
  [[192, 168, 0, 0], 16],
  [[192, 175, 48, 0], 24],
  [[198, 18, 0, 0], 15],
  [[198, 51, 100, 0], 24],
  [[203, 0, 113, 0], 24],
  [[224, 0, 0, 0], 3]
]

/** Within 2000::/3, outside of which no IPv6 address is public: protocols of the IETF, documentation, and its like. */
const closedV6: ReadonlyArray<Range> = [
  [[0x2001, 0x0000], 23],
  [[0x2001, 0x0db8], 32],
  [[0x2620, 0x004f, 0x8000], 48],
  [[0x3fff, 0x0000], 20]
]
const globalUnicast: Range = [[0x2000], 3]
const mapped: Range = [[0, 0, 0, 0, 0, 0xffff], 96]
const nat64: Range = [[0x64, 0xff9b, 0, 0, 0, 0], 96]
const sixToFour: Range = [[0x2002], 16]

/** Whether an address, in parts of `size` bits, is in a range. */
const isIn = (parts: ReadonlyArray<number>, size: number, [first, bits]: Range): boolean => {
  for (let index = 0; index * size < bits; index++) {
    const shift = Math.max(0, (index + 1) * size - bits)
    if (parts[index]! >>> shift !== (first[index] ?? 0) >>> shift) return false
  }
  return true
}

/** The four bytes of an IPv4 address in its usual form; null for every other text. */
const parseV4 = (text: string): ReadonlyArray<number> | null => {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1)
  if (parts === undefined || parts.some((part) => Number(part) > 255 || (part.length > 1 && part.startsWith("0"))))
    return null
  return parts.map(Number)
}

/** The words of a part of an IPv6 address; null for what is none. The last may be an IPv4 address. */
const wordsOf = (text: string): ReadonlyArray<number> | null => {
  if (text === "") return []
  const words: Array<number> = []
  const groups = text.split(":")
  for (const [index, group] of groups.entries()) {
    const inner = index === groups.length - 1 ? parseV4(group) : null
    if (inner !== null) words.push(inner[0]! * 256 + inner[1]!, inner[2]! * 256 + inner[3]!)
    else if (/^[0-9a-f]{1,4}$/i.test(group)) words.push(Number.parseInt(group, 16))
    else return null
  }
  return words
}

/** The eight words of an IPv6 address; null for every other text, one with a zone (`fe80::1%eth0`) too. */
const parseV6 = (text: string): ReadonlyArray<number> | null => {
  const [before = "", after, ...more] = text.split("::")
  if (more.length > 0 || !text.includes(":")) return null
  const head = wordsOf(before)
  const tail = after === undefined ? [] : wordsOf(after)
  if (head === null || tail === null) return null
  const missing = 8 - head.length - tail.length
  if (after === undefined ? missing !== 0 : missing < 1) return null
  return [...head, ...Array.from({ length: missing }, () => 0), ...tail]
}

const isPublicV4 = (bytes: ReadonlyArray<number>): boolean => !closedV4.some((range) => isIn(bytes, 8, range))

const bytesOf = (words: ReadonlyArray<number>): ReadonlyArray<number> =>
  words.flatMap((word) => [word >> 8, word & 255])

/** An IPv4 address may stand inside an IPv6 one: it is judged as what it leads to. */
const isPublicV6 = (words: ReadonlyArray<number>): boolean => {
  if (isIn(words, 16, mapped) || isIn(words, 16, nat64)) return isPublicV4(bytesOf(words.slice(6)))
  if (isIn(words, 16, sixToFour)) return isPublicV4(bytesOf(words.slice(1, 3)))
  return isIn(words, 16, globalUnicast) && !closedV6.some((range) => isIn(words, 16, range))
}

/**
 * Whether an address in its text form is public. Everything with a special use is not: loopback, private, link-local,
 * unique local, multicast, carrier NAT, unspecified, reserved, and what wraps one of them; nor is what is no address.
 */
export const isPublicAddress = (text: string): boolean => {
  const bytes = parseV4(text)
  if (bytes !== null) return isPublicV4(bytes)
  const words = parseV6(text)
  return words !== null && isPublicV6(words)
}

/** Ends of names that mean something on a machine or in a network only (RFC 6761, RFC 6762, RFC 8375, ICANN's `internal`). */
const closedNames = ["localhost", "local", "internal", "localdomain", "home.arpa", "lan", "home", "corp", "intranet"]

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
