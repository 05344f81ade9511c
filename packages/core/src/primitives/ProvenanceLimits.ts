/** The bounds of statements, their signatures and their log. Others read them as `Limits`: they are part of those. */
const KiB = 1024
const MiB = 1024 * KiB
const second = 1000

/** Each bound by its name, as in `Limits`. */
export const ProvenanceLimits = {
  // Statements
  /** Bytes of a statement's payload (decision: a log entry of C2SP has at most 65,535). */
  statementBytes: 32 * KiB,
  /** Of that, checks and ChangeSets: beyond it the ChangeSets are told by their digest (decision: the rest has 4 KiB). */
  statementListBytes: 28 * KiB,
  /** Statements of an older Project that one commit writes (decision: up to 3 MiB). */
  statementsPerCommit: 100,
  /** Statements that are signed, and published, at a time (decision). */
  statementsPerBatch: 500,
  /** How far a key has signed, of so many Projects: 24 KiB of a statement (decision). */
  headsPerStatement: 400,
  /** Of their payloads, beside the first: half of what a commit may hold (decision). */
  signedBatchBytes: 2 * KiB * KiB,
  /** Statements that are read at a time before they are signed (decision). */
  statementReadsAtOnce: 16,
  /** What a signer is handed: a payload with DSSE's heading (C2SP: a log entry has at most 65,535 bytes). */
  signedBytes: 64 * KiB,
  /** How often one looks whether a signer that was away is back (issue: signed within 5 s of its return). */
  signerRetryMs: 2 * second,
  /** Public keys that a process keeps as it verifies with them (decision: reading one costs as much as a signature). */
  importedKeys: 64,

  // Passkeys
  /** Characters of the id of a credential, base64url (Web Authentication: at most 1,023 bytes). */
  credentialIdLength: 1364,
  /** Passkeys of a user that count (decision). */
  passkeysPerUser: 16,

  // Waiting
  /** After this a release that waits for its signature says so (issue: 60 s). */
  signatureWaitMs: 60 * second,
  /** How often a release looks whether its statements are signed (decision: signing takes milliseconds). */
  signaturePollMs: second / 4,
  /** How far back a release looks for its own statement before it writes another one, in entries (decision). */
  releaseLookBackEntries: 16,
  /** Entries behind a release, up to which its proof of inclusion is made when somebody asks (decision: 6 MiB are read). */
  provenEntriesBehind: 2_048,
  /** Releases, the newest, among which `why` looks for the one that was served last (decision). */
  whyReleasesLookedAt: 16,
  /** The least time between two checkpoints of a chain (decision). */
  checkpointEveryMs: 10 * second,

  // The verifier: what it reads may be hostile
  /** One envelope as a line: a payload of `statementBytes` in base64 is 44 KiB (decision). */
  envelopeBytes: 64 * KiB,
  /** Envelopes that are opened at a time, their signatures checked beside each other (decision). */
  envelopesPerBatch: 256,
  /** Batches whose signatures are on their way while the next one is opened (decision). */
  envelopeBatches: 4,
  /** Entries of one chain (decision: 10,000 generations have 40,000). */
  provenEntries: 4_000_000,
  /** Keys and passkeys of one key history (decision). */
  provenKeys: 10_000,
  /** Of a checkpoint as a signed note (C2SP: a line each, few signatures). */
  checkpointBytes: 16 * KiB,
  /** Of a record as text: a Policy names 400 packages, a plan all its checks (decision). */
  provenRecordBytes: 4 * MiB,
  /** Of a bundle.json or a list of packages that is read as a whole: modules stand in it (decision). */
  provenObjectBytes: 128 * MiB,
  /** Findings that are kept; the rest is counted (decision). */
  findingsKept: 1_000
} as const
