/** The verbs for everybody, as a table. What a verb does is read when it is asked for. */
import type { Verb, VerbOption } from "./Verb.ts"

const limit: VerbOption = { name: "limit", takes: "count", what: "at most so many (30)" }
const timeout: VerbOption = { name: "timeout", takes: "seconds", what: "wait no longer, and end with 8" }
const note: VerbOption = { name: "note", takes: "words", what: "what you say beside it, in a line" }
const tree: VerbOption = {
  name: "tree",
  takes: "prefix",
  what: "the tree that you looked at: its first characters. Any other one ends with 5"
}
const follow = (what: string): VerbOption => ({ name: "follow", short: "f", what })

const verb = (
  name: string,
  takes: ReadonlyArray<string>,
  what: string,
  load: Verb["load"],
  options: ReadonlyArray<VerbOption> = []
): Verb => ({ name, takes, what, load, options })

const account: ReadonlyArray<Verb> = [
  verb(
    "login",
    ["[url]"],
    "Sign in with a token, from a prompt or standard input, or by a browser",
    async () => (await import("./Login.ts")).login,
    [
      { name: "token", what: "read a token: the line that you type, or standard input" },
      { name: "web", what: "be let in by a browser that is signed in, on this machine or another" }
    ]
  ),
  verb("logout", ["[url]"], "Forget a sign-in", async () => (await import("./Login.ts")).logout, [
    { name: "revoke", what: "end the token too, everywhere" }
  ]),
  verb("whoami", [], "Who you are, and where", async () => (await import("./Login.ts")).whoami),
  verb("auth token", [], "Print the token in use", async () => (await import("./Auth.ts")).token),
  verb(
    "auth git-credential",
    ["<operation>"],
    "Answer git, which asks for a token",
    async () => (await import("./Auth.ts")).gitCredential
  )
]

const projects: ReadonlyArray<Verb> = [
  verb("project list", [], "The Projects that you may see", async () => (await import("./ProjectVerbs.ts")).list, [
    limit
  ]),
  verb("project create", ["<slug>"], "Make a Project", async () => (await import("./ProjectVerbs.ts")).create, [
    { name: "template", takes: "template", what: "its first files: shop, blank or react; without it there are none" },
    { name: "name", takes: "name", what: "its name (the slug)" },
    { name: "wait", what: "until its app is live" },
    timeout
  ]),
  verb(
    "project view",
    ["[project]"],
    "A Project: its head, its app, its last generation",
    async () => (await import("./ProjectVerbs.ts")).view
  ),
  verb(
    "project open",
    ["[project]"],
    "The address of its live app; at a terminal a browser opens it",
    async () => (await import("./Open.ts")).open
  ),
  verb(
    "clone",
    ["<project>", "[folder]"],
    "Clone canonical by git, which from then on asks this command for the token",
    async () => (await import("./Clone.ts")).clone
  )
]

const changes: ReadonlyArray<Verb> = [
  verb("change create", ["<goal>"], "Open a Change", async () => (await import("./ChangeVerbs.ts")).create, [
    { name: "budget", takes: "dollars", what: "what agents may spend (1)" },
    { name: "plan", what: "have a model plan it and agents work it" }
  ]),
  verb(
    "change list",
    [],
    "The Changes of a Project, newest first",
    async () => (await import("./ChangeVerbs.ts")).list,
    [
      { name: "status", takes: "status", many: true, what: "only those that have it; may be given again" },
      { name: "kind", takes: "kind", what: "only goals (goal) or rollbacks (rollback)" },
      {
        name: "risk",
        takes: "risk",
        many: true,
        what: "only those of it: low, medium, high or unknown; may be given again"
      },
      { name: "created-by", takes: "user", what: "only those that this one opened: usr_…" },
      { name: "search", takes: "words", what: "only those in whose goal all of these stand, or whose id begins so" },
      limit
    ]
  ),
  verb(
    "change view",
    ["<change>"],
    "A Change, its ChangeSets and its Candidates",
    async () => (await import("./ChangeVerbs.ts")).view
  ),
  verb(
    "change cancel",
    ["<change>"],
    "End a Change, its Tasks and its Candidates",
    async () => (await import("./ChangeVerbs.ts")).cancel
  ),
  verb(
    "push",
    ["[files…]"],
    "Make a ChangeSet of files, or without any of a clone's commits",
    async () => (await import("./Push.ts")).push,
    [
      { name: "message", short: "m", takes: "message", what: "what it does (of commits: the last one's message)" },
      {
        name: "change",
        takes: "change",
        what: "the Change (the one of the branch, else a new one with the message as its goal)"
      },
      { name: "delete", takes: "file", many: true, what: "a file that it deletes; may be given often" },
      { name: "candidate", what: "ask for a Candidate, and wait for its checks" },
      timeout
    ]
  ),
  verb(
    "candidate create",
    ["<change>"],
    "Ask for a Candidate, and wait for its checks",
    async () => (await import("./CandidateCreate.ts")).create,
    [
      { name: "retry", what: "again, one that was rejected only because checks could not run" },
      { name: "no-wait", what: "end at once, with 8 while it is checked" },
      timeout
    ]
  )
]

