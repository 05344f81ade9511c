/** Visitors who come at once, each on a connection of its own, a fifth of whom leave before they are answered. */
import { request } from "node:http"

/** What became of a crowd. */
export interface Crowd {
  /** From the first who came to the last answer that somebody waited for. */
  readonly ms: number
  /** Answers of those who stayed that were none of the app's: 5xx, or a broken connection. */
  readonly failed: number
}

/** The status, null for who left, 0 for a connection that broke. */
const visit = (port: number, host: string, leaves: boolean): Promise<number | null> =>
  new Promise((resolve) => {
    const sent = request({ host: "127.0.0.1", port, path: "/", headers: { host }, agent: false }, (answer) => {
      answer.resume().once("end", () => resolve(answer.statusCode ?? 0))
    })
    sent.once("error", () => resolve(leaves ? null : 0))
    if (leaves) sent.once("socket", (socket) => socket.once("connect", () => setImmediate(() => sent.destroy())))
    sent.end()
  })

/** Has so many visitors come to a host at a port. */
export const crowd = async (port: number, host: string, visitors: number): Promise<Crowd> => {
  const began = performance.now()
  const statuses = await Promise.all(Array.from({ length: visitors }, (_, nth) => visit(port, host, nth % 5 === 4)))
  const stayed = statuses.filter((_, nth) => nth % 5 !== 4)
  return { ms: performance.now() - began, failed: stayed.filter((status) => status !== 200).length }
}
