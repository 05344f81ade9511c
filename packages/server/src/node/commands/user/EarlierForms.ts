/**
 * Which command lines are for operators and auditors. `why` and `approve` were theirs before they were everybody's: where
 * their own options are given, or a Candidate is decided on within a clone, they go on as they were.
 */
import { cloneRoot } from "./Git.ts"
import { operatorNames } from "./OperatorNames.ts"

const approversOptions = /^--(sign|reject|enroll|clone|remote|key|endorsed-by|public|for|origin|rp-id|token|data)(=|$)/
const whysOptions = /^--(token|data)(=|$)/
const everybodysOptions = /^--(tree|json|project)(=|$)/

/** Whether the command of before is meant. */
export const isForOperators = (args: ReadonlyArray<string>): boolean => {
  const [first = "", ...rest] = args
  const has = (options: RegExp) => rest.some((each) => options.test(each))
  if (operatorNames.some(({ name }) => name === first)) return true
  // Options of the whole command, such as --completions and --log-level.
  if (first.startsWith("-")) return true
  if (first === "why") return has(whysOptions)
  if (first !== "approve") return false
  if (has(approversOptions)) return true
  return rest.some((each) => each.startsWith("cand_")) && !has(everybodysOptions) && cloneRoot() !== null
}
