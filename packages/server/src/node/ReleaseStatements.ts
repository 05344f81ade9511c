/**
 * What `/__service/provenance.json` says on the hosts of apps, by `PAWL_PROVENANCE_PUBLIC`: nobody's id, but to who may read
 * the Project and says so with a token of the API.
 */
import { requireRole, requireScope } from "@pawl/core/access/Access"
import { authenticate } from "@pawl/core/access/Tokens"
import type { Records } from "@pawl/core/ledger/Records"
import type { Pointer } from "@pawl/core/model/Pointer"
import { steadyMillis } from "@pawl/core/primitives/Time"
import { recent } from "@pawl/core/primitives/Recent"
import { newestAbout } from "@pawl/core/provenance/Chains"
import { type Envelope, envelopeOf } from "@pawl/core/provenance/Envelope"
import { inclusionOf } from "@pawl/core/provenance/Inclusion"
import { Signer } from "@pawl/core/provenance/Signer"
import { historyForStrangers } from "@pawl/core/provenance/StatedHistory"
import { signedSummary } from "@pawl/core/provenance/Summary"
import { ReleaseStatement } from "@pawl/router/ReleaseStatement"
import { Effect, Layer, Redacted, Semaphore } from "effect"
import { reading } from "../api/Needs.ts"
import { ServerLimits } from "../ServerLimits.ts"
import { summaryPlaces } from "../http/SummaryPlaces.ts"
import type { Options } from "./Options.ts"
import { version } from "./Version.ts"

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The promotion's statement names people and checks. */
const promotionOf = Effect.fnUntraced(function* ({ generation, projectId }: Pointer) {
  const found = generation === null ? null : yield* newestAbout(projectId, "promotion", generation)
  return found === null ? null : envelopeOf(found.record)
})

/** Sums up what is served: it vouches for the commit, and names nobody. Null for what nobody can sum up, or not now. */
const summaryOfRow = Effect.fnUntraced(function* ({ generation, projectId }: Pointer) {
  const none = (isNow: boolean) => () => Effect.succeed({ summary: null, isNow })
  if (generation === null) return yield* none(false)()
  // A process that only routes has no key to sign with, and may not read what it would sign.
  return yield* Effect.flatMap(Signer, ({ keys }) => keys).pipe(
    Effect.andThen(signedSummary(projectId, generation, { placesOf: summaryPlaces(projectId, generation), version })),
    Effect.map((summary): { readonly summary: Envelope | null; readonly isNow: boolean } => ({
      summary,
      isNow: false
    })),
    Effect.catchTags({
      NoStatement: none(false),
      Unknown: none(false),
      StatementUnsigned: none(true),
      SignerUnavailable: none(true),
      LedgerUnavailable: none(true)
    })
  )
})

/** What anybody may know. A summary that was made before is told again: it would be signed for each look at the log. */
const publicOf = Effect.fnUntraced(function* (
  row: Pointer,
  verdict: string,
  mode: Options["provenance"],
  known: Envelope | null
) {
  const { bundleDigest, channel, commit, generation, incarnation, projectId, provenance = null } = row
  // A router with rights of its own reads no Project's log. Its signed statement stands in the row all the same.
  const inclusion = yield* inclusionOf(projectId, provenance?.entry ?? null).pipe(
    Effect.catchTag("LedgerUnavailable", ({ reason }) =>
      Effect.as(Effect.logDebug(`the log of ${projectId} was not read: ${reason}`), { checkpoint: null, proof: null })
    )
  )
  const { isNow, summary } = known === null ? yield* summaryOfRow(row) : { isNow: false, summary: known }
  const said = {
    project: projectId,
    channel,
    incarnation,
    generation,
    commit,
    bundle: { sha256: bundleDigest },
    mode,
    verdict,
    statement: provenance?.envelope == null ? null : parsed(provenance.envelope),
    ...inclusion,
    summary
  }
  // What carries no statement will have no proof either.
  return { said, isWhole: !isNow && (provenance === null || inclusion.proof !== null) }
})

const bearer = (authorization: string | undefined): Redacted.Redacted | null => {
  const token = /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1]
  return token === undefined ? null : Redacted.make(token)
}

