"""Recognizes model calls, their provider, and whether their stream reports usage only on request."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Optional

#: Path suffixes of billed endpoints. A gateway's or version's prefix may precede them.
BILLED = re.compile(
    r"(?:/chat/completions|/completions|/responses|/responses/compact|/messages|/complete|/embeddings|/embed|/rerank|/chat"
    r"|/images/(?:generations|edits|variations)|/audio/(?:transcriptions|translations|speech)|/converse|/invoke"
    r"|:(?:generateContent|streamGenerateContent|embedContent|batchEmbedContents|predict|rawPredict|streamRawPredict))$"
)
THREAD_MESSAGES = re.compile(r"/threads/[^/]+/messages$")
#: Background responses are polled at this path.
FETCHED = re.compile(r"/responses/[^/]+$")
COUNTS_ON_REQUEST = re.compile(r"(?<!/messages)/(?:chat/)?completions$")
HOSTS = tuple(
    (re.compile(pattern), provider)
    for pattern, provider in (
        (r"(^|\.)api\.openai\.com$", "openai"),
        (r"(^|\.)api\.anthropic\.com$", "anthropic"),
        (r"(^|[.-])(generativelanguage|aiplatform)\.googleapis\.com$", "google"),
        (r"\.openai\.azure\.com$|\.cognitiveservices\.azure\.com$|\.services\.ai\.azure\.com$", "azure"),
        (r"(^|\.)api\.mistral\.ai$", "mistral"),
        (r"(^|\.)api\.deepseek\.com$", "deepseek"),
        (r"(^|\.)api\.groq\.com$", "groq"),
        (r"(^|\.)api\.x\.ai$", "xai"),
        (r"(^|\.)api\.together\.(xyz|ai)$", "together"),
        (r"(^|\.)api\.fireworks\.ai$", "fireworks"),
        (r"(^|\.)openrouter\.ai$", "openrouter"),
        (r"(^|\.)api\.perplexity\.ai$", "perplexity"),
        (r"(^|\.)api\.cohere\.(com|ai)$", "cohere"),
        (r"(^|\.)api\.moonshot\.(ai|cn)$", "moonshotai"),
        (r"^bedrock-runtime\.[^.]+\.amazonaws\.com$", "aws"),
    )
)
#: Providers that report usage in every stream and refuse unknown options.
COUNTS_ANYWAY = {"mistral", "cohere", "perplexity"}
MODEL_IN_PATH = re.compile(r"/(?:models|model|deployments)/([^/:]+)")


@dataclass(frozen=True)
class ProviderCall:
    provider: Optional[str]
    model: Optional[str]
    #: Whether streams of this endpoint report usage only on request (`stream_options.include_usage`).
    counts_on_request: bool


def find_provider_call(method: str, host: str, path: str, providers: dict) -> Optional[ProviderCall]:
    """Returns None if the request is not billed. `providers`: your own hosts, e.g. of a gateway."""
    path = path.rstrip("/")
    is_billed = method == "POST" and BILLED.search(path) and not THREAD_MESSAGES.search(path)
    if not is_billed and not (method == "GET" and FETCHED.search(path)):
        return None
    name = host.split(":")[0]
    provider = providers.get(host) or next((owner for pattern, owner in HOSTS if pattern.search(name)), None)
    found = MODEL_IN_PATH.search(path)
    on_request = method == "POST" and COUNTS_ON_REQUEST.search(path) is not None and provider not in COUNTS_ANYWAY
    return ProviderCall(provider, found.group(1) if found else None, on_request)


def with_stream_usage(body: bytes) -> Optional[bytes]:
    """Returns a copy of the body that requests usage in the stream; None if no change is needed."""
    if b'"stream"' not in body:
        return None
    try:
        fields = json.loads(body)
        options = fields.get("stream_options") or {}
        if fields.get("stream") is not True or options.get("include_usage") is True:
            return None
        fields["stream_options"] = {**options, "include_usage": True}
    except (ValueError, AttributeError, TypeError):
        return None
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()


def is_usage_chunk(event: object) -> bool:
    """Whether a chunk is the requested usage chunk: no choices, only counts."""
    return isinstance(event, dict) and event.get("choices") == [] and isinstance(event.get("usage"), dict)
