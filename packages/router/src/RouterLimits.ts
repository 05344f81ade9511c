/** Every bound of the router, with its unit at the end of its name and its source beside it. */
const KiB = 1024
const MiB = 1024 * KiB
const second = 1000
const minute = 60 * second

/** Limits of the core that the router keeps too stand in its `Limits`. */
export const RouterLimits = {
  // Hosts (specification)
  pointerCacheMs: 10 * second,

  // Router (decisions: what one process may keep in memory, and for how long a source may keep it waiting)
  pointerCacheEntries: 10_000,
  pointerLookupMs: 5 * second,
  /** Hosts of which it is remembered what was released there last, and rows that were told of (decision). */
  releasesRemembered: 10_000,
  objectReadMs: 8 * second,
  routerBundles: 500,
  routerAssetCacheBytes: 64 * MiB,
  /** Characters of paths and rules of a bundle that count as one more of `routerBundles`. */
  routerBundleLength: 64 * KiB,
  /** Paths of a bundle for which it is remembered which of its header rules fit. */
  routerRulePaths: 256,
  /** Names of headers, and characters of one, of which it is remembered what becomes of them. */
  routerHeaderNames: 1000,
  routerHeaderNameLength: 64,
  /** Assets read from the object store at once; each is at most `buildAssetBytes`. */
  routerAssetReads: 32,
  /** A body up to this is sent in one piece with its head; with both, 16 KiB are what node:http sends without a copy. */
  routerOneWriteBytes: 14 * KiB,
  requestHeaderBytes: 16 * KiB,
  /** The path and query of a request; RFC 9110 asks for 8,000 at least. */
  requestTargetBytes: 8 * KiB,
  requestHeadersMs: 15 * second,
  /** A whole request, its body too. */
  requestMs: 5 * minute,
  connectionIdleMs: 65 * second,

  // Builds (specification)
  /** Placeholders in one pattern of a rule (decision). */
  assetRulePlaceholders: 16
} as const