/** Whether a token is of somebody who may read the Project, as the API would have it. */
const mayRead = Effect.fnUntraced(function* (token: Redacted.Redacted, projectId: string) {
  const { run, token: found, user } = yield* authenticate(token)
  // The agent of a Task reads that Task alone.
  yield* requireScope(run === undefined ? found.scopes : [], reading.scope)
  yield* requireRole(user.id, projectId, reading.role ?? "admin")
})

type Said = Effect.Success<ReturnType<typeof publicOf>>["said"]

interface Known {
  readonly verdict: string
  /** How long the history of keys was: with another key the summary is another one. */
  readonly entries: number
  readonly said: Said
  /** When it is read anew; never, once all of it is there. */
  readonly untilMs: number
}

/** Read once for each row that the router has and each verdict: visitors cost the store nothing more. */
const remembered = (mode: Options["provenance"]) => {
  const known = new WeakMap<Pointer, Known>()
  return Effect.fnUntraced(function* (row: Pointer, verdict: string, entries: number) {
    const now = yield* steadyMillis
    const before = known.get(row)
    if (before?.verdict === verdict && before.entries === entries && now < before.untilMs) return before.said
    const summary = before?.entries === entries ? before.said.summary : null
    const { isWhole, said } = yield* publicOf(row, verdict, mode, summary)
    const untilMs = isWhole ? Number.POSITIVE_INFINITY : now + ServerLimits.provenancePageMs
    known.set(row, { verdict, entries, said, untilMs })
    return said
  })
}

/**
 * The history of keys for strangers, by which whoever trusts its first key verifies the rest: read at most once in
 * `ServerLimits.provenancePageMs`, however many hosts tell it. Null where it is too long for a page.
 */
const keysForAll = recent(
  Effect.map(historyForStrangers, (keys) => ({
    entries: keys.history.length,
    keys: JSON.stringify(keys).length > ServerLimits.provenanceKeysLength ? null : keys
  })),
  ServerLimits.provenancePageMs
)

/** A token is looked at where `PAWL_PROVENANCE_PUBLIC=full` alone; one that may not is told what anybody is. */
export const layer = ({ provenance, provenancePublic }: Pick<Options, "provenance" | "provenancePublic">) =>
  Layer.effect(
    ReleaseStatement,
    Effect.gen(function* () {
      const callers = yield* Semaphore.make(ServerLimits.provenanceCallersAtOnce)
      const ports = yield* Effect.context<Records | Signer>()
      const saidOf = remembered(provenance)
      const historyOf = yield* keysForAll
      const isAllowed = (token: Redacted.Redacted, projectId: string) =>
        mayRead(token, projectId).pipe(
          Effect.as(true),
          Effect.catchTags({
            Unauthenticated: () => Effect.succeed(false),
            InsufficientScope: () => Effect.succeed(false),
            InsufficientRole: () => Effect.succeed(false),
            Unknown: () => Effect.succeed(false),
            // A router with rights of its own may not look: nobody is told more there.
            LedgerUnavailable: ({ reason }) =>
              Effect.as(Effect.logDebug(`nobody's token was looked at: ${reason}`), false)
          }),
          callers.withPermits(1)
        )
      const answer = Effect.fnUntraced(function* (row: Pointer, verdict: string, authorization: string | undefined) {
        const { entries, keys } = yield* historyOf
        const said = { ...(yield* saidOf(row, verdict, entries)), keys }
        const token = provenancePublic === "full" ? bearer(authorization) : null
        if (token === null || !(yield* isAllowed(token, row.projectId))) return JSON.stringify(said)
        return JSON.stringify({ ...said, promotion: yield* promotionOf(row) })
      })
      return {
        of: (row: Pointer, verdict: string, authorization: string | undefined) =>
          provenancePublic === "none"
            ? Effect.succeed(null)
            : answer(row, verdict, authorization).pipe(
                Effect.provideContext(ports),
                Effect.catch((problem) => Effect.as(Effect.logWarning("what is served cannot be told", problem), null))
              )
      }
    })
  )
