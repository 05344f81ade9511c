/**
 * One long-lived `cat-file --batch-command` of a repository. Questions are answered in order, so that many can
 * be under way. The bytes of every answer are checked against its id: a reader never gives wrong bytes.
 */
import { LocalLimits } from "../LocalLimits.ts"
import { type Child, startChild } from "../spawner/Child.ts"
import type { Starter } from "../spawner/Starter.ts"
import { complaint, programOf } from "./GitCommand.ts"
import { objectId } from "./GitObjects.ts"

/** An object as the reader gives it; `size` in bytes. */
export interface FoundObject {
  readonly type: string
  readonly size: number
  /** Empty when only its information was asked for. */
  readonly body: Uint8Array
}

/** Why a reader gave no answer. It is of no more use. */
export class ReaderBroken extends Error {}

interface Question {
  readonly kind: "info" | "contents"
  readonly id: string
  readonly maxBytes: number
  readonly answer: (found: FoundObject | undefined) => void
  readonly fail: (reason: string) => void
}

/** One reader. Once broken it answers nothing more: make another. */
export class GitReader {
  /** Null until it is started. */
  #child: Child | null = null
  /** What was asked before it was started. */
  #early = ""
  readonly #questions: Array<Question> = []
  #pieces: Array<Buffer> = []
  #length = 0
  /** Bytes that must be there before the next look is worth it. */
  #wanted = 1
  #stderr = ""
  #broken: string | undefined

  constructor(gitDir: string, start: Starter) {
    startChild(start, programOf({ gitDir, args: ["cat-file", "--batch-command"] })).then(
      (child) => this.#begin(child),
      () => this.close("it could not be started")
    )
  }

  #begin(child: Child): void {
    if (this.#broken !== undefined) return child.kill()
    this.#child = child
    child.stdin.on("error", () => undefined)
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-LocalLimits.gitReaderErrorLength)
    })
    child.stdout.on("data", (piece: Buffer) => {
      this.#pieces.push(piece)
      this.#length += piece.length
      if (this.#length >= this.#wanted) this.#read()
    })
    void child.closed.then(() => this.close(complaint(this.#stderr) || "it ended"))
    if (this.#early !== "") child.stdin.write(this.#early)
  }

  get isBroken(): boolean {
    return this.#broken !== undefined
  }

  /** The object, or `undefined` when the repository has none with this id. Rejects with `ReaderBroken`. */
  ask(kind: "info" | "contents", id: string, maxBytes: number): Promise<FoundObject | undefined> {
    return new Promise((answer, reject) => {
      const fail = (reason: string) => reject(new ReaderBroken(reason))
      if (this.#broken !== undefined) return fail(this.#broken)
      this.#questions.push({ kind, id, maxBytes, answer, fail })
      const line = `${kind} ${id}\n`
      if (this.#child === null) return void (this.#early += line)
      const { stdin } = this.#child
      // All questions of one turn go out in one write.
      stdin.cork()
      stdin.write(line)
      process.nextTick(() => stdin.uncork())
    })
  }

  /** Ends the process; questions without an answer fail. */
  close(reason = "it was closed"): void {
    if (this.#broken !== undefined) return
    this.#broken = reason
    this.#child?.kill()
    for (const question of this.#questions.splice(0)) question.fail(reason)
  }

  #read(): void {
    let buffer = this.#pieces.length === 1 ? (this.#pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#pieces)
    for (let used = this.#answerFrom(buffer); used > 0 && this.#broken === undefined; used = this.#answerFrom(buffer))
      buffer = buffer.subarray(used)
    this.#pieces = buffer.length === 0 ? [] : [buffer]
    this.#length = buffer.length
  }

  /** Answers the first question when all of its answer is there; says how many bytes that took, else 0. */
  #answerFrom(buffer: Buffer): number {
    const question = this.#questions[0]
    const end = buffer.indexOf(10)
    this.#wanted = buffer.length + 1
    if (question === undefined || end < 0) return 0
    const line = buffer.toString("latin1", 0, end)
    if (line === `${question.id} missing`) {
      this.#questions.shift()
      this.#missing(question)
      return end + 1
    }
    const [id, type = "", sizeText = ""] = line.split(" ")
    const size = Number(sizeText)
    if (id !== question.id || !/^[0-9]+$/.test(sizeText)) return this.#giveUp("it gave an answer out of order")
    if (question.kind === "info") {
      this.#questions.shift()
      question.answer({ type, size, body: new Uint8Array() })
      return end + 1
    }
    if (size > question.maxBytes) return this.#giveUp("the object is larger than Pawl stores")
    const total = end + 1 + size + 1
    this.#wanted = total
    if (buffer.length < total) return 0
    // A copy, so that a small body does not keep the whole buffer alive.
    const body = new Uint8Array(buffer.subarray(end + 1, end + 1 + size))
    if (objectId(type, body) !== id) return this.#giveUp(`object ${id} is corrupt`)
    this.#questions.shift()
    question.answer({ type, size, body })
    return total
  }

  // A corrupt object is "missing" too, but git complains of it first: what it wrote before is in the pipe by now.
  #missing(question: Question): void {
    setImmediate(() =>
      setImmediate(() => {
        if (this.#stderr === "") return question.answer(undefined)
        question.fail(complaint(this.#stderr))
        this.close(complaint(this.#stderr))
      })
    )
  }

  #giveUp(reason: string): 0 {
    this.close(reason)
    return 0
  }
}
