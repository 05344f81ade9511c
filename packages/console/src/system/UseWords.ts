/** Amounts in words. */

/** Bytes, to one digit: "1.4 MB". MB means 2^20 bytes. */
export const bytesWords = (bytes: number): string => {
  const units = ["bytes", "KB", "MB", "GB", "TB"]
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  const amount = bytes / 1024 ** step
  return `${step === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${units[step]}`
}

/** Milliseconds: "42 s", "12 min", "3.5 h". */
export const durationWords = (ms: number): string => {
  const seconds = ms / 1000
  if (seconds < 100) return `${Math.round(seconds)} s`
  return seconds < 6000 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`
}
