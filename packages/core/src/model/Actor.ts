/** Who did it. Actors of approvals and promotions come from the session, never from a request's body. */
import { Schema } from "effect"

export const Actor = Schema.Struct({
  type: Schema.Literals(["user", "agent", "system"]),
  /** `usr_…`, `agt_…`, or `system:auto-promotion`, `system:rollback`, `system:release`, … */
  id: Schema.String
})
export interface Actor extends Schema.Schema.Type<typeof Actor> {}

export const system = (name: string): Actor => ({ type: "system", id: `system:${name}` })
export const user = (id: string): Actor => ({ type: "user", id })
