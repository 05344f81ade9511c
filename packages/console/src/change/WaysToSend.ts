/** The ways to send a ChangeSet, with what to type. Pure. */

/** One way: `lines` are for a terminal or an assistant; null where there is a button. */
export interface Way {
  readonly title: string
  readonly words: string
  readonly lines: string | null
}

/** To a Change, or to a new one where that is null. */
export const waysToSend = ({
  change,
  label,
  origin,
  project
}: {
  readonly origin: string
  readonly label: string
  readonly project: string
  readonly change: string | null
}): ReadonlyArray<Way> => {
  const at = change ?? "chg_…"
  const to = change === null ? "" : ` --change ${change}`
  const open = `curl -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  ${origin}/v1/projects/${project}/changes \\
  -d '{"clientRequestId":"'$(uuidgen)'","goal":"Say when we are open","budget_usd":1}'
`
  const assistant: Way = {
    title: "An assistant (MCP)",
    words: `Connect it to ${origin}/mcp with a token of its own as a bearer token, and ask for it in words.`,
    lines:
      change === null
        ? `Open a Change in ${label} that says when we are open. Submit the files and request a Candidate.`
        : `Submit a file to the Change ${change} that says when we are open, and request a Candidate.`
  }
  return [
    {
      title: "Here",
      words:
        change === null
          ? "Press New Change, then Send a ChangeSet: one file, as it is to be."
          : "Press Send a ChangeSet above: one file, as it is to be.",
      lines: null
    },
    assistant,
    {
      title: "Command line",
      words: "In a clone of the Project. Signing in leads to this browser. It waits for the checks.",
      lines: `pawl login ${origin} --web\npawl clone ${label} && cd ${label}\npawl push public/hours.html -m "Say when we are open"${to} --candidate`
    },
    {
      title: "git",
      words:
        "Commit on a branch of your own, and push to the Change. git asks for a user name, which can be anything, and for a password: that is the token.",
      lines: `git clone ${origin}/git/${project}.git\ngit push origin HEAD:refs/changes/${at}`
    },
    {
      title: "curl",
      words: "Whole files, as JSON. $TOKEN is the token.",
      lines: `${change === null ? open : ""}curl -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  ${origin}/v1/changes/${at}/changesets \\
  -d '{"message":"Say when we are open","files":{"public/hours.txt":"9 to 18\\n"}}'`
    }
  ]
}
