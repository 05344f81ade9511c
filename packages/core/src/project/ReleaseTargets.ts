/** What a Project's promotions are released to, and the use cases of the release target. */
import { Effect } from "effect"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, find } from "../ledger/Decision.ts"
import { pointerKey } from "../model/Entities.ts"
import { InvalidField, Unknown } from "../ledger/Refusals.ts"
import { Limits } from "../primitives/Limits.ts"
import { OutboundRule, refusedHost } from "../primitives/OutboundAddress.ts"
import { Settings } from "../primitives/Settings.ts"
import * as Time from "../primitives/Time.ts"
import { demandActive, unchangedProject } from "./ArchivedProject.ts"
import { touchHead } from "./HeadGuard.ts"
import { remoteUrl } from "../model/RemoteUrl.ts"
import type { ReleaseTarget } from "../model/ReleaseTarget.ts"

/** What a promotion of a Project is released to. */
export type ReleasesTo = { readonly _tag: "App" } | { readonly _tag: "Target"; readonly target: ReleaseTarget } | null

/** The Project's app where apps are hosted; else, in development, its release target; null when there is neither. */
export const releasesTo = Effect.fnUntraced(function* (projectId: string) {
  const settings = yield* Settings
  if (settings.appsDomain !== null) {
    const pointer = yield* find("pointer", pointerKey(projectId, "production"))
    if (pointer !== null && pointer.record.status !== "removed") return { _tag: "App" } as ReleasesTo
  }
  if (settings.environment !== "development") return null as ReleasesTo
  const target = yield* find("releaseTarget", projectId)
  return target === null ? null : ({ _tag: "Target", target: target.record } as ReleasesTo)
})

/** What an admin sets of a release target, all at once. */
export interface TargetFields {
  readonly workerName: string
  readonly workerTag: string
  readonly url: string
  /** Null as absent: nothing is pushed. */
  readonly remote?: string | null | undefined
}

/** `https://name.workers.dev` out of what was sent; null for anything that holds more than scheme, host and port. */
const originOf = (url: string): string | null => {
  const found = /^(https?):\/\/([a-z0-9-]+(?:\.[a-z0-9-]+)*)(:[0-9]{1,5})?\/?$/i.exec(url)
  return found === null || url.length > Limits.releaseTargetUrlLength
    ? null
    : `${found[1]}://${found[2]}${found[3] ?? ""}`.toLowerCase()
}

const hostOf = (origin: string): string => origin.replace(/^https?:\/\//, "").replace(/:[0-9]+$/, "")

const checked = Effect.fnUntraced(function* (fields: TargetFields) {
  const refuse = (field: string, reason: string) => new InvalidField({ code: "invalid_field", field, reason })
  const name = new RegExp(`^[a-z0-9][a-z0-9_-]{0,${Limits.releaseTargetNameLength - 1}}$`)
  if (!name.test(fields.workerName))
    return yield* refuse("workerName", `use 1 to ${Limits.releaseTargetNameLength} lowercase letters, digits, - and _`)
  if (!new RegExp(`^[A-Za-z0-9-]{1,${Limits.releaseTargetTagLength}}$`).test(fields.workerTag))
    return yield* refuse("workerTag", `use 1 to ${Limits.releaseTargetTagLength} letters, digits and -`)
  const url = originOf(fields.url)
  if (url === null) return yield* refuse("url", "use a http or https URL with a host and nothing after it")
  const refused = (yield* OutboundRule).allowPrivate ? null : refusedHost(hostOf(url))
  if (refused !== null) return yield* refuse("url", refused)
  const remote = fields.remote == null ? null : remoteUrl(fields.remote)
  if (fields.remote != null && remote === null)
    return yield* refuse(
      "remote",
      "use https://host/path or ssh://user@host/path of a git repository, without a password in it"
    )
  return {
    workerName: fields.workerName,
    workerTag: fields.workerTag,
    url,
    ...(remote === null ? {} : { remote })
  }
})

/** Names the worker that a Project's promotions are released to. Fails with `InvalidField`. The same again changes nothing. */
export const putTarget = (projectId: string, fields: TargetFields) =>
  Effect.flatMap(checked(fields), (good) =>
    decideAndCommit(
      Effect.gen(function* () {
        const project = yield* demandActive(projectId)
        const before = yield* find("releaseTarget", projectId)
        const now = yield* Time.now
        const target: ReleaseTarget = {
          projectId: project.record.id,
          ...good,
          createdAt: before?.record.createdAt ?? now,
          updatedAt: now
        }
        const same =
          before?.record.workerName === good.workerName &&
          before.record.workerTag === good.workerTag &&
          before.record.url === good.url &&
          before.record.remote === good.remote
        if (before !== null && same) return { answer: before.record }
        const write: Commit.Write =
          before === null
            ? Commit.insert("releaseTarget", target)
            : // Whole, not field by field: a remote that is not named any more goes.
              { _tag: "Update", kind: "releaseTarget", record: target, from: before.record, revision: before.revision }
        const writes = [write, ...(yield* touchHead(projectId))]
        return {
          answer: target,
          commit: { name: "ReleaseTargets.put", projectId, expects: [unchangedProject(project)], writes }
        }
      })
    )
  )

/** The target of a Project, or `Unknown`. */
export const getTarget = (projectId: string) =>
  Effect.flatMap(find("releaseTarget", projectId), (target) =>
    target === null
      ? Effect.fail(new Unknown({ kind: "release-target", id: projectId }))
      : Effect.succeed(target.record)
  )

/** Forgets the target. A release that is under way there fails at its next step. Answers what it was, or `Unknown`. */
export const deleteTarget = (projectId: string) =>
  decideAndCommit(
    Effect.gen(function* () {
      const target = yield* find("releaseTarget", projectId)
      if (target === null) return yield* new Unknown({ kind: "release-target", id: projectId })
      return {
        answer: target.record,
        commit: {
          name: "ReleaseTargets.delete",
          projectId,
          writes: [
            { _tag: "Delete" as const, kind: "releaseTarget" as const, id: projectId, revision: target.revision },
            ...(yield* touchHead(projectId))
          ]
        }
      }
    })
  )
