"""Who signed: by a key, in base64 of its SPKI, or by a passkey (WebAuthn)."""
import base64, re
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_der_public_key
from .fields import b64, b64url, canonical, digest, read_json
from .findings import ODD

ED25519 = bytes.fromhex("302a300506032b6570032100")  # what the SPKI of a key begins with
P256 = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d03010703420004")
SITE = re.compile(r"https://([a-z0-9._-]+)(?::[0-9]+)?|http://((?:[a-z0-9._-]+\.)?localhost)(?::[0-9]+)?")


def keyid_of(spki):
    try: return "SHA256:" + base64.b64encode(digest(b64(spki))).decode().rstrip("=")
    except ODD: return None

def holds(spki, signature, message, kinds=(ED25519, P256)):
    """Whether the signature (bytes, or base64) is this key's, of these kinds. What is odd is no signature."""
    try:
        key, signature = b64(spki), b64(signature) if isinstance(signature, str) else signature
        how = () if key.startswith(ED25519) else (ec.ECDSA(hashes.SHA256()),)
        return key.startswith(kinds) and load_der_public_key(key).verify(signature, message, *how) is None
    except (InvalidSignature, UnsupportedAlgorithm, *ODD): return False

def passkey_signed(assertion, owner, sites, text):
    """Whether an enrolled passkey has signed this text, on one of these sites or one of its name."""
    try:
        client, device = b64url(assertion.clientDataJSON), b64url(assertion.authenticatorData)
        said = read_json(client)
        site = SITE.fullmatch(said.origin)
        is_site = said.origin in sites if sites else site and f".{site[1] or site[2]}".endswith(f".{owner.rpId}")
        is_present = len(device) >= 37 and device[:32] == digest(owner.rpId.encode()) and device[32] & 5 == 5
        is_asked = said.type == "webauthn.get" and b64url(said.challenge) == digest(canonical(text))
        is_signed = holds(owner.spki, b64url(assertion.signature), device + digest(client), P256)
        return bool(is_site and not said.crossOrigin and is_asked and is_present and is_signed)
    except ODD: return False
