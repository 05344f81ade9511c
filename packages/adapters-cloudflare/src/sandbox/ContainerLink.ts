/** The program of checks within a container, asked by lines. */
import type { Container, ExecProcess, ReadableStream, WritableStreamDefaultWriter } from "@cloudflare/workers-types"
import {
  AnswerLine,
  RequestLine,
  type SandboxAnswer,
  type SandboxRequest
} from "@pawl/adapters-local/sandbox/SandboxLines"
import { utf8 } from "@pawl/core/primitives/Digest"
import { Schema } from "effect"

/** What a container runs. */
export interface CheckImage {
  /** The program of checks and its arguments. */
  readonly program: ReadonlyArray<string>
  /** What the container itself runs, so that it stays. */
  readonly entrypoint: ReadonlyArray<string>
}

/** A running program. It ends with its container. */
export interface ContainerLink {
  /** Held as long as the link is: the line to a process that nobody holds is cut. */
  readonly process: ExecProcess
  readonly ask: (request: SandboxRequest) => Promise<SandboxAnswer>
  readonly isOpen: () => boolean
}

const gone = (reason: string): SandboxAnswer => ({ _tag: "Unavailable", reason })

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let text = ""
  for await (const piece of stream) {
    text += decoder.decode(piece, { stream: true })
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
      yield text.slice(0, end)
      text = text.slice(end + 1)
    }
  }
}

/** Starts the container where it does not run, without the internet, and the program in it. */
export const openLink = async (container: Container, { entrypoint, program }: CheckImage): Promise<ContainerLink> => {
  const options = { enableInternet: false, entrypoint: [...entrypoint] }
  // The image is the one that the object's script is deployed with.
  if (!container.running) (container.start as (options: object) => void)(options)
  const process = await container.exec([...program], { stdin: "pipe", stdout: "pipe", stderr: "ignore" })
  const { stdin, stdout } = process
  if (stdin === null || stdout === null) throw new Error("the container gives no way to its program")
  const writer: WritableStreamDefaultWriter<Uint8Array> = stdin.getWriter()
  const waiting = new Map<number, (answer: SandboxAnswer) => void>()
  let [open, last] = [true, 0]
  const close = (reason: string): void => {
    open = false
    for (const tell of waiting.values()) tell(gone(reason))
    waiting.clear()
  }
  const listen = async (): Promise<void> => {
    for await (const line of linesOf(stdout)) {
      const { body, number } = Schema.decodeUnknownSync(AnswerLine)(line)
      waiting.get(number)?.(body)
      waiting.delete(number)
    }
  }
  void listen().then(
    () => close("the container ended"),
    () => close("the container said what nobody understands")
  )
  const ask: ContainerLink["ask"] = (body) => {
    if (!open) return Promise.resolve(gone("the container ended"))
    const number = ++last
    const answer = new Promise<SandboxAnswer>((resolve) => waiting.set(number, resolve))
    writer
      .write(utf8(`${Schema.encodeSync(RequestLine)({ number, body })}\n`))
      .catch(() => close("the container ended"))
    return answer
  }
  return { process, ask, isOpen: () => open }
}
