import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { hostFor, isLabel, isReservedLabel, labelFor, parseHost } from "@pawl/core/model/HostLabel"
import type { Channel } from "@pawl/core/model/Pointer"
import { isSlug } from "@pawl/core/model/Project"

const domain = "apps.localhost"
const word = fc.stringMatching(/^[a-z0-9]{1,12}$/)
const label = fc
  .array(word, { minLength: 1, maxLength: 5 })
  .map((words) => words.join("-").slice(0, 50).replace(/-+$/, ""))
  .filter(isLabel)
const channel: fc.Arbitrary<Channel> = fc.oneof(
  fc.constant("production"),
  fc.stringMatching(/^[0-9a-f]{8}$/).map((id) => `preview:${id}`),
  fc.integer({ min: 0, max: 9_999_999 }).map((n) => `preview:v${String(n).padStart(7, "0")}`)
)
const dress = fc.record({ port: fc.option(fc.integer({ min: 0, max: 65535 })), dot: fc.boolean(), upper: fc.boolean() })

describe("Host labels", () => {
  it("reads every host it writes, in any case, with any port, with a trailing dot", () =>
    fc.assert(
      fc.property(label, channel, dress, (name, at, { port, dot, upper }) => {
        const host = hostFor(name, at, domain)
        const sent = `${upper ? host.toUpperCase() : host}${dot ? "." : ""}${port === null ? "" : `:${port}`}`
        expect(parseHost(sent, domain)).toEqual({ label: name, channel: at })
      })
    ))

  it("never reads two different apps from one host, whatever the text", () =>
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."abv019-._:%A"), maxLength: 70 }), (text) => {
        const parsed = parseHost(`${text}.${domain}`, domain)
        if (parsed === null || parsed === undefined || parsed === "apex") return
        expect(isLabel(parsed.label)).toBe(true)
        expect(hostFor(parsed.label, parsed.channel, domain)).toBe(`${text.toLowerCase()}.${domain}`)
      }),
      { numRuns: 5000 }
    ))

  it("takes every text at all for one app, the apex, or none, and never looks further than its own domain", () => {
    const piece = fc.constantFrom(
      ..."shop|apps.localhost|localhost|.|..|--|-|_|0a1b2c3d|v0000001|v000001|xn|abc|:|:80|:99999|:080|[::1]|127.0.0.1".split(
        "|"
      ),
      ..."K|ſ|İ|ä|。|．|\u0000|\u00ad|\u200b| |@|/|\\|%2e|#|?|A|*".split("|")
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece, { maxLength: 8 }).map((parts) => parts.join("")),
          fc.string({ unit: "binary" })
        ),
        (text) => {
          for (const host of [text, `${text}.${domain}`, `${text}${domain}`]) {
            const parsed = parseHost(host, domain)
            const bare = host.replace(/:\d{0,5}$/, "").replace(/\.$/, "")
            if (parsed === "apex") expect(bare.toLowerCase()).toBe(domain)
            else if (parsed !== null && parsed !== undefined) {
              expect(bare).toMatch(/^[A-Za-z0-9.-]+$/)
              expect(hostFor(parsed.label, parsed.channel, domain)).toBe(bare.toLowerCase())
            } else if (parsed === null) expect(bare.toLowerCase().endsWith(`.${domain}`)).toBe(true)
          }
        }
      ),
      { numRuns: 5000 }
    )
  })

  it("gives every slug a label of its own kind: valid, within 50 characters, never reserved", () =>
    fc.assert(
      fc.property(label, fc.uuid({ version: 4 }), fc.boolean(), (slug, uuid, taken) => {
        fc.pre(isSlug(slug) && !slug.startsWith("pawl"))
        const made = labelFor(slug, `proj_${uuid}`, taken)
        expect(isLabel(made)).toBe(true)
        expect(isReservedLabel(made)).toBe(false)
        if (!taken && !isReservedLabel(slug)) expect(made).toBe(slug)
        else expect(made.endsWith(`-${uuid.slice(0, 6)}`)).toBe(true)
      })
    ))

  it("keeps preview ids and version ids apart: no version id is eight hex digits", () =>
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9_999_999 }), (n) => {
        expect(/^[0-9a-f]{8}$/.test(`v${String(n).padStart(7, "0")}`)).toBe(false)
      })
    ))
})
