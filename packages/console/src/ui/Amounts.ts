/** Amounts in words. */

/** `$1.20`; small ones with as many digits as they need. */
export const money = (usd: number): string => `$${usd > 0 && usd < 0.01 ? usd.toPrecision(1) : usd.toFixed(2)}`

const units = ["B", "KB", "MB", "GB", "TB"]

/** `3.4 MB`, in steps of 1,024. */
export const bytes = (count: number): string => {
  const step = count < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(count) / 10))
  const amount = count / 1024 ** step
  return `${step === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${units[step]}`
}

/** `850 ms`, `12 s`, `3 min 5 s`, `2 h 10 min`. */
export const duration = (ms: number): string => {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${ms < 10_000 ? (ms / 1000).toFixed(1) : seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
