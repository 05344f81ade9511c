/** Names that people give: of users, organizations and tokens. */
import { Effect } from "effect"
import { InvalidField } from "../ledger/Refusals.ts"

/** Fails unless the name has 1 to `max` characters that show, and no control characters. */
export const checkName = (field: string, name: string, max: number): Effect.Effect<void, InvalidField> =>
  name.trim() === "" || name.length > max || /\p{Cc}|\p{Surrogate}/u.test(name)
    ? new InvalidField({ code: "invalid_field", field, reason: `use 1 to ${max} characters, no control characters` })
    : Effect.void
