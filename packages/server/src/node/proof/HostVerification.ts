/** Verifies what an app's own host says of itself, and remembers what was good. */
import { type HostPage, type HostVerdict, materialOf, verifyHost } from "@pawl/core/proof/HostProof"
import { Limits } from "@pawl/core/primitives/Limits"
import type { Finding } from "@pawl/core/proof/Findings"
import { Effect } from "effect"
import { originOf } from "./CloneFolder.ts"
import {
  type MemoryUnusable,
  pin,
  releaseSeen,
  remember,
  rememberRelease,
  seenOf,
  shownBy
} from "./KnownCheckpoints.ts"
import { nodeEngine } from "./NodeEngine.ts"
import type { Subject } from "./Subjects.ts"
import { folded } from "./VerdictLines.ts"
import type { Asked } from "./Verification.ts"

/** A host, and what it says. */
export interface AskedHost {
  readonly address: string
  readonly page: HostPage
}

/** Its Project, as far as a host tells of it: the history of keys and the checkpoints. */
export const subjectOfHost = ({ page }: AskedHost): Subject => ({
  project: page.project,
  origin: originOf(page.checkpoint ?? ""),
  material: materialOf(page, []),
  trust: null,
  repository: null
})

/** What a host came to. */
export interface ToldHost extends AskedHost {
  readonly verdict: HostVerdict
  readonly findings: ReadonlyArray<Finding>
  readonly isOld: boolean
  readonly remarks: ReadonlyArray<string>
}

const elsewhere = "give the address of its server, a folder or a clone"

/** What is not there to be looked at, and what nobody vouches for. */
const remarksOf = ({ page }: AskedHost, { isSummed, missing }: HostVerdict, kept: boolean): ReadonlyArray<string> => [
  ...missing.map((what) => `not verified: ${what} is not there; ask again after some 10 s, or ${elsewhere}`),
  ...(isSummed ? [] : [`nothing vouches for the commit: no summary of S${page.generation ?? "-"} is there`]),
  ...(kept ? [`whether the log goes on from what was seen of it before is not shown here: ${elsewhere}`] : []),
  `not looked at, for it is not here: files as a host serves them (their bundle.json is not told there), records, objects, the repository`
]

/** What was good is remembered, and its key pinned. Answers what could not be written. */
const learn = Effect.fnUntraced(function* ({ pins, state }: Asked, { page }: AskedHost, verdict: HostVerdict) {
  const { firstKey: key, release } = verdict
  const { checkpoint = null, keys, project } = page
  if (key === null) return []
  const keysCheckpoint = keys?.checkpoint ?? null
  const writing: ReadonlyArray<Effect.Effect<void, MemoryUnusable>> = [
    ...(checkpoint === null ? [] : [remember(state, { chain: shownBy(project), key }, checkpoint)]),
    ...(keysCheckpoint === null ? [] : [remember(state, { chain: "instance", key }, keysCheckpoint)]),
    ...(release === null ? [] : [rememberRelease(state, { chain: project, key }, release)]),
    ...(pins === null ? [] : [pin(state, project, pins)])
  ]
  const told = yield* Effect.forEach(writing, (each) =>
    Effect.match(each, { onSuccess: () => [], onFailure: ({ reason }) => [reason] })
  )
  return told.flat().map((reason) => `what was seen is not remembered: ${reason}`)
})

/** Verifies a host. Fails with `MemoryUnusable` where what was seen before cannot be read. */
export const hostVerified = Effect.fnUntraced(function* (asked: Asked, host: AskedHost) {
  const { address, page } = host
  const { acceptRestore, keys, maxAgeMs, now, state } = asked
  const { origin, project } = subjectOfHost(host)
  const ofLog = (yield* Effect.forEach([project, shownBy(project)], (chain) => seenOf(state, chain, keys))).flat()
  const seen = [...(asked.seen === null ? [] : [asked.seen]), ...ofLog, ...(yield* seenOf(state, "instance", keys))]
  const wait = Limits.signatureWaitMs
  const instant = (ms: number) => new Date(ms).toISOString()
  const verdict: HostVerdict = yield* verifyHost(page, {
    hostname: new URL(address).hostname,
    trust: {
      keys,
      project,
      origin,
      logKey: null,
      origins: [],
      waiting: { from: instant(now - wait), to: instant(now + wait) }
    },
    seen,
    release: yield* releaseSeen(state, project, keys),
    acceptRestore,
    engine: yield* nodeEngine
  })
  const isOld = maxAgeMs !== null && (verdict.at === null || now - Date.parse(verdict.at) > maxAgeMs)
  const { findings, missing } = verdict
  const isGood = findings.length === 0 && missing.length === 0 && !isOld
  const isOther = ofLog.some((text) => text !== page.checkpoint)
  const remarks = [
    ...(isOld ? [`its release was stated at ${verdict.at ?? "no time"}: longer ago than --max-age`] : []),
    ...remarksOf(host, verdict, isOther),
    ...(isGood ? yield* learn(asked, host, verdict) : [])
  ]
  return { ...host, verdict, findings, isOld, remarks } satisfies ToldHost
}, Effect.scoped)

/** 0 for nothing found, 1 for findings, 2 where it could not be verified. */
export const hostExitCode = ({ findings, isOld, verdict }: ToldHost): number => {
  if (findings.some(({ code }) => code === "pack_unreadable")) return 2
  return findings.length > 0 || isOld ? 1 : verdict.missing.length > 0 ? 2 : 0
}

/** How it is, each finding, and what else there is to say. */
export const hostLines = ({ findings, page, remarks, verdict }: ToldHost): ReadonlyArray<string> => {
  const { checkpoint, isSummed, keyid, release } = verdict
  const isGood = findings.length === 0 && verdict.missing.length === 0
  const said = [
    `S${page.generation ?? "-"}`,
    `commit ${page.commit ?? "-"}${isSummed ? "" : " (by its own word)"}`,
    `bundle ${page.bundle.sha256 ?? "-"}`,
    ...(release === null ? ["no statement"] : [`entry ${release.entry}`, keyid === null ? "unsigned" : `by ${keyid}`]),
    checkpoint === null ? "no checkpoint" : `checkpoint ${checkpoint}`
  ]
  return [
    `${isGood ? "ok  " : "    "} ${page.project}  ${said.join("  ")}`,
    ...folded("FAIL", findings),
    ...remarks.map((remark) => `     ${remark}`)
  ]
}

/** The same as JSON. */
export const hostJson = ({ address, findings, isOld, page, remarks, verdict }: ToldHost) => {
  const { bundle, channel, commit, generation, incarnation, project } = page
  return {
    ...verdict,
    project,
    host: address,
    served: { bundle: bundle.sha256, generation, commit, channel, incarnation },
    findings,
    isOld,
    remarks
  }
}
