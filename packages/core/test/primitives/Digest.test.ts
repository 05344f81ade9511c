import { createHash } from "node:crypto"
import { sha256, utf8 } from "@pawl/core/primitives/Digest"
import { Effect } from "effect"
import { expect, test } from "vitest"

const theirs = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

test("The digest of a few bytes is that of SHA-256, at every length around its blocks", async () => {
  for (let length = 0; length <= 300; length++) {
    const bytes = Uint8Array.from({ length }, (_, at) => (at * 31 + length * 7) % 256)
    expect(await Effect.runPromise(sha256(bytes))).toBe(theirs(bytes))
  }
})

test("Short and long data have the digest that every SHA-256 gives them", async () => {
  for (const length of [1, 64, 1023, 1024, 1025, 5000]) {
    const text = "é".repeat(length)
    expect(await Effect.runPromise(sha256(text))).toBe(theirs(utf8(text)))
    const bytes = new Uint8Array(length).fill(length % 251)
    expect(await Effect.runPromise(sha256(bytes))).toBe(theirs(bytes))
  }
})
