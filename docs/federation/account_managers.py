"""A third-party subgraph: the account manager of a customer. Python 3 with the package cryptography.

    python3 account_managers.py PORT GATEWAY_URL
"""
import base64, json, sys, time, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

MANAGERS = {"acme": "Ada", "globex": "Grace"}
port, gateway = int(sys.argv[1]), sys.argv[2]


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def principal_of(signed):
    """Returns the caller. Fails unless the gateway signed it for us within the last 30 seconds."""
    header, payload, signature = signed.split(".")
    kid = json.loads(decoded(header))["kid"]
    keys = json.load(urllib.request.urlopen(f"{gateway}/graphql/jwks.json"))["keys"]  # cache them in production
    key = next(key for key in keys if key["kid"] == kid)
    Ed25519PublicKey.from_public_bytes(decoded(key["x"])).verify(decoded(signature), f"{header}.{payload}".encode())
    claims = json.loads(decoded(payload))
    if claims["aud"] != "account-managers" or claims["exp"] < time.time():
        raise ValueError("not for us, or too old")
    return claims["principal"]


class Subgraph(BaseHTTPRequestHandler):
    def do_POST(self):
        try:
            may_read = "costs:read" in principal_of(self.headers.get("x-principal", ""))["grants"]
        except (ValueError, KeyError, StopIteration, InvalidSignature):
            return self.answer(401, {"errors": [{"message": "not signed", "extensions": {"code": "UNAUTHORIZED"}}]})
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))["variables"]["representations"]
        manager = lambda one: MANAGERS.get(one["externalId"]) if may_read else None
        self.answer(200, {"data": {"_entities": [{"__typename": "EndUser", "accountManager": manager(one)} for one in asked]}})

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", port), Subgraph).serve_forever()
