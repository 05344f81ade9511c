/** A place in a Project's sequence, as a caller names it. */
import { InvalidField } from "@pawl/core/ledger/Refusals"
import { Effect } from "effect"

/** The number that a text names; `InvalidField` when it is none. */
export const sequence = (field: string, text: string): Effect.Effect<number, InvalidField> =>
  /^[0-9]{1,15}$/.test(text)
    ? Effect.succeed(Number(text))
    : new InvalidField({ code: "invalid_field", field, reason: "use a sequence, 0 or more" })

/** After which place to begin; undefined where none is named. What a stream had last wins over what its address says. */
export const placeOf = (
  { after, cursor }: { readonly after?: number; readonly cursor?: string },
  lastEventId: string | undefined
): Effect.Effect<number | undefined, InvalidField> => {
  if (lastEventId !== undefined && lastEventId !== "") return sequence("Last-Event-ID", lastEventId)
  return cursor === undefined ? Effect.succeed(after) : sequence("cursor", cursor)
}
