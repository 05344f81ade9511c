/** The policy for a router's credentials, as the page of operators has it. */
import { readFileSync } from "node:fs"
import type { Policy } from "./Buckets.ts"

const page = new URL("../../../docs/operating/router-rights.md", import.meta.url)

/** For a bucket; the prefix is the page's, `pawl/`. */
export const policyFor = (bucket: string): Policy => {
  const [, text = ""] = /```json\n([\s\S]*?)```/.exec(readFileSync(page, "utf8")) ?? []
  return JSON.parse(text.replaceAll("my-bucket", bucket)) as Policy
}
