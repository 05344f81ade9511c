/** Moments in words: "3 min ago". */

const steps: ReadonlyArray<readonly [limitMs: number, unitMs: number, unit: string]> = [
  [3_600_000, 60_000, "min"],
  [86_400_000, 3_600_000, "h"],
  [30 * 86_400_000, 86_400_000, "d"]
]

/** How far a moment lies from now, both in milliseconds; from a month on its day. */
export const timeWords = (at: number, now: number): string => {
  const distance = Math.abs(now - at)
  if (distance < 60_000) return "just now"
  for (const [limit, unit, name] of steps) {
    if (distance >= limit) continue
    const words = `${Math.floor(distance / unit)} ${name}`
    return at <= now ? `${words} ago` : `in ${words}`
  }
  return new Date(at).toISOString().slice(0, 10)
}
