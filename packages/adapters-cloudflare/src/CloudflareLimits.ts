/** Every bound of what speaks to Cloudflare, with its unit at the end of its name and its source beside it. */
const MiB = 1024 * 1024
const second = 1000

/** The bounds themselves; `…Ms` are milliseconds, `…Bytes` bytes, what has no unit is a count. */
export const CloudflareLimits = {
  // Build services (decisions)
  /** One request to a build service (decision). */
  buildServiceTimeoutMs: 30 * second,
  buildServiceBodyBytes: 4 * MiB,
  buildServicePageSize: 50,
  /** Pages of builds that are looked through for a commit, newest first (decision). */
  buildServicePages: 3,

  // Builds by Worker Loader
  /** CPU time of one build (decision; Cloudflare allows 30 s, or more where it is asked for). */
  buildCpuMs: 30 * second,
  /** Workers of builds at once: a request may have 4 dynamic Workers in flight (Cloudflare). */
  loaderBuildsAtOnce: 4,
  /** What one order may hold: two Workers of 128 MB hold it, and a message of RPC has 32 MiB (Cloudflare; decision). */
  buildOrderBytes: 16 * MiB
} as const
