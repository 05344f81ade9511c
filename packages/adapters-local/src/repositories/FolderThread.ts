/** A thread that works in the folders of repositories. It loads nothing but Node's own. */
import { parentPort } from "node:worker_threads"
import { codeOf } from "../objects/DurableFile.ts"
import type { FolderAnswer, FolderQuestion } from "./FolderAside.ts"
import { folderWork } from "./FolderFiles.ts"

const told = (answer: FolderAnswer): void => parentPort?.postMessage(answer)

parentPort?.on("message", ({ args, id, name }: FolderQuestion) => {
  const work: (...args: ReadonlyArray<never>) => Promise<void> = folderWork[name]
  work(...args).then(
    () => told({ id }),
    (cause: unknown) => told({ id, code: codeOf(cause) })
  )
})
