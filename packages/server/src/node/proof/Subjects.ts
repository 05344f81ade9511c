/** What there is to verify: Projects of a data folder, a pack, a clone, or one of a server, with what is served of it. */
import { existsSync } from "node:fs"
import { short } from "@pawl/core/primitives/ShortText"
import type { Live, Material, Trust } from "@pawl/core/proof/Material"
import { Effect } from "effect"
import { isClone, readClone } from "./CloneFolder.ts"
import type { Repository } from "./GitSource.ts"
import { isInstallation, readInstallation } from "./InstallationFolder.ts"
import { isPack, readPack } from "./PackFolder.ts"
import { unreadable } from "./ProofFiles.ts"
import { readApp } from "./ServedApp.ts"
import { projectsOf, readServer } from "./ServedStatements.ts"

/** One Project that is to be verified. */
export interface Subject {
  readonly project: string
  /** The origin of its log in the first epoch. */
  readonly origin: string
  readonly material: Material
  /** Whom the material itself says to believe; null where it does not. */
  readonly trust: Trust | null
  /** Where its sources lie; null for nowhere. */
  readonly repository: Repository | null
}

/** What somebody wants verified. */
export interface Wanted {
  /** A folder, or the address of a server. */
  readonly what: string
  /** Of a server it must be given where whoever asks sees several. */
  readonly project: string | null
  /** For a server. */
  readonly token: string | null
  /** The host of an app, which is asked what it serves. */
  readonly live: string | null
}

/** Whether it is an address, and no folder. */
export const isAddress = (what: string): boolean => /^https?:\/\/[^/]/.test(what)

const howMany = 8

/** The Project of a server where whoever asks sees one alone. Fails in words that say what to give else. */
const onlyProject = Effect.fnUntraced(function* (address: string, token: string | null) {
  const seen = yield* projectsOf(address, token)
  if (seen === null) {
    return yield* unreadable(
      address,
      "no Pawl answers there; where it is the host of an app, that says nothing of itself: no app is live there, or PAWL_PROVENANCE_PUBLIC is none. Give the address of its server with --project and --live"
    )
  }
  const [only, ...more] = seen.projects
  if (only === undefined) return yield* unreadable(address, "this token sees no Project there: give another --token")
  if (more.length === 0 && !seen.isCut) return only.id
  const named = seen.projects.slice(0, howMany).map(({ id, slug }) => `${id} (${slug})`)
  return yield* unreadable(address, `say which Project with --project: ${short(named.join(", "))}`)
})

const onServer = Effect.fnUntraced(function* ({ project: named, token, what }: Wanted) {
  const project = named ?? (yield* onlyProject(what, token))
  const { app, ...served } = yield* readServer(what, project, token)
  return { app, subject: { project, ...served, trust: null, repository: null } satisfies Subject }
})

const inFolder = Effect.fnUntraced(function* ({ what }: Wanted) {
  if (!existsSync(what)) return yield* unreadable(what, "it is not there")
  if (isPack(what)) {
    const { material, repository, trust } = yield* readPack(what)
    return [{ project: trust.project, origin: trust.origin, material, trust, repository }]
  }
  if (isInstallation(what)) return (yield* readInstallation(what)).map((each) => ({ ...each, trust: null }))
  if (isClone(what)) {
    const clone = yield* readClone(what)
    return [{ project: clone.origin.slice(clone.origin.lastIndexOf("/") + 1), ...clone, trust: null }]
  }
  return yield* unreadable(what, "it is no data folder, no pack and no clone with statements")
})

/** With what a host says that it serves. Fails where it serves none of these Projects. */
const withLive = Effect.fnUntraced(function* (subjects: ReadonlyArray<Subject>, address: string) {
  const { live, project } = yield* readApp(address)
  const of = project === null && subjects.length === 1 ? subjects[0] : subjects.find((each) => each.project === project)
  if (of === undefined)
    return yield* unreadable("live", `${address} says that it serves ${project ?? "nothing"}: choose another --project`)
  const served: Live = yield* live(of.material.object)
  const material: Material = { ...of.material, live: [...of.material.live, served] }
  return subjects.map((each) => (each === of ? { ...of, material } : each))
})

/** Finds them. Fails with `MaterialUnreadable`. */
export const subjectsOf = Effect.fnUntraced(function* (wanted: Wanted) {
  if (isAddress(wanted.what)) {
    const { app, subject } = yield* onServer(wanted)
    const host = wanted.live ?? app
    return host === null ? [subject] : yield* withLive([subject], host)
  }
  const { live, project } = wanted
  const found: ReadonlyArray<Subject> = yield* inFolder(wanted)
  const subjects = found.filter((each) => project === null || each.project === project)
  return live === null || subjects.length === 0 ? subjects : yield* withLive(subjects, live)
})
