/** Whoever visits the apps of a fleet while things fail, and judges each byte. */
import { setTimeout as pause } from "node:timers/promises"
import { type Answer, ask, type Door } from "./Caller.ts"
import type { Customer } from "./Customer.ts"

/** What was seen of the apps. */
export interface Visited {
  /** Answers by what they were. */
  readonly counts: { right: number; notYet: number; none: number }
  /** Wrong bytes, and files that a router showed and then did not know any more. */
  readonly wrong: ReadonlyArray<string>
}

/** A file of an app, through one router. */
export const visit = (router: Door, url: string, path: string): Promise<Answer> =>
  ask(router, { path, headers: { host: new URL(url).host } })

/** Visits files of Changes through each router in turn, until it is told that it is over. */
export const visitor = async (
  routers: ReadonlyArray<Door>,
  customers: ReadonlyArray<Customer>,
  isOver: () => boolean
): Promise<Visited> => {
  const counts = { right: 0, notYet: 0, none: 0 }
  const wrong: Array<string> = []
  const shown = new Set<string>()
  for (let turn = 0; !isOver(); turn++) {
    const customer = customers[turn % customers.length]!
    const change = customer.changes[Math.floor(turn / customers.length) % Math.max(1, customer.changes.length)]
    for (const [number, router] of routers.entries()) {
      if (change === undefined) continue
      const path = change.path.replace(/^public/, "")
      const { status, text } = await visit(router, customer.url, path)
      const what = `${customer.url} ${path} of router ${number}`
      if (status === 200 && text === change.text) {
        counts.right += 1
        shown.add(what)
      } else if (status === 404 && !shown.has(what)) counts.notYet += 1
      else if (status === 0 || status >= 500) counts.none += 1
      else wrong.push(`${what}: ${status} ${JSON.stringify(text.slice(0, 200))}`)
    }
    await pause(100)
  }
  return { counts, wrong }
}
