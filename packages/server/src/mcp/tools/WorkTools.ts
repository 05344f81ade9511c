/** Work: sending files, asking for a Candidate, waiting for it, and handing what only a person may do to one. */
import { Effect, Schema } from "effect"
import { ServerLimits } from "../../ServerLimits.ts"
import { candidateId, changeId, words } from "../ToolInput.ts"
import { pathTo, type ToolApi, ToolRefused } from "../ToolApi.ts"
import { tool } from "../Tool.ts"
import type { CandidateJson, ChangeJson, ChangeSetJson, PageJson, WhyJson } from "../WireShapes.ts"

/** Files of a Change. */
export const submitFiles = tool({
  name: "submit_files",
  title: "Submit files",
  description:
    "Records an edit as a ChangeSet of a Change: files with the whole new text of each, or a patch; give one of the two. It builds on your newest ChangeSet of this Change, else on what is canonical, or on the generation in base.",
  reads: false,
  input: Schema.Struct({
    change: changeId,
    message: words("what the edit does, as a commit says it"),
    files: Schema.optionalKey(
      Schema.Record(Schema.String, Schema.NullOr(Schema.String)).annotate({
        description: "by path: the file's whole text, or null to delete it"
      })
    ),
    patch: Schema.optionalKey(
      words(
        "a unified diff of what it builds on, as git diff writes it: diff --git, ---, +++, and hunks whose counts and lines fit exactly"
      )
    ),
    base: Schema.optionalKey(
      Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({ description: "the generation that it builds on" })
    )
  }),
  run: ({ base, change, files, message, patch }, { api }) =>
    Effect.map(
      api.json<{ readonly changeset: ChangeSetJson }>({
        path: pathTo`/v1/changes/${change}/changesets`,
        body: { message, files, patch, ...(base === undefined ? {} : { baseGeneration: base }) }
      }),
      ({ changeset: { commit, cut, files: changed, id } }) => ({
        text: `ChangeSet ${id}, ${cut?.filesTotal ?? changed.length} files. Ask for a Candidate with request_candidate.`,
        structured: { changeset: { id, commit, files: cut?.filesTotal ?? changed.length } },
        untrusted: []
      })
    )
})

/** A Candidate of a Change. */
export const requestCandidate = tool({
  name: "request_candidate",
  title: "Request a Candidate",
  description:
    "Composes all ChangeSets of a Change on what is canonical and checks the result. Wait for it with wait. With retry it is asked for again, when it was rejected only because checks could not run.",
  reads: false,
  input: Schema.Struct({ change: changeId, retry: Schema.optionalKey(Schema.Boolean) }),
  run: ({ change, retry }, { api }) =>
    Effect.map(
      api.json<{ readonly candidate: CandidateJson }>({
        path: pathTo`/v1/changes/${change}/candidates`,
        body: retry === undefined ? {} : { retry }
      }),
      ({ candidate: { base_generation: baseGeneration, id, status } }) => ({
        text: `Candidate ${id} is ${status}.`,
        structured: { candidate: { id, status, baseGeneration } },
        untrusted: []
      })
    )
})

const underWay: ReadonlySet<string> = new Set(["composing", "verifying"])
const ended: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"])

interface Watched {
  readonly change?: string | undefined
  readonly candidate?: string | undefined
}

const statusOf = (api: ToolApi, { candidate, change }: Watched) =>
  candidate === undefined
    ? Effect.map(
        api.json<{ readonly change: ChangeJson }>({ path: pathTo`/v1/changes/${change ?? ""}` }),
        ({ change: { status } }) => ({ status, isDone: ended.has(status) })
      )
    : Effect.map(
        api.json<{ readonly candidate: CandidateJson }>({ path: pathTo`/v1/candidates/${candidate}` }),
        ({ candidate: { status } }) => ({ status, isDone: !underWay.has(status) })
      )

const watching = Effect.fnUntraced(function* (api: ToolApi, watched: Watched, until: "done" | "changed") {
  const first = yield* statusOf(api, watched)
  let now = first
  while (until === "done" ? !now.isDone : now.status === first.status && !now.isDone) {
    yield* Effect.sleep(ServerLimits.mcpLookMs)
    now = yield* statusOf(api, watched)
  }
  return { status: now.status, isReached: true }
})

