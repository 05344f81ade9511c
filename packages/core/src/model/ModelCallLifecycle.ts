/** The whole life of a call of a model, on one screen (decisions, "Agents"). */
import * as Lifecycle from "./Lifecycle.ts"
import { callStatuses } from "./ModelCall.ts"

/** Every step that a call may take, and the events that tell of it. What is absent is refused. */
export const ModelCallLifecycle = Lifecycle.make("modelCall", {
  states: callStatuses,
  initial: ["reserved"],
  final: ["settled", "refused", "lost"],
  rows: [
    [
      "reserved",
      "answered",
      "settled",
      { emits: ["model.called"], also: "what it cost is spent, and its reservation is given back" }
    ],
    [
      "reserved",
      "refusedUnpaid",
      "refused",
      { when: "the provider would not answer, and took nothing", also: "its reservation is given back" }
    ],
    [
      "reserved",
      "unaccounted",
      "lost",
      {
        when: "its answer was lost, or whoever waited for it is gone",
        emits: ["model.called"],
        also: "its whole reservation is spent"
      }
    ]
  ]
})
