/** Every bound of what speaks to language models, with its unit at the end of its name and its source beside it. */
const MiB = 1024 * 1024
const minute = 60_000

/** The bounds themselves; `…Ms` are milliseconds, `…Bytes` bytes, `…Chars` characters. */
export const ModelsLimits = {
  // Models and agents
  /** One call, until its whole answer is there (decision). */
  callTimeoutMs: 5 * minute,
  /** Of a look whether anybody answers at an endpoint (decision). */
  lookTimeoutMs: 5_000,
  /** Of one answer. A model's longest is far below (decision). */
  answerBytes: 16 * MiB,
  /** Of a refusal, which is only looked at (decision). */
  refusalBytes: 64 * 1024,
  /** What is told of a failure (decision). */
  reasonChars: 300
} as const
