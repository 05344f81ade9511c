/**
 * What the stored bundles of Projects come to, and the alert when they pass 80 % of the budget (specification, "Cost
 * alert"): a line in the log and a count, once for each time that it is passed. Nothing is refused.
 */
import { Effect } from "effect"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, find } from "../ledger/Decision.ts"
import { Records } from "../ledger/Records.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { Limits } from "../primitives/Limits.ts"
import { Settings } from "../primitives/Settings.ts"
import * as Time from "../primitives/Time.ts"
import { Meters } from "../telemetry/Meters.ts"
import type { BundleReport } from "../model/BundleReport.ts"

const bytesUnder = Effect.fnUntraced(
  function* (prefix: string) {
    const objects = yield* ObjectStore
    let bytes = 0
    let after: string | undefined
    for (;;) {
      const found = yield* objects.list(prefix, after === undefined ? {} : { after })
      for (const { sizeBytes } of found) bytes += sizeBytes
      after = found.at(-1)?.key
      if (found.length < Limits.objectListLimit) return bytes
    }
  },
  Effect.catchTag("InvalidKey", Effect.die)
)

/** The bytes of a Project's stored bundles with their assets, those of previews too. */
export const bundleBytes = (projectId: string) =>
  Effect.zipWith(
    bytesUnder(`apps/${projectId}/`),
    bytesUnder(`app-previews/${projectId}/`),
    (apps, previews) => apps + previews
  )

/** Looks at one Project, and tells when its bundles have come over the share of its budget. */
export const report = Effect.fnUntraced(function* (projectId: BundleReport["projectId"]) {
  const bytes = yield* bundleBytes(projectId)
  const budget = (yield* Settings).bundleBytesPerProject ?? Limits.bundleBytesPerProject
  const isOver = bytes >= budget * Limits.bundleAlertShare
  const tells = yield* decideAndCommit(
    Effect.gen(function* () {
      const before = yield* find("bundleReport", projectId)
      const now = yield* Time.now
      const alertedAt = isOver ? (before?.record.alertedAt ?? now) : null
      const made: BundleReport = { projectId, bundleBytes: bytes, alertedAt, measuredAt: now }
      if (before === null && bytes === 0) return { answer: false }
      const write = before === null ? Commit.insert("bundleReport", made) : Commit.update("bundleReport", before, made)
      return {
        answer: isOver && (before?.record.alertedAt ?? null) === null,
        commit: { name: "BundleReport.report", projectId, writes: [write] }
      }
    })
  )
  if (!tells) return
  ;(yield* Meters).bundleAlerts.add()
  yield* Effect.logWarning("bundles are over 80 % of their budget").pipe(
    Effect.annotateLogs({ projectId, bundleBytes: bytes, budgetBytes: budget })
  )
})

/** Looks at a page of Projects. Answers where the next page starts; null at the end. */
export const reportPage = Effect.fnUntraced(function* (cursor: string | null) {
  const records = yield* Records
  const page = yield* records.list("project", {
    limit: Limits.projectsPerMessage,
    ...(cursor === null ? {} : { cursor })
  })
  yield* Effect.forEach(page.items, ({ record }) => report(record.id), { discard: true })
  return page.nextCursor
})
