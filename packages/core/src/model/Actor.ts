/** Who did it. Actors of approvals and promotions come from the session, never from a request's body. */
import { Schema } from "effect"

/** A person, an agent or Pawl itself, with its id. */
export const Actor = Schema.Struct({
  /** Who acted: a person by session or token, the agent of a Task, or Pawl by itself. */
  type: Schema.Literals(["user", "agent", "system"]),
  /** `usr_…`, `agt_…`, or `system:auto-promotion`, `system:rollback`, `system:release`, … */
  id: Schema.String
})
export interface Actor extends Schema.Schema.Type<typeof Actor> {}

/** Pawl itself, by what it was doing: `system:<name>`. */
export const system = (name: string): Actor => ({ type: "system", id: `system:${name}` })
/** A person, by their id `usr_…`. */
export const user = (id: string): Actor => ({ type: "user", id })
