/** Which agents `pawl work` can start, and how `--agent` names one. */
import { accessSync, constants, statSync } from "node:fs"
import { delimiter, join } from "node:path"
import type { Environment } from "../Hosts.ts"
import { exitCodes, misused, Refused } from "../Refused.ts"

/** A program to start. One that speaks the Agent Client Protocol is driven by it; another one reads its Task as text. */
export interface AgentProgram {
  /** As it is called in words. */
  readonly name: string
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly speaksAcp: boolean
}

interface Known {
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** How it is installed. */
  readonly from: string
}

/** Those that are known by name: all speak the Agent Client Protocol. */
const knownAgents: Readonly<Record<string, Known>> = {
  claude: { command: "claude-agent-acp", args: [], from: "npm install --global @agentclientprotocol/claude-agent-acp" },
  codex: { command: "codex-acp", args: [], from: "npm install --global @agentclientprotocol/codex-acp" },
  opencode: { command: "opencode", args: ["acp"], from: "npm install --global opencode-ai" },
  gemini: { command: "gemini", args: ["--acp"], from: "npm install --global @google/gemini-cli" }
}

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

const isInstalled = (command: string, environment: Environment): boolean =>
  (environment["PATH"] ?? "").split(delimiter).some((folder) => folder !== "" && isProgram(join(folder, command)))

const shell = (line: string, speaksAcp: boolean): AgentProgram => ({
  name: "the agent",
  command: "/bin/sh",
  args: ["-c", line],
  speaksAcp
})

/** The program that `--agent` means: one that is known by name and installed, else a command of the shell. */
export const agentNamed = (name: string | undefined, speaksAcp: boolean, environment: Environment): AgentProgram => {
  const names = Object.keys(knownAgents).join(", ")
  if (name === undefined || name.trim() === "") throw misused(`--agent is missing: ${names}, or a command in quotes`)
  const known = Object.hasOwn(knownAgents, name) ? knownAgents[name] : undefined
  if (known === undefined) return shell(name, speaksAcp)
  const { args, command, from } = known
  if (!isInstalled(command, environment))
    throw new Refused(
      "no_agent",
      `${name} is started as "${command}", which is not installed here`,
      exitCodes.cannotAsk,
      [
        { command: from, when: "it is to be installed" },
        { command: 'pawl work --agent "<command>"', when: "it is called otherwise; with --acp if it speaks that" }
      ]
    )
  return { name, command, args, speaksAcp: true }
}
