/**
 * Serves a clone or a fetch out of repositories that are held in memory. A pack is made piece by piece while it is sent; its
 * objects are whole, without deltas.
 */
import { Context, Effect } from "effect"
import type { ObjectNotFound, RepositoriesUnavailable } from "@pawl/core/project/Repositories"
import type { ShownRef } from "@pawl/adapters-local/repositories/transport/GitTransport"
import { statementsRef } from "@pawl/adapters-local/repositories/transport/StatementFiles"
import { CloudflareLimits } from "../../CloudflareLimits.ts"
import { closure } from "../Ancestry.ts"
import type { HeldRepositories, Line } from "../HeldRepositories.ts"
import type { Objects } from "../Tree.ts"
import { statementsPlace } from "./HeldStatements.ts"
import { historyOf, packChoice } from "./PackChoice.ts"
import { fetchAnswer, listing, opening, type Pieces, refusal, sendsPack, type Talk } from "./UploadAnswer.ts"
import { askedBy, type FetchAsked } from "./UploadRequest.ts"

/** What a client asks, and what it may see. */
export interface FetchRequest {
  readonly project: string
  /** `refs/heads/main` is where `HEAD` points. A ref whose repository is gone is left out. */
  readonly refs: ReadonlyArray<ShownRef>
  /** What the client asks, or `null` for the list of refs that a conversation begins with. */
  readonly request: Uint8Array | null
  /** Of git's protocol. */
  readonly version: 0 | 1 | 2
}

/** Answers clones and fetches where there is no git, without the HTTP around them. */
export class FetchServer extends Context.Service<
  FetchServer,
  {
    /**
     * Answers one request, out of the shown refs and nothing else. What cannot be answered is told to git in words.
     */
    readonly serve: (asked: FetchRequest) => Effect.Effect<Pieces, ObjectNotFound | RepositoriesUnavailable>
  }
>()("@pawl/adapters-cloudflare/repositories/transport/FetchServer") {}

/** A ref, and what its commit is made of. */
interface Found {
  readonly ref: ShownRef
  readonly line: Line
}

/** Statements lie apart. */
const placeOf = ({ at, name }: ShownRef) => (name === statementsRef ? statementsPlace(at.project) : at)

const lineOf = (held: HeldRepositories, ref: ShownRef) =>
  Effect.catchTag(held.line(placeOf(ref)), "ObjectNotFound", () => Effect.succeed(null))

/** The refs that are there. */
const finding = Effect.fnUntraced(function* (
  held: HeldRepositories,
  refs: ReadonlyArray<ShownRef>
): Effect.fn.Return<ReadonlyArray<Found>, RepositoriesUnavailable> {
  const found: Array<Found> = []
  for (const ref of refs) {
    const line = yield* lineOf(held, ref)
    if (line?.get(ref.commit)?.type === "commit") found.push({ ref, line })
  }
  return found
})

const across = (lines: ReadonlyArray<Objects>): Objects => ({
  get: (id) => {
    for (const line of lines) {
      const found = line.get(id)
      if (found !== undefined) return found
    }
    return undefined
  }
})

/** The objects that shown refs lead to; nothing else is anybody's to ask for by its id. */
const reached = (found: ReadonlyArray<Found>): ReadonlySet<string> => {
  const ids = new Set<string>()
  for (const { line, ref } of found)
    for (const id of closure(line, ref.commit, (each) => ids.has(each))?.keys() ?? []) ids.add(id)
  return ids
}

const talkOf = (objects: Objects, asked: FetchAsked): Talk => {
  const common = asked.haves.filter((id) => objects.get(id)?.type === "commit")
  const known = new Set(common)
  const meets = (id: string) => [...historyOf(objects, [id], asked.shallow)].some((each) => known.has(each))
  return { asked, common, isEnough: common.length > 0 && asked.wants.every(meets) }
}

const tooMuch = `What is asked for comes to more than ${CloudflareLimits.repositoryBytes} bytes, which is too much where there is no git. Fetch less at a time: git clone --depth 1`

const answerTo = (objects: Objects, asked: FetchAsked, version: 0 | 1 | 2): Pieces => {
  const talk = talkOf(objects, asked)
  const isSent = sendsPack(talk, version)
  if (!isSent && asked.depth === null) return fetchAnswer(talk, null, version)
  const choice = packChoice(objects, { ...asked, common: talk.common })
  if (choice === null) return [refusal("Some of what is asked for is not there.")]
  if (choice.bytes > CloudflareLimits.repositoryBytes) return [refusal(tooMuch)]
  // What a depth cuts off is told with the pack, or before it where the older protocol asks first.
  return fetchAnswer(talk, isSent || version < 2 ? choice : null, version)
}

const fetching = Effect.fnUntraced(function* (
  held: HeldRepositories,
  { refs, version }: FetchRequest,
  asked: FetchAsked
): Effect.fn.Return<Pieces, RepositoriesUnavailable> {
  const wants = new Set(asked.wants)
  // Most clients want what refs lead to: the forks of other refs need not be read.
  const wanted = yield* finding(
    held,
    refs.filter(({ commit }) => wants.has(commit))
  )
  const tips = new Set(wanted.map(({ ref }) => ref.commit))
  const others = asked.wants.filter((id) => !tips.has(id))
  if (others.length === 0) return answerTo(across(wanted.map(({ line }) => line)), asked, version)
  const found = version === 2 ? yield* finding(held, refs) : []
  const ids = reached(found)
  const hidden = others.find((id) => !ids.has(id))
  if (hidden !== undefined) return [refusal(`upload-pack: not our ref ${hidden}`)]
  return answerTo(across(found.map(({ line }) => line)), asked, version)
})

/** `FetchServer` on repositories that are held. */
export const make = (held: HeldRepositories): typeof FetchServer.Service => ({
  serve: (request) =>
    Effect.gen(function* () {
      yield* held.line({ project: request.project })
      const { version } = request
      const asked = request.request === null ? null : askedBy(request.request, version)
      if (asked?._tag === "Wrong") return [refusal(asked.words)]
      if (asked?._tag === "Fetch") return yield* fetching(held, request, asked.fetch)
      // The newest protocol begins without the refs.
      const found = asked === null && version === 2 ? [] : yield* finding(held, request.refs)
      const refs = new Map(found.map(({ ref: { commit, name } }) => [name, commit]))
      return [asked === null ? opening(refs, version) : listing(refs, asked.prefixes, asked.symbolic)]
    })
})
