/** Statements, checkpoints and keys, as they are stored. */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Unknown } from "@pawl/core/ledger/Refusals"
import { checkpointOf, envelopesFrom, keysAndHistory, statementOf } from "@pawl/core/provenance/StatedHistory"
import type { EnvelopeFormat } from "../../api/EnvelopeFormat.ts"
import { bundleType } from "../../api/groups/StatementsApi.ts"
import { PawlApi } from "../../api/PawlApi.ts"
import { envelopeAnswer } from "../answer/EnvelopeAnswer.ts"
import { answering } from "../answer/HandlerAnswer.ts"
import { isReader } from "../request/BearerAuthentication.ts"
import { RateLimits } from "../request/RateLimits.ts"
import { onProject } from "../request/Reach.ts"

/** The number of a generation as a path names it. */
const number = /^(?:0|[1-9]\d{0,14})$/

const statement = Effect.fnUntraced(function* (projectId: string, n: string, asked?: EnvelopeFormat) {
  if (!number.test(n)) return yield* new Unknown({ kind: "version", id: n })
  return yield* envelopeAnswer(yield* statementOf(projectId, Number(n)), asked)
})

/** Handlers of `statements`. */
export const StatementsHttp = HttpApiBuilder.group(PawlApi, "statements", (handlers) =>
  handlers
    .handle("statement", ({ params, query }) =>
      answering(Effect.flatMap(onProject(params.id), ({ id }) => statement(id, params.n, query.format)))
    )
    .handle("statements", ({ params, query }) =>
      answering(
        Effect.gen(function* () {
          const { id } = yield* onProject(params.id)
          const envelopes = yield* envelopesFrom(id, query.after === undefined ? 0 : query.after + 1)
          const lines = envelopes.map((each) => `${JSON.stringify(each)}\n`)
          return HttpServerResponse.text(lines.join(""), { contentType: bundleType })
        })
      )
    )
    .handle("checkpoint", ({ params }) =>
      answering(
        Effect.gen(function* () {
          const { id } = yield* onProject(params.id)
          return HttpServerResponse.text(yield* checkpointOf(id), { contentType: "text/plain; charset=utf-8" })
        })
      )
    )
)

/** Handlers of `keys`, which need no token: who reads with one is told who approves too. */
export const KeysHttp = HttpApiBuilder.group(PawlApi, "keys", (handlers) =>
  Effect.map(RateLimits, (rates) =>
    handlers.handle("keys", () => answering(Effect.flatMap(isReader(rates), (reads) => keysAndHistory(!reads))))
  )
)
