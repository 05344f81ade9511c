/** The process that makes one lock: it takes one order, and is killed after its answer. */
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { lockAnswer } from "./LockMaking.ts"
import type { LockAnswer, LockOrder } from "./LockMessages.ts"

const say = (answer: LockAnswer): void => {
  process.send?.(answer)
}

process.once("disconnect", () => process.exit())
process.once("message", (order: LockOrder) => {
  if (order.certificates !== "") setDefaultCACertificates([...getCACertificates("default"), order.certificates])
  void lockAnswer(order, say).then(say)
})
