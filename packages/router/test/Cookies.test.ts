import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { incomingCookies, outgoingCookie } from "../src/Cookies.ts"

describe("cookies that an app sets", () => {
  it.each([
    ["sid=1", "rba_sid=1"],
    ["sid=1; Path=/; HttpOnly", "rba_sid=1; Path=/; HttpOnly"],
    [" sid = 1 ;Secure", "rba_sid=1;Secure"],
    ["rba_sid=1", "rba_rba_sid=1"],
    ["a=b=c; Max-Age=0", "rba_a=b=c; Max-Age=0"],
    ["a=; Expires=Wed, 21 Oct 2030 07:28:00 GMT", "rba_a=; Expires=Wed, 21 Oct 2030 07:28:00 GMT"],
    ["domain=x", "rba_domain=x"],
    ["a=1; Path=/; NotDomain=x", "rba_a=1; Path=/; NotDomain=x"],
    ["__Secure-a=1; Secure", "rba___Secure-a=1; Secure"],
    ["__Host-a=1; Secure; Path=/", "rba___Host-a=1; Secure; Path=/"]
  ])("renames %s", (given, expected) => expect(outgoingCookie(given)).toBe(expected))

  it.each([
    ["a Domain", "a=1; Domain=apps.localhost"],
    ["a Domain in any case and with blanks", "a=1; path=/;\t dOmAiN = example.com"],
    ["an empty Domain", "a=1; Domain="],
    ["a Domain without a value", "a=1; Domain"],
    ["the second Domain of two", "a=1; Path=/; Domain=x; Domain="],
    ["no name", "=1"],
    ["only a value", "a"],
    ["a nameless value that looks like a prefixed cookie", "=rba_a=1"],
    ["a line break", "a=1\r\nSet-Cookie: __session=evil"],
    ["a NUL before Domain", "a=1; \u0000Domain=x"],
    ["a __Secure- name without Secure", "__Secure-a=1"],
    ["a __Host- name without Path=/", "__Host-a=1; Secure"],
    ["a __Host- name whose last Path is another", "__Host-a=1; Secure; Path=/; Path=/x"],
    ["a __hOsT- name without Secure", "__hOsT-a=1; Path=/"]
  ])("drops one with %s", (_why, given) => expect(outgoingCookie(given)).toBe(null))

  it("never lets a name without the prefix, or a Domain, out of any text at all", () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom("Domain", "domain=x", ";", "=", " ", "\t", "__Host-a", "rba_", "Path=/", "Secure", "\n", ",")
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const out = outgoingCookie(pieces.join(""))
        if (out === null) return
        expect(out.startsWith("rba_")).toBe(true)
        expect(out.indexOf("=")).toBeGreaterThan("rba_".length)
        expect(
          out
            .split(";")
            .slice(1)
            .every((attribute) => attribute.split("=")[0]!.trim().toLowerCase() !== "domain")
        ).toBe(true)
        // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
        expect(out).not.toMatch(/[\u0000-\u0008\u000a-\u001f\u007f]/)
      }),
      { numRuns: 2000 }
    )
  })
})

describe("cookies that reach an app", () => {
  it.each([
    [["rba_a=1"], "a=1"],
    [["rba_a=1; __session=secret; rba_b=2"], "a=1; b=2"],
    [["__client_uat=1", "rba_a=1;rba_a=2"], "a=1; a=2"],
    [["rba_rba_a=1"], "rba_a=1"],
    [["rba___Host-a=x=y"], "__Host-a=x=y"],
    [['rba_a="quoted; still=another"'], 'a="quoted'],
    [["__session=1; Rba_a=1; xrba_a=1; rba_; rba_=1; rba_a"], null],
    [["__Host-rba_a=1"], null],
    [[], null]
  ])("of %j are %j", (given, expected) => expect(incomingCookies(given)).toBe(expected))

  it("are what the app set before, and nothing else in the jar", () => {
    const name = fc
      .stringMatching(/^[a-zA-Z0-9!#$&'*+.^_`|~-]{1,20}$/)
      .filter((each) => !/^__(host|secure)-/i.test(each))
    const value = fc.stringMatching(/^[a-zA-Z0-9=/:.-]{0,20}$/)
    fc.assert(
      fc.property(
        fc.array(fc.tuple(name, value), { minLength: 1 }),
        fc.array(fc.tuple(name, value)),
        (own, foreign) => {
          const set = own.map(([n, v]) => outgoingCookie(`${n}=${v}; Path=/`)!.split(";")[0]!)
          const others = foreign.map(([n, v]) => `${n}=${v}`).filter((cookie) => !cookie.startsWith("rba_"))
          expect(incomingCookies([[...others, ...set, ...others].join("; ")])).toBe(
            own.map(([n, v]) => `${n}=${v}`).join("; ")
          )
        }
      ),
      { numRuns: 1000 }
    )
  })
})
