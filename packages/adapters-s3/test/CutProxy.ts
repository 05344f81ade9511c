/** A TCP proxy before a server: it loses answers, holds them back, or hands them on. */
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import type { Address } from "../../adapters-local/test/OwnAddress.ts"

export interface CutProxy {
  readonly endpoint: string
  /** This many of the next answers are lost: the server has done what it was asked, and the connection ends. */
  readonly lose: (answers: number) => void
  /** From now on answers stop after so many bytes of each connection, and the connection stays. `Infinity`: no more. */
  readonly holdAfter: (bytes: number) => void
  /** Resolves when a client has ended a connection whose answer is held. */
  readonly given: () => Promise<void>
  /** Resolves when an answer is held. */
  readonly held: () => Promise<void>
  readonly close: () => Promise<void>
}

const waiting = () => {
  const waiters: Array<() => void> = []
  let happened = 0
  return {
    happen: () => {
      const waiter = waiters.shift()
      if (waiter === undefined) happened++
      else waiter()
    },
    wait: () =>
      new Promise<void>((resolve) => {
        if (happened === 0) return void waiters.push(resolve)
        happened--
        resolve()
      })
  }
}

export const start = async (server: Address): Promise<CutProxy> => {
  let [losing, limit] = [0, Infinity]
  const [given, held] = [waiting(), waiting()]
  const open = new Set<Socket>()
  const proxy = createServer((client) => {
    const upstream = connect(server.port, server.host)
    let [passed, holds] = [0, false]
    const end = () => {
      open.delete(client)
      client.destroy()
      upstream.destroy()
    }
    open.add(client)
    client.on("data", (data) => upstream.write(data))
    upstream.on("data", (data) => {
      if (losing > 0) {
        losing--
        return end()
      }
      const room = Math.max(0, limit - passed)
      if (room > 0) client.write(data.subarray(0, room))
      passed += data.length
      if (data.length > room && !holds) {
        holds = true
        held.happen()
      }
    })
    for (const socket of [client, upstream]) socket.on("error", end).on("close", end)
    client.on("close", () => {
      if (holds) given.happen()
    })
  })
  proxy.listen(0, "127.0.0.1")
  await once(proxy, "listening")
  const address = proxy.address()
  if (address === null || typeof address === "string") throw new Error("the proxy has no port")
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    lose: (answers) => {
      losing = answers
    },
    holdAfter: (bytes) => {
      limit = bytes
    },
    given: given.wait,
    held: held.wait,
    close: async () => {
      for (const socket of open) socket.destroy()
      proxy.close()
      await once(proxy, "close")
    }
  }
}
