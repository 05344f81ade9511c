/** The commands for operators and auditors by name: help and completions show them without loading them. A test holds the list to the commands. */
import type { Named } from "./HelpText.ts"

/** In the order in which help shows them. */
export const operatorNames: ReadonlyArray<Named> = [
  { name: "serve", what: "Serves the API and the live apps from one data folder" },
  { name: "demo", what: "Runs the main job on real input, in a folder of its own" },
  { name: "doctor", what: "Says what this machine offers, what is missing, and how to mend it" },
  { name: "migrate", what: "Brings the database to the shape of this version, and gives a router's user its rights" },
  { name: "backup", what: "Copies all of an installation, while it runs, to a folder or a bucket" },
  { name: "restore", what: "Puts a backup into an empty installation" },
  { name: "import", what: "Makes a Project of a folder, with its lock file, and waits until it is live" },
  { name: "audit", what: "Derives every generation of a Project anew and names each difference" },
  { name: "users", what: "Users, on the machine itself: without a token" },
  { name: "tokens", what: "API tokens, on the machine itself: without a token" },
  { name: "key", what: "The keys that sign statements, on the machine itself" },
  { name: "verify", what: "Verifies a data folder, a pack, a clone, a server or an app's host offline, by signatures" },
  {
    name: "mcp",
    what: "Offers Pawl's tools to an assistant on this machine, by the Model Context Protocol on standard input and output"
  }
]
