"""Which requests are calls of a model, of whom, and whether their stream must be told to count."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Optional

#: Ends of the paths that providers bill by. Whatever precedes them is a gateway's or a version's.
BILLED = re.compile(
    r"(?:/chat/completions|/completions|/responses|/responses/compact|/messages|/complete|/embeddings|/embed|/rerank|/chat"
    r"|/images/(?:generations|edits|variations)|/audio/(?:transcriptions|translations|speech)|/converse|/invoke"
    r"|:(?:generateContent|streamGenerateContent|embedContent|batchEmbedContents|predict|rawPredict|streamRawPredict))$"
)
THREAD_MESSAGES = re.compile(r"/threads/[^/]+/messages$")
#: A background response is fetched until it is done.
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
#: They count in every stream, and refuse an option that they do not know.
COUNTS_ANYWAY = {"mistral", "cohere", "perplexity"}
MODEL_IN_PATH = re.compile(r"/(?:models|model|deployments)/([^/:]+)")


@dataclass(frozen=True)
class ProviderCall:
    provider: Optional[str]
    model: Optional[str]
    #: Whether a stream of this endpoint counts only where it is requested (`stream_options.include_usage`).
    counts_on_request: bool


def find_provider_call(method: str, host: str, path: str, providers: dict) -> Optional[ProviderCall]:
    """None: nothing that a provider bills. `providers` are hosts of your own, such as a gateway's."""
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
    """A copy of the body that asks for the counts of its stream; None where there is nothing to change."""
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
    """Whether a chunk is the one that was added: no choices, only counts."""
    return isinstance(event, dict) and event.get("choices") == [] and isinstance(event.get("usage"), dict)
