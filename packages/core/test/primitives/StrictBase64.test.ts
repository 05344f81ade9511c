/** Base64 and base64url in their one form, beside Node's own. */
import { describe, expect, it } from "vitest"
import { base64Bytes, base64UrlBytes } from "@pawl/core/primitives/StrictBase64"

const samples = Array.from({ length: 67 }, (_, length) =>
  Buffer.from(Array.from({ length }, (_, at) => (at * 89 + length * 151) % 256))
)

describe("Base64 in its one form", () => {
  it("is read as Node writes it", () => {
    for (const bytes of samples) {
      expect(base64Bytes(bytes.toString("base64"))).toEqual(new Uint8Array(bytes))
      expect(base64UrlBytes(bytes.toString("base64url"))).toEqual(new Uint8Array(bytes))
    }
  })

  it("is nothing in any other form that Node would take", () => {
    const others = [
      "QQ",
      "QQ=",
      "QR==",
      "QUJ=",
      "QUI",
      "QU I=",
      "QQ==\n",
      " QQ==",
      "QQ==QQ==",
      "-_-_",
      "Q",
      "====",
      "ä==="
    ]
    for (const text of others) expect([text, base64Bytes(text)]).toEqual([text, null])
    const urls = ["QQ==", "QR", "QUJ", "Q", "+/+/", "QQ\n", "QU I", "Q=Q"]
    for (const text of urls) expect([text, base64UrlBytes(text)]).toEqual([text, null])
  })
})
