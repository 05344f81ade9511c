/** What makes an unguarded git run something, by the door that it comes through. `payload` is a line of shell. */

/** Scripts in a repository's own folder. */
export const hooks: ReadonlyArray<string> = [
  "applypatch-msg",
  "commit-msg",
  "fsmonitor-watchman",
  "post-checkout",
  "post-commit",
  "post-index-change",
  "post-merge",
  "post-receive",
  "post-rewrite",
  "post-update",
  "pre-auto-gc",
  "pre-commit",
  "pre-merge-commit",
  "pre-push",
  "pre-receive",
  "prepare-commit-msg",
  "proc-receive",
  "push-to-checkout",
  "reference-transaction",
  "update"
]

/**
 * Settings of a repository: section, key, value. A merge driver is not among them: git takes it from a repository's
 * own settings, always. They lie in the data folder, where nothing but Pawl writes, and no content reaches them.
 */
export const configs = (payload: string): ReadonlyArray<readonly [section: string, key: string, value: string]> => [
  ["core", "fsmonitor", payload],
  ["core", "hooksPath", "hooks"],
  ["core", "sshCommand", payload],
  ["core", "gitProxy", payload],
  ["core", "alternateRefsCommand", payload],
  ["core", "pager", payload],
  ["core", "editor", payload],
  ["core", "askPass", payload],
  ["diff", "external", payload],
  ['diff "evil"', "command", payload],
  ['diff "evil"', "textconv", payload],
  ['filter "evil"', "clean", payload],
  ['filter "evil"', "smudge", payload],
  ['filter "evil"', "process", payload],
  ["uploadpack", "packObjectsHook", payload],
  ["gpg", "program", payload],
  ["credential", "helper", `!${payload}`],
  ["alias", "index-pack", `!${payload}`],
  ["alias", "ls-tree", `!${payload}`]
]

/** Variables of the environment that a server may be started with. */
export const environment = (payload: string, folder: string): Readonly<Record<string, string>> => ({
  GIT_EXTERNAL_DIFF: payload,
  GIT_SSH_COMMAND: payload,
  GIT_SSH: payload,
  GIT_PROXY_COMMAND: payload,
  GIT_ASKPASS: payload,
  SSH_ASKPASS: payload,
  GIT_EDITOR: payload,
  GIT_SEQUENCE_EDITOR: payload,
  EDITOR: payload,
  VISUAL: payload,
  GIT_PAGER: payload,
  PAGER: payload,
  GIT_EXEC_PATH: folder,
  GIT_TEMPLATE_DIR: folder,
  GIT_CONFIG_GLOBAL: `${folder}/.gitconfig`,
  GIT_CONFIG_SYSTEM: `${folder}/.gitconfig`,
  XDG_CONFIG_HOME: folder,
  HOME: folder,
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "core.fsmonitor",
  GIT_CONFIG_VALUE_0: payload,
  GIT_CONFIG_PARAMETERS: `'core.fsmonitor=${payload}'`,
  GIT_DIR: folder,
  GIT_OBJECT_DIRECTORY: folder,
  GIT_ALTERNATE_OBJECT_DIRECTORIES: folder
})

/** Files that are bytes to Pawl, and orders to a git that is not told otherwise. */
export const treeFiles = (payload: string): Readonly<Record<string, string>> => ({
  ".gitattributes": "* diff=evil merge=evil filter=evil ident\n",
  ".gitmodules": `[submodule "x"]\n\tpath = x\n\turl = -u${payload}\n\tupdate = !${payload}\n`,
  ".gitconfig": `[core]\n\tfsmonitor = ${payload}\n`,
  ".lfsconfig": `[lfs]\n\turl = "ext::sh -c ${payload}"\n`,
  ".mailmap": `$(${payload}) <x@x>\n`,
  ".husky/pre-commit": `#!/bin/sh\n${payload}\n`,
  "bare/HEAD": "ref: refs/heads/main\n",
  "bare/config": `[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tfsmonitor = ${payload}\n`,
  "bare/objects/x": "",
  "bare/refs/x": ""
})

/** Paths that an edit over the API is refused for. */
export const refusedPaths: ReadonlyArray<string> = [
  ".git/config",
  ".git/hooks/post-checkout",
  ".GIT/hooks/post-checkout",
  "a/.git/config",
  "git~1/config",
  ".git /config",
  ".git./config",
  ".git::$INDEX_ALLOCATION/config",
  ".g\u200cit/config",
  "\uff0egit/config",
  "../hooks/post-update",
  "/etc/profile.d/x.sh",
  "hooks\\post-update",
  "a\nb",
  "a\u0000b"
]

/** Names that a shell or a command line would take for more than a name. */
export const keptPaths = (payload: string): ReadonlyArray<string> => {
  const line = payload.replaceAll("/", "\u2215")
  return [
    `--upload-pack=${line}`,
    `--output=${line}`,
    "-c",
    `-O${line}`,
    "--",
    `$(${line})`,
    `\`${line}\``,
    `;${line}`,
    `|${line}`,
    `&& ${line}`,
    `:(exclude)${line}`,
    "ext::sh"
  ]
}

/** Texts where an id, a ref or a path is expected. */
export const orders = (payload: string): ReadonlyArray<string> => [
  `--upload-pack=${payload}`,
  `--output=${payload}`,
  "--help",
  "-p",
  `$(${payload})`,
  `ext::sh -c ${payload}`,
  "HEAD:a.txt",
  "@{-1}",
  ":/x",
  "main^{/x}"
]
