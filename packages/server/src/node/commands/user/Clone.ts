/** `pawl clone`. */
import { credentialSettings, git } from "./Git.ts"
import { exitCodes, Refused } from "./Refused.ts"
import { demandToken } from "./Signed.ts"
import type { Run } from "./Verb.ts"

/** The token goes to git by the helper alone: it stands in no address, no argument and no file of the clone. */
export const clone: Run = async ({ client, environment, given: [named = "", folder], project: choice, tell }) => {
  const { address, ask } = client()
  const { project } = await ask("projects.get", { id: await choice.id(named) })
  const into = folder ?? project.label
  const settings = [
    ...credentialSettings(address),
    ["pawl.project", project.id] as const,
    ["pawl.url", address] as const
  ]
  tell(`cloning ${project.label} into ${into}`)
  const { code, stderr } = git(
    [
      "clone",
      "-q",
      ...settings.flatMap(([key, value]) => ["--config", `${key}=${value}`]),
      "--",
      `${address}/git/${project.id}.git`,
      into
    ],
    { ...process.env, PAWL_URL: address, PAWL_TOKEN: demandToken(address, environment), GIT_TERMINAL_PROMPT: "0" }
  )
  if (code !== 0) throw new Refused("not_cloned", stderr.trim() || `git ended with ${code}`, exitCodes.cannotAsk)
  return {
    json: { project, folder: into },
    text: into,
    next: [{ command: `cd ${into}`, when: "to work on it" }]
  }
}
