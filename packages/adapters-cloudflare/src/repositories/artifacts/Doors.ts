/** Which repositories there are on Artifacts, and how they are spoken to. What was learned is kept for as long as it lasts. */
import { Effect } from "effect"
import type { RepositoriesUnavailable } from "@pawl/core/project/Repositories"
import * as Time from "@pawl/core/primitives/Time"
import { CloudflareLimits } from "../../CloudflareLimits.ts"
import { away } from "../HeldRepositories.ts"
import { type Artifacts, type ArtifactsRepository, calling, refused, using } from "./Artifacts.ts"
import { type Door, type Fetch, shown, type Shown } from "./GitRemote.ts"

/** A repository that is there, as it shows itself now. */
export interface Seen extends Shown {
  readonly door: Door
}

/** Repositories by their names. */
export interface Doors {
  /** Null where there is none. */
  readonly see: (name: string) => Effect.Effect<Seen | null, RepositoriesUnavailable>
  /** Makes an empty repository; one that is there is left as it is. */
  readonly create: (name: string) => Effect.Effect<void, RepositoriesUnavailable>
  /** Makes a repository with the history of another; one that is there is left as it is. */
  readonly fork: (source: string, name: string) => Effect.Effect<void, RepositoriesUnavailable>
  /** Deletes what may be there. */
  readonly remove: (name: string) => Effect.Effect<void, RepositoriesUnavailable>
  readonly forget: (name: string) => void
}

const isThere = new Set(["ALREADY_EXISTS", "CREATE_IN_PROGRESS", "FORK_IN_PROGRESS"])

/** Whether Artifacts allows a name: https://developers.cloudflare.com/artifacts/platform/limits/. */
const isAllowed = (name: string): boolean =>
  name.length <= CloudflareLimits.artifactsNameLength && /^[a-z0-9][a-z0-9-]{2,}$/.test(name)

interface Known {
  readonly door: Door
  readonly untilMs: number
}

const opening = (repository: ArtifactsRepository): ReturnType<typeof calling<Known>> =>
  Effect.gen(function* () {
    const { id: born, remote } = yield* calling("info", () => repository.info())
    const nowMs = yield* Time.steadyMillis
    const { plaintext: token } = yield* calling("createToken", () =>
      repository.createToken("write", CloudflareLimits.artifactsTokenSeconds)
    )
    // Half of its time: what is begun with it is over before it is.
    return { door: { born, remote, token }, untilMs: nowMs + CloudflareLimits.artifactsTokenSeconds * 500 }
  })

/** Nothing is known yet. */
export const make = (artifacts: Artifacts, fetch: Fetch): Doors => {
  const doors = new Map<string, Known>()

  const doorOf = Effect.fnUntraced(function* (name: string) {
    const known = doors.get(name)
    if (known !== undefined && known.untilMs > (yield* Time.steadyMillis)) return known.door
    const found = yield* Effect.catchTag(using(artifacts, name, opening), "ArtifactsRefused", refused)
    if (found === null) doors.delete(name)
    else doors.set(name, found)
    return found?.door ?? null
  })

  const see = Effect.fnUntraced(function* (name: string): Effect.fn.Return<Seen | null, RepositoriesUnavailable> {
    // A door that is known may be of a repository that is gone, or whose name another one has by now.
    for (const _ of ["known", "new"]) {
      const door = yield* doorOf(name)
      if (door === null) return null
      const found = yield* Effect.catchTag(shown(fetch, door), "DoorClosed", () => Effect.succeed(null))
      if (found !== null) return { door, ...found }
      doors.delete(name)
    }
    return yield* away("Artifacts does not let its own token in")
  })

  const made = (
    name: string,
    work: ReturnType<typeof calling<unknown>>
  ): Effect.Effect<void, RepositoriesUnavailable> =>
    isAllowed(name)
      ? Effect.catchTag(Effect.asVoid(work), "ArtifactsRefused", (error) =>
          isThere.has(error.code) ? Effect.void : refused(error)
        )
      : Effect.fail(away("Artifacts allows no such name"))

  return {
    see,
    create: (name) =>
      made(
        name,
        calling("create", () => artifacts.create(name, { setDefaultBranch: "main" }))
      ),
    fork: (source, name) =>
      made(
        name,
        using(artifacts, source, (repository) =>
          calling("fork", () => repository.fork(name, { defaultBranchOnly: true }))
        )
      ),
    remove: (name) =>
      Effect.suspend(() => {
        doors.delete(name)
        return Effect.asVoid(
          Effect.catchTag(
            calling("delete", () => artifacts.delete(name)),
            "ArtifactsRefused",
            (error) => (error.code === "NOT_FOUND" ? Effect.succeed(false) : refused(error))
          )
        )
      }),
    forget: (name) => void doors.delete(name)
  }
}
