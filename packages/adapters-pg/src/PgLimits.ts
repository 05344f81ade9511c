/** Every bound of the Postgres adapter, with its unit at the end of its name and its source beside it. */
const KiB = 1024
const MiB = 1024 * KiB
const second = 1000

/** The bounds themselves; `…Ms` are milliseconds, `…Bytes` bytes, what has no unit is a count. */
export const PgLimits = {
  // Postgres (decisions: what one process may keep in memory)
  /** Texts of statements that are kept as they are sent. They are made from the tables and a few lengths. */
  statementTexts: 4096,
  /** Statements that a connection keeps prepared; the one that was used longest ago goes first. */
  statementsPrepared: 256,
  /** A buffer for the messages of a pipeline, as it is first, and up to which size it is kept for the next one. */
  wireFirstBytes: 4 * KiB,
  wireKeptBytes: 1 * MiB,
  /** Topics that wait while there is no connection; beyond them the others' polling must do. */
  noticeTopicsKept: 10_000,
  /** Topics of one notice, which holds less than 8,000 bytes (Postgres's own bound). */
  noticeTopicsAtOnce: 7,

  /** Rights that are named at a time, of those that are missing or too many. */
  rightsShown: 8,
  /** Rows of a snapshot that are read at a time. */
  snapshotRows: 500,

  // Postgres (decisions: how long it is waited for)
  /** How long a statement may take; a lock is waited for half as long. */
  statementMs: 15 * second,
  /** How long it may take to get a connection. */
  connectMs: 5 * second,
  /** A server that is silent for this much longer than a statement may take is given up. */
  serverSilenceMs: 5 * second,
  /** How often the connection for notices is asked whether it is there, and how long the answer may take. */
  noticeHeartbeatMs: 5 * second,
  /** How often and for how long a process that only routes looks whether its database is prepared for it. */
  routerLookMs: 500,
  routerWaitMs: 60 * second,
  /** How long after that connection was lost it is made anew. */
  noticeRetryMs: 250
} as const
