/** The processes of builds, as /proc tells of them. */
import { childrenOf, commandOf } from "../Processes.ts"

/** Those of this process with their bundlers', without `others`. */
export const bundlers = (others: ReadonlyArray<number> = []): ReadonlyArray<number> => {
  const children = childrenOf(process.pid).filter(
    (pid) => !others.includes(pid) && commandOf(pid).includes("BundlerProcess")
  )
  return [...children, ...children.flatMap(childrenOf).filter((pid) => commandOf(pid).includes("esbuild"))]
}