/** Waits a while for a Candidate or a Change. */
export const wait = tool({
  name: "wait",
  title: "Wait",
  description: `Waits until a Candidate is no longer composed and checked, or until a Change has ended; with until "changed", until its status is another. Give candidate or change. Answers after ${ServerLimits.mcpWaitMs / 1000} seconds at the latest, with what it is then: ask again to go on.`,
  reads: true,
  input: Schema.Struct({
    change: Schema.optionalKey(changeId),
    candidate: Schema.optionalKey(candidateId),
    until: Schema.optionalKey(Schema.Literals(["done", "changed"])),
    seconds: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: ServerLimits.mcpWaitMs / 1000 })).annotate({
        description: "how long at most"
      })
    )
  }),
  run: ({ candidate, change, seconds, until = "done" }, { api }) => {
    if ((candidate === undefined) === (change === undefined))
      return Effect.fail(
        new ToolRefused({ code: "invalid_input", detail: "Give candidate or change, one of the two.", facts: {} })
      )
    const patience = seconds === undefined ? ServerLimits.mcpWaitMs : seconds * 1000
    return Effect.raceFirst(
      watching(api, { candidate, change }, until),
      Effect.andThen(
        Effect.sleep(patience),
        Effect.map(statusOf(api, { candidate, change }), ({ status }) => ({ status, isReached: false }))
      )
    ).pipe(
      Effect.map(({ isReached, status }) => ({
        text: isReached ? `It is ${status}.` : `It is still ${status}. Ask again to wait on.`,
        structured: { status, reached: isReached },
        untrusted: []
      }))
    )
  }
})

/** What may be done with a Candidate, and whether a person still has something to decide. */
const standing = ({ candidate: { status }, canPromote }: Pick<WhyJson, "candidate" | "canPromote">) => {
  if (canPromote) return { said: "could be promoted now", isOpen: true }
  if (status === "promoted") return { said: "is promoted already", isOpen: false }
  return status === "verified" || underWay.has(status)
    ? { said: "cannot be promoted yet", isOpen: true }
    : { said: `is ${status}, and cannot be promoted`, isOpen: false }
}

/** Hands a Candidate to people. */
export const requestReview = tool({
  name: "request_review",
  title: "Ask a person",
  description:
    "Approving, promoting and rolling back are for people alone: there is no tool for them. This says what a person has to decide for a Change, and the page on which they do. Give them its address.",
  reads: true,
  input: Schema.Struct({
    change: changeId,
    note: Schema.optionalKey(words("what you would like them to look at"))
  }),
  run: ({ change, note }, { api, origin }) =>
    Effect.gen(function* () {
      const { items } = yield* api.json<PageJson<CandidateJson>>({
        path: pathTo`/v1/changes/${change}/candidates`,
        query: { limit: ServerLimits.mcpItemsMost }
      })
      const newest = items.at(-1)
      if (newest === undefined)
        return yield* new ToolRefused({
          code: "no_candidate",
          detail: "The Change has no Candidate that could be looked at. Ask for one with request_candidate.",
          facts: {}
        })
      const found = yield* api.json<WhyJson>({ path: pathTo`/v1/candidates/${newest.id}/why` })
      const { approval, canPromote, next } = found
      const { isOpen, said } = standing(found)
      const approvalOwed = isOpen && approval.owed && approval.decision === null
      const url = `${origin}${pathTo`/changes/${change}`}?candidate=${encodeURIComponent(newest.id)}`
      const commands = [
        `pawl why ${newest.id}`,
        `curl -H "Authorization: Bearer $PAWL_TOKEN" -H "Accept: text/plain" ${origin}${pathTo`/v1/candidates/${newest.id}/diff`}`
      ]
      return {
        text: [
          ...(note === undefined ? [] : [`Your note: ${note}`]),
          `Candidate ${newest.id} (tree ${newest.tree ?? "not composed"}) ${said}.`,
          approvalOwed ? `${approval.missing} approval owed.` : "No approval is owed.",
          `Next: ${next}`,
          isOpen
            ? `A person looks at it, and decides, on this page: ${url}`
            : `A person has nothing to decide of it. Its page: ${url}`,
          isOpen ? "Or looks at it with:" : "It is looked at with:",
          ...commands
        ].join("\n"),
        structured: {
          candidate: newest.id,
          tree: newest.tree,
          canPromote,
          approvalOwed,
          next,
          commands,
          url
        },
        untrusted: []
      }
    })
})
