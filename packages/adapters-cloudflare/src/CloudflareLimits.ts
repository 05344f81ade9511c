/** Every bound of what speaks to Cloudflare, with its unit at the end of its name and its source beside it. */
const MiB = 1024 * 1024
const KiB = 1024
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

  // Apps (specification, "Limits"; they are those of other runtimes)
  appCpuMs: 50,
  appSubrequests: 20,
  appWallMs: 30 * second,
  /** Of what an app threw, in characters (decision). */
  appReasonLength: 500,

  // R2 (Cloudflare's limits of R2)
  /** Objects that are listed, and deleted, by one request. */
  bucketDeletedAtOnce: 1000,

  // SQLite of a Durable Object (Cloudflare's limits of Durable Objects)
  /** Parameters of one statement. */
  sqlParameters: 100,
  sqlStatementBytes: 100 * KiB,
  /** A row, and so each value in it. */
  sqlRowBytes: 2 * MiB
} as const
