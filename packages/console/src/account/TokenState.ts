/** Whether a token counts. */

/** The name under which one's tokens are kept. */
export const tokensKey = ["tokens"] as const

/** `now` is in milliseconds. */
export const stateOf = (
  { expiresAt, revokedAt }: { readonly expiresAt: string | null; readonly revokedAt: string | null },
  now: number
): "live" | "ended" | "revoked" => {
  if (revokedAt !== null) return "revoked"
  return expiresAt !== null && Date.parse(expiresAt) <= now ? "ended" : "live"
}

/** How long a new token counts, in days; null for no end of its own. */
export const lives = { "7": "7 days", "30": "30 days", "90": "90 days", "365": "A year", never: "No end" } as const
/** One of `lives`. */
export type Life = keyof typeof lives

const dayMs = 24 * 60 * 60 * 1000

/** When a token of this life ends, ISO 8601; undefined for no end of its own. */
export const endOf = (life: Life, now: number): string | undefined =>
  life === "never" ? undefined : new Date(now + Number(life) * dayMs).toISOString()
