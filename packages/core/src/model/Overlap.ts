/** What two pieces of work have in common: both write it. Git decides whether it is a conflict. */
import { Schema } from "effect"
import { ChangeId, TaskId } from "../primitives/Ids.ts"

/** What one side writes that another Task writes too, or has written. */
export const Overlap = Schema.Struct({
  /** The Change of the other side; the own one, where two of its Tasks meet. */
  changeId: ChangeId,
  /** The Task of the other side. */
  taskId: TaskId,
  /** The file; null for a route, which may stand in any. */
  path: Schema.NullOr(Schema.String),
  /** What in it: `Cart.add`, or the route `GET /hours`; null where the file is all that can be told. */
  symbol: Schema.NullOr(Schema.String)
})
export interface Overlap extends Schema.Schema.Type<typeof Overlap> {}