const working: ReadonlyArray<Verb> = [
  {
    ...verb(
      "work",
      [],
      "Have an agent of this machine work ready Tasks",
      async () => (await import("./work/Work.ts")).work,
      [
        { name: "agent", takes: "agent", what: "claude, codex, opencode, gemini, or a command in quotes" },
        { name: "acp", what: "the command speaks the Agent Client Protocol" },
        { name: "next", what: "work the next ready Task, and end" },
        { name: "task", takes: "task", what: "work this Task, and end" },
        { name: "once", what: "the same as --next" },
        { name: "allow-commands", what: "let the agent also do what cannot be seen to stay in its folder" }
      ]
    ),
    interruption: "own"
  }
]

const decisions: ReadonlyArray<Verb> = [
  verb(
    "status",
    ["[change]"],
    "Where a Change or a Candidate stands; without one, the Project",
    async () => (await import("./Status.ts")).status,
    [{ name: "watch", what: "until it ends, or nothing goes on without somebody" }, timeout]
  ),
  verb(
    "diff",
    ["<change>"],
    "What a Change, a Candidate or a ChangeSet changes",
    async () => (await import("./Diff.ts")).diff,
    [{ name: "path", takes: "path", what: "only one file of it, or what lies below a folder" }]
  ),
  verb(
    "why",
    ["<candidate>"],
    "Why a Candidate, or a Change's newest one, is where it is, and what to do",
    async () => (await import("./Why.ts")).why
  ),
  verb(
    "approve",
    ["<change>"],
    "Grant a Candidate. With --sign it is decided in your own clone and signed: pawl approve --sign --help",
    async () => (await import("./Decide.ts")).approve,
    [tree, note]
  ),
  verb("reject", ["<change>"], "Reject a Candidate, for good", async () => (await import("./Decide.ts")).reject, [
    tree,
    note
  ]),
  verb(
    "promote",
    ["<change>"],
    "Make a Candidate the next generation",
    async () => (await import("./Promote.ts")).promote,
    [tree, { name: "wait", what: "until it is live" }, timeout]
  ),
  verb("rollback", [], "Make an older tree the next generation", async () => (await import("./Rollback.ts")).rollback, [
    { name: "to", takes: "generation", what: "such as S12 (the one before the head)" },
    { name: "reason", takes: "reason", what: "why, for those who read the history" },
    { name: "wait", what: "promote it when it may be, and wait until it is live" },
    timeout
  ])
]

const live: ReadonlyArray<Verb> = [
  verb("logs", [], "What the app printed and threw", async () => (await import("./Streams.ts")).logs, [
    follow("go on with each new line"),
    { name: "channel", takes: "channel", what: "production, or preview: and its name" },
    { name: "limit", takes: "count", what: "at most so many, the newest (100); 1,000 are kept" }
  ]),
  verb("events", [], "What happened on a Project", async () => (await import("./Streams.ts")).events, [
    follow("go on with each new event"),
    { name: "after", takes: "sequence", what: "those behind it (0)" },
    {
      name: "type",
      takes: "type",
      many: true,
      what: "only those of it, such as canonical.advanced; may be given again"
    },
    limit
  ]),
  verb(
    "open",
    ["[project]"],
    "The address of the live app; at a terminal a browser opens it",
    async () => (await import("./Open.ts")).open,
    [{ name: "preview", takes: "candidate", what: "the preview of a Candidate, or of a Change's newest one" }]
  ),
  verb(
    "api",
    ["<method>", "<path>"],
    "Ask the API anything, and print its answer",
    async () => (await import("./Api.ts")).api,
    [
      { name: "input", takes: "file", what: "the body, as JSON; - is standard input" },
      { name: "accept", takes: "type", what: "the form of the answer (application/json)" }
    ]
  ),
  verb(
    "completion",
    ["<shell>"],
    "A script of completions for bash, zsh or fish",
    async () => (await import("./Completion.ts")).completion
  )
]

/** All of them, in the order in which help shows them. */
export const userVerbs: ReadonlyArray<Verb> = [...account, ...projects, ...changes, ...working, ...decisions, ...live]
