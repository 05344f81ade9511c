/**
 * Load from a process of its own: `node Load.ts <port> <host> <path> <connections> <ms> [<token>]`. Each connection is
 * kept open and asks again as soon as it was answered. It speaks HTTP over plain sockets, so that the client costs little of a
 * small machine. Prints one JSON object.
 */
import { connect, type Socket } from "node:net"

const [port = "", host = "", path = "/", connections = "16", ms = "2000", token = ""] = process.argv.slice(2)
const credential = token === "" ? "" : `Authorization: Bearer ${token}\r\n`
const question = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${credential}User-Agent: bench\r\nAccept: */*\r\n\r\n`
const latencies: Array<number> = []
let failures = 0
let end = 0

/** Where a response that starts at 0 ends; -1 when it is not there as a whole. */
const endOf = (text: string): number => {
  const head = text.indexOf("\r\n\r\n")
  if (head < 0) return -1
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)
  if (length !== null) return text.length >= head + 4 + Number(length[1]) ? head + 4 + Number(length[1]) : -1
  const last = text.indexOf("0\r\n\r\n", head + 4)
  return last < 0 ? -1 : last + 5
}

const open = (): Promise<void> =>
  new Promise((resolve) => {
    let received = ""
    let sent = 0
    const socket: Socket = connect(Number(port), "127.0.0.1")
    const ask = () => {
      sent = performance.now()
      socket.write(question)
    }
    socket.setNoDelay(true)
    socket.setEncoding("latin1")
    socket.once("connect", ask)
    socket.on("data", (piece: string) => {
      received += piece
      const at = endOf(received)
      if (at < 0) return
      if (received.startsWith("HTTP/1.1 200 ")) latencies.push(performance.now() - sent)
      else failures++
      received = received.slice(at)
      if (performance.now() < end) ask()
      else socket.destroy()
    })
    socket.once("error", () => failures++)
    socket.once("close", () => resolve())
  })

const began = performance.now()
end = began + Number(ms)
await Promise.all(Array.from({ length: Number(connections) }, open))
const seconds = (performance.now() - began) / 1000
latencies.sort((a, b) => a - b)
const at = (share: number): number => latencies[Math.floor((latencies.length - 1) * share)] ?? 0
const result = { perSecond: latencies.length / seconds, p50: at(0.5), p99: at(0.99), failures }
process.stdout.write(JSON.stringify(result))
