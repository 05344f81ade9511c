/** The bounds of merges, of packs, and of repositories that are kept as such: a part of `LocalLimits`, where their users find them. */
const KiB = 1024
const MiB = 1024 * KiB

/** `…Bytes` are bytes, what has no unit is a count. */
export const PackLimits = {
  // Merges without git (decisions)
  /** Commits of which it is remembered what they are made of. */
  gitKnownCommits: 10_000,
  /** Commits that one side may add for its merge to be made without git, and how many of the other are looked at first. */
  gitMergeLine: 32,
  /** Commits of the canonical line that are passed over while a merge's base is looked for, and how many others are looked at. */
  gitMergeBehind: 64,
  gitMergeSteps: 256,

  // Packs of repositories (decisions, after what was measured)
  /** Packs in a folder before they are joined. */
  gitPacks: 32,
  /** A larger pack goes into the object store, a smaller one into its row. */
  packRowBytes: 64 * KiB,
  /** Packs of one repository that are fetched at once. */
  packFetches: 4,
  /** Bytes of packs that are worth a git of their own, which takes about as long to start as it takes to unpack them. */
  packPartBytes: 256 * KiB,
  /** About what the cache of repositories may take on the disk; what was used longest ago goes first. */
  cacheBytes: 10 * 1024 * MiB,
  /** What a file is counted for beside its bytes: a block of most file systems. */
  cacheFileBytes: 4 * KiB,
  /** Objects in files of their own, in a copy, before they and its packs are joined. */
  packLooseObjects: 1000,
  /** How often a write begins anew because another machine was quicker. One line has one writer nearly always. */
  packConflicts: 8,
  /** How often work begins anew because the copy under it was deleted, damaged or thrown away; and how often a copy is
      made anew because git did not take what it should hold. */
  packReads: 8,
  packRenewals: 3,

  // Copies of an installation (decisions: a pack is held in memory, as all that is stored)
  /** Rows of a snapshot that are read at a time. */
  snapshotRows: 500,
  /** A pack of a repository in a folder, and the names of its commits. */
  copiedPackBytes: 1024 * MiB,
  copiedRefsBytes: 64 * MiB
} as const
