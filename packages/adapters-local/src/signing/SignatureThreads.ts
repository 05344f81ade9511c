/**
 * Verifies signatures on threads of its own. They are handed over by batches, so that who asks for thousands, and has more
 * to do with what is signed, need not go to another thread for each. A few are verified without them.
 */
import { type KeyObject, verify } from "node:crypto"
import { availableParallelism } from "node:os"
import { Worker } from "node:worker_threads"
import { LocalLimits } from "../LocalLimits.ts"

/** A key as Node has it, and how it signs. */
export interface Signer {
  readonly key: KeyObject
  /** SPKI in DER, base64. */
  readonly spki: string
  /** What is signed of a message; null for the message itself. */
  readonly digest: "sha256" | null
}

/** What a thread is to verify: for each its signer, and the lengths of message and signature, which stand in `bytes`. */
export interface SignatureBatch {
  readonly id: number
  readonly signers: ReadonlyArray<Pick<Signer, "spki" | "digest">>
  readonly sizes: Uint32Array
  readonly bytes: Uint8Array
}

/** What a thread says of a batch: 1 for each that holds. */
export interface SignatureVerdicts {
  readonly id: number
  readonly good: Uint8Array
}

/** Threads that verify. */
export interface SignatureThreads {
  /** Whether the signature is this signer's of the message. Never rejects. */
  readonly holds: (signer: Signer, message: Uint8Array, signature: Uint8Array) => Promise<boolean>
  /** Ends the threads. What they have not answered is verified without them. */
  readonly close: () => Promise<void>
}

interface Question {
  readonly signer: Signer
  readonly message: Uint8Array
  readonly signature: Uint8Array
  readonly answer: (holds: boolean) => void
}

interface Thread {
  readonly worker: Worker
  readonly asked: Map<number, ReadonlyArray<Question>>
}

const program = new URL(`./SignatureThread${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url)

/** On a thread of Node's own. */
const verifyAlone = ({ answer, message, signature, signer }: Question): void =>
  verify(signer.digest, message, signer.key, signature, (error, isGood) => answer(error === null && isGood))

const batchOf = (id: number, questions: ReadonlyArray<Question>): SignatureBatch => {
  const signers = [...new Set(questions.map(({ signer }) => signer))]
  const places = new Map(signers.map((signer, place) => [signer, place]))
  const sizes = new Uint32Array(3 * questions.length)
  let length = 0
  for (const [index, { message, signature, signer }] of questions.entries()) {
    sizes.set([places.get(signer)!, message.length, signature.length], 3 * index)
    length += message.length + signature.length
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const { message, signature } of questions) {
    bytes.set(message, at)
    bytes.set(signature, at + message.length)
    at += message.length + signature.length
  }
  return { id, signers: signers.map(({ digest, spki }) => ({ digest, spki })), sizes, bytes }
}

/** No thread is started before a batch is large enough for one. */
export const makeSignatureThreads = (): SignatureThreads => {
  const threads: Array<Thread> = []
  let waiting: Array<Question> = []
  let isOver = false
  let nextId = 0

  /** What a thread did not answer, and all that comes. */
  const giveUp = (): void => {
    isOver = true
    for (const { asked } of threads) {
      const left = [...asked.values()].flat()
      asked.clear()
      left.forEach(verifyAlone)
    }
  }

  const started = (): Thread => {
    const worker = new Worker(program, { execArgv: [] })
    const asked: Thread["asked"] = new Map()
    worker.on("message", ({ good, id }: SignatureVerdicts) => {
      const questions = asked.get(id) ?? []
      asked.delete(id)
      questions.forEach(({ answer }, index) => answer(good[index] === 1))
    })
    worker.on("error", giveUp)
    const thread = { worker, asked }
    threads.push(thread)
    return thread
  }

  /** The one that has least to do. */
  const idlest = (): Thread => {
    const most = Math.min(availableParallelism(), LocalLimits.signatureThreads)
    if (threads.length < most) return started()
    return threads.reduce((one, other) => (other.asked.size < one.asked.size ? other : one))
  }

  const hand = (questions: ReadonlyArray<Question>): void => {
    const { asked, worker } = idlest()
    const batch = batchOf(nextId++, questions)
    asked.set(batch.id, questions)
    worker.postMessage(batch, [batch.bytes.buffer as ArrayBuffer, batch.sizes.buffer as ArrayBuffer])
  }

  const flush = (): void => {
    const questions = waiting
    waiting = []
    const share = LocalLimits.signatureBatch
    if (isOver || questions.length < share) return questions.forEach(verifyAlone)
    for (let from = 0; from < questions.length; from += share) hand(questions.slice(from, from + share))
  }

  return {
    holds: (signer, message, signature) =>
      new Promise((answer) => {
        // All that are asked for in one go make a batch.
        if (waiting.length === 0) queueMicrotask(flush)
        waiting.push({ signer, message, signature, answer })
      }),
    close: async () => {
      giveUp()
      await Promise.all(threads.map(({ worker }) => worker.terminate()))
    }
  }
}
