/** Every bound of the S3 adapter, with its unit at the end of its name and its source beside it. */
const KiB = 1024
const second = 1000

/** The bounds themselves; `…Ms` are milliseconds, `…Bytes` bytes, `…Chars` characters, what has no unit is a count. */
export const S3Limits = {
  // Objects in a bucket (decisions: how long it is waited for)
  /** Until a connection is there. */
  bucketConnectMs: 3 * second,
  /** Until a request has its answer, beside what its own bytes take. */
  bucketAnswerMs: 10 * second,
  /** More for each MiB that is sent: 256 KiB in a second is slow, and still let through. */
  bucketSendMs: 4 * second,
  /** How long nothing may come while a body is read or sent. */
  bucketSilenceMs: 10 * second,
  /** Until a stream begins, all tries together. */
  bucketOpenMs: 60 * second,
  /** How often one request is sent at most, the first time too; the waits between are the client's own, at most 6 s. */
  bucketTries: 3,
  /** How often a conditional create begins anew when what was in its way is gone. */
  bucketCreateRounds: 4,
  /** Requests of a process at once; others wait for their turn. Streams that are being read do not count. */
  bucketRequestsAtOnce: 128,
  /** Until a bucket has answered when a server starts. Without an answer it starts all the same, and is not ready. */
  bucketLookMs: 5 * second,
  /** One thing that `pawl doctor` tries of a bucket. */
  bucketTrialMs: 15 * second,
  /** Of a prefix, in UTF-8. Of a key that leaves 896 bytes: the long ones are paths of apps' files. */
  bucketPrefixBytes: 128,
  /** What is told of an answer that nobody foresaw. */
  bucketReasonChars: 200,

  // A key that signs in a KMS (decisions: how long it is waited for)
  /** Until a connection is there, and until one try has its answer. */
  kmsConnectMs: 2 * second,
  kmsAnswerMs: 3 * second,
  /** How often one request is sent at most, the first time too, and until it is over with all its tries. */
  kmsTries: 3,
  kmsRequestMs: 8 * second,
  /** Requests of a process at once; others wait for their turn. */
  kmsRequestsAtOnce: 8,
  /** How old the public key may be that is told: readiness asks for it each second. */
  kmsKeyAgeMs: 30 * second,
  /** After a failure it is left alone for so long. */
  kmsSpareMs: 1 * second,
  /** What is told of an answer that nobody foresaw. */
  kmsReasonChars: 100,

  // Objects in a bucket (S3's own bounds)
  /** Keys of one page of a list, and of one deletion. */
  bucketPageKeys: 1000,
  /** Of a key, in UTF-8, its prefix included. */
  bucketKeyBytes: 1 * KiB,
  /** The fewest and the most letters of a bucket's name. */
  bucketNameFewest: 3,
  bucketNameMost: 63
} as const
