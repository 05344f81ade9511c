/** What a package.json can say to do harm. Its package is called as it is told, in version 1.0.0. */

/** One way of doing harm by a package.json, or by files beside it. */
export interface HostileManifest {
  readonly title: string
  readonly manifest: Readonly<Record<string, unknown>>
  readonly files?: Readonly<Record<string, string>>
}

const cli = { "cli.js": "#!/usr/bin/env node\n" }

/** Refused: their programs are paths, or stand outside of the package. */
export const hostilePrograms: ReadonlyArray<HostileManifest> = (
  [
    ["a program outside of it", { x: "../../../bin/sh" }],
    ["a program outside of it, by way of a folder inside", { x: "lib/../../other/cli.js" }],
    ["a program by an absolute path", { x: "/bin/sh" }],
    ["a program with the folders of another system", { x: "..\\..\\cli.js" }],
    ["a program whose name climbs out", { "../../x": "cli.js" }],
    ["a program whose name is an absolute path", { "/usr/local/bin/x": "cli.js" }],
    ["a program whose name is a path below another", { "react/index.js": "cli.js" }],
    ["a program whose name is `..`", { "..": "cli.js" }],
    ["a program whose name has a backslash", { "..\\x": "cli.js" }],
    ["a program whose name is scoped and climbs out", { "@a/../../x": "cli.js" }],
    [
      "more programs than anybody has",
      Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`x${at}`, "cli.js"]))
    ]
  ] as const
).map(([title, bin]) => ({ title, manifest: { bin }, files: cli }))

/** Taken, without what would do harm: none of these names is to be found in `.bin`. */
export const harmlessPrograms: ReadonlyArray<HostileManifest & { readonly absent: string }> = (
  [
    ["sh", "the shell"],
    ["bash", "a shell"],
    ["node", "Node"],
    ["git", "git"],
    ["env", "what finds programs"],
    ["tar", "what unpacks"],
    ["ls", "what lists"],
    [".hidden", "something hidden"],
    ["-rf", "an option"],
    ["a b", "two words"],
    ["$(touch x)", "a command"],
    ["a\nb", "two lines"],
    ["constructor\u0000", "what ends early"]
  ] as const
).map(([name, what]) => ({
  title: `a program called like ${what} (${JSON.stringify(name)})`,
  manifest: { bin: { [name]: "cli.js" } },
  files: cli,
  absent: name
}))
