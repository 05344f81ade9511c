import { describe, expect, it } from "vitest"
import { isPublicAddress, refusedHost } from "@pawl/core/primitives/OutboundAddress"

const hidden = {
  "this host": ["0.0.0.0", "0.1.2.3", "::"],
  loopback: ["127.0.0.1", "127.255.255.254", "::1"],
  private: ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1"],
  "link-local, and the metadata of clouds": ["169.254.0.1", "169.254.169.254", "fe80::1", "fe80::1%eth0"],
  "carrier NAT": ["100.64.0.1", "100.127.255.255", "100.100.100.200"],
  "unique local": ["fc00::1", "fd00:ec2::254", "fdff::1"],
  multicast: ["224.0.0.1", "239.255.255.255", "ff02::1"],
  "broadcast and reserved": ["255.255.255.255", "240.0.0.1", "192.0.2.1", "198.18.0.1", "203.0.113.9", "2001:db8::1"],
  "IPv4 inside IPv6": [
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::808:808",
    "2002:7f00:1::1",
    "2002:a9fe:a9fe::",
    "::ffff:0:127.0.0.1"
  ],
  "site-local, discard, Teredo": ["fec0::1", "100::1", "2001::1"],
  "no address at all": ["", "localhost", "1.2.3.4.5", "example.com", "fe80::%"]
}
const open = [
  "1.1.1.1",
  "8.8.8.8",
  "172.32.0.1",
  "100.128.0.1",
  "2606:4700::1111",
  "2a00:1450::1",
  "::ffff:8.8.8.8",
  "64:ff9b::808:808"
]

describe("A public address", () => {
  it.each(Object.entries(hidden))("is none of: %s", (_name, addresses) => {
    for (const each of addresses) expect([each, isPublicAddress(each)]).toEqual([each, false])
  })

  it("is what anyone on the internet can reach", () => {
    for (const each of open) expect([each, isPublicAddress(each)]).toEqual([each, true])
  })
})

describe("A host that may not be called", () => {
  it.each([
    "localhost",
    "LocalHost.",
    "app.localhost",
    "printer.local",
    "metadata.google.internal",
    "db.internal.",
    "router.home.arpa",
    "nas.lan",
    "intranet",
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "169.254.169.254",
    "10.1.2.3.",
    "[::1]",
    "[::ffff:10.0.0.1]",
    "[fd00:ec2::254]",
    ""
  ])("is refused as it is written: %s", (host) => expect(refusedHost(host)).toBe("the address is not public"))

  it.each([
    "receiver.example",
    "8.8.8.8",
    "[2606:4700::1111]",
    "local.example",
    "internal.example.com",
    "localhost.dev"
  ])("is told from one that may be: %s", (host) => expect(refusedHost(host)).toBeNull())
})
