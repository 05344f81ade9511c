/** The process that parses the code of two trees for their routes: it takes one order, answers, and waits to be killed. */
import type { RouteOrder } from "./RouteMessages.ts"
import { routesOf } from "./RouteTree.ts"

process.once("disconnect", () => process.exit())
process.once("message", (order: RouteOrder) => {
  process.send?.(routesOf(order))
})
