/**
 * The process of one build: it says that it is ready, takes one order, answers, and waits to be killed. It may be told
 * before what order is foreseen. esbuild parses what anyone wrote, and some sources crash or hang it; here it takes only
 * itself along.
 */
import { Socket } from "node:net"
import { version } from "esbuild"
import { hearFrames, lineDescriptor, sendFrame } from "../../spawner/Frames.ts"
import type { BundlerMessage, BundlerRequest } from "./BundlerMessages.ts"
import type { Beginning } from "./BundlerWork.ts"
import { begin, finish } from "./EsbuildWork.ts"
import { firstOrder, triesFirst } from "./FirstOrder.ts"

const line = new Socket({ fd: lineDescriptor, readable: true, writable: true })

const say = (message: BundlerMessage): void => sendFrame(line, message)

let beginning: Promise<Beginning | null> = Promise.resolve(null)

// The parent is gone: take esbuild along. This process leads a group of its own.
const leave = () => void process.kill(-process.pid, "SIGKILL")
line.on("error", leave).once("close", leave)

const take = ({ _tag, order }: BundlerRequest): void => {
  const begun = beginning
  beginning = _tag === "Begin" ? begin(order) : Promise.resolve(null)
  const answer: Promise<BundlerMessage> =
    _tag === "Begin" ? beginning.then(() => ({ _tag: "Begun" })) : begun.then((from) => finish(order, from))
  answer.then(say, () => say({ _tag: "Died" }))
}
hearFrames(line, Infinity, (request) => take(request as BundlerRequest), leave)
// Starts esbuild's own process before it is needed, too. Whoever waits already has an order of their own for that.
const first = process.argv[2] === triesFirst ? await finish(firstOrder, null) : null
say(first === null || first._tag === "Bundled" ? { _tag: "Ready", version } : { _tag: "Died" })
