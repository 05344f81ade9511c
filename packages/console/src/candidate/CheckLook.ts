/** How the verdict of a check looks. */
import type { Look } from "../ui/StatusTone.ts"

const looks: Readonly<Record<"pass" | "fail" | "gap" | "none", Look>> = {
  pass: { tone: "good", icon: "check", words: "passed" },
  fail: { tone: "bad", icon: "cross", words: "failed" },
  gap: { tone: "warn", icon: "warn", words: "could not run" },
  none: { tone: "run", icon: "clock", words: "has not run" }
}

/** A check without evidence is a gap to the gate; to people it has not run yet. */
export const checkLook = (verdict: "pass" | "fail" | "gap", evidenceId: string | null): Look =>
  verdict === "gap" && evidenceId === null ? looks.none : looks[verdict]
