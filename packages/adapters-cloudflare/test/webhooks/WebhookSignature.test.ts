/** Signatures of webhooks made by the runtime's own HMAC, read by the library that receivers use. */
import { signatureOf } from "@pawl/adapters-cloudflare/webhooks/WebhookSignature"
import { Redacted } from "effect"
import { Webhook } from "standardwebhooks"
import { describe, expect, it } from "vitest"

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const other = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDC2FVsBQIhrs="
const id = "evt_01JABCDEFGH"
const body = JSON.stringify({ type: "canonical.advanced", data: { text: "Käse \u{1F9C0}" } })

const signed = async (key: string, text = body) => {
  const sentAtSeconds = Math.floor(Date.now() / 1000)
  const signature = await signatureOf(Redacted.make(key), { id, sentAtSeconds, body: text })
  return { "webhook-id": id, "webhook-timestamp": String(sentAtSeconds), "webhook-signature": signature }
}

describe("The signature of a webhook on Cloudflare", () => {
  it("is what a receiver's library takes for the same secret, with its prefix and without", async () => {
    for (const each of [secret, other, other.slice("whsec_".length)])
      expect(new Webhook(each).verify(body, await signed(each))).toEqual(JSON.parse(body))
  })

  it("is none for another secret, another body or another time", async () => {
    const headers = await signed(secret)
    expect(() => new Webhook(other).verify(body, headers)).toThrow("No matching signature")
    expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow("No matching signature")
    const later = { ...headers, "webhook-timestamp": String(Number(headers["webhook-timestamp"]) + 1) }
    expect(() => new Webhook(secret).verify(body, later)).toThrow("No matching signature")
  })

  it("is the very text that the library makes, of an empty body too", async () => {
    const sentAt = new Date(1_700_000_000_000)
    for (const text of ["", body]) {
      const own = await signatureOf(Redacted.make(secret), { id, sentAtSeconds: 1_700_000_000, body: text })
      expect(own).toBe(new Webhook(secret).sign(id, sentAt, text))
    }
  })
})
