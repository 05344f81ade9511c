"""The parts of tools/verify.py. It shares no code with Pawl: Python 3 with `cryptography`, and git.

A pack lies in a `folder`, an `envelope` holds each statement, a `line` is where a chain stands. `history` is the chain
of keys; `project` that of a Project, whose statements are told by kind: `policies`, `promotion` with its `evidence` and
`approvals`, `releases`. `log`, `repository` (as `loose` files it is looked at first) and `live` are held against
that. Below lie `findings`, `fields`, `signatures` and `records`.

A new rule is a `check(what must be so, code, words)` there, and a tampering in packages/testing/src/provenance, which
both verifiers must tell alike.
"""
