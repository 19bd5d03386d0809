"""Reads a provider's response, or the events of its stream: provider, model and usage object."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Optional

from .billed_tools import BilledTools, count_billed_tools, largest_counts
from .estimate import estimate_tokens, piece_weight, prompt_weight

Fields = dict


@dataclass(frozen=True)
class Reading:
    provider: Optional[str]
    #: None if the provider sends none; then a key is generated.
    id: Optional[str]
    model: Optional[str]
    #: The provider's usage object, unchanged.
    usage: Optional[Fields]
    service_tier: Optional[str]
    #: False if the response ended early; then the fields contain what was known by then.
    is_whole: bool = True
    #: Estimated input and output tokens of a response that ended early, from the text seen.
    estimate: Optional[tuple] = None
    #: Tool calls that are billed in addition to tokens.
    billed_tools: BilledTools = field(default_factory=dict)


COUNTS = (
    "prompt_tokens",
    "input_tokens",
    "promptTokenCount",
    "prompt_token_count",
    "inputTokens",
    "total_tokens",
    "billed_units",
)
MODEL_OWNERS = (
    (re.compile(r"claude"), "anthropic"),
    (re.compile(r"^(models/)?(gemini|imagen|veo)"), "google"),
    (re.compile(r"^(gpt|o\d|chatgpt|text-embedding|dall-e|whisper|tts|ft:|codex|computer-use)"), "openai"),
    (re.compile(r"^deepseek"), "deepseek"),
    (re.compile(r"^grok"), "xai"),
    (re.compile(r"^(mistral|codestral|ministral|magistral|pixtral|open-mi[sx]tral)"), "mistral"),
    (re.compile(r"^command"), "cohere"),
    (re.compile(r"^sonar"), "perplexity"),
)
ID_OWNERS = (
    (re.compile(r"^(chatcmpl-|resp_|cmpl-)"), "openai"),
    (re.compile(r"^msg_"), "anthropic"),
    (re.compile(r"^gen-"), "openrouter"),
)
MODEL_PATH = re.compile(r"^(?:projects/.*/)?(?:publishers/[^/]+/)?models/")


def to_fields(value: Any) -> Any:
    """Converts objects of providers' packages to plain data. Other values are returned unchanged."""
    for name in ("model_dump", "to_dict", "to_json_dict"):
        dump = getattr(value, name, None)
        if callable(dump):
            return dump()
    return value


def read_response(body: Any, provider: Optional[str] = None, model: Optional[str] = None) -> Optional[Reading]:
    """Returns None if the body is not a model response, or not billed yet."""
    if not isinstance(body, dict):
        return None
    # A background response is billed only when complete.
    if body.get("object") == "response" and body.get("status") in ("queued", "in_progress"):
        return None
    usage = usage_of(body)
    if usage is None:
        return None
    answered = _text(body.get("model")) or _text(body.get("modelVersion")) or _text(body.get("model_version")) or model
    request_id = request_id_of(body)
    return Reading(
        provider=provider or ("aws" if request_id else None) or provider_of(body, answered),
        id=_text(body.get("id")) or _text(body.get("responseId")) or _text(body.get("response_id")) or request_id,
        model=_plain_model(answered),
        usage=usage,
        service_tier=_tier_of(body),
        billed_tools=count_billed_tools(body),
    )


def _tier_of(body: Fields) -> Optional[str]:
    """Bedrock's Converse API returns an object with the tier in `type`."""
    of_bedrock = body.get("serviceTier")
    return _text(body.get("service_tier")) or (_text(of_bedrock.get("type")) if isinstance(of_bedrock, dict) else None)


def request_id_of(body: Fields) -> Optional[str]:
    """Request id in boto3's or the AWS SDK for JavaScript's format. Bedrock's Converse has no other id."""
    for holder, name in (("ResponseMetadata", "RequestId"), ("$metadata", "requestId")):
        sent = body.get(holder)
        if isinstance(sent, dict) and _text(sent.get(name)):
            return sent[name]
    return None


def usage_of(body: Fields) -> Optional[Fields]:
    for name in ("usage", "usageMetadata", "usage_metadata"):
        if isinstance(body.get(name), dict):
            return _served(body, body[name])
    return body if any(name in body for name in COUNTS) else None


def _served(body: Fields, usage: Fields) -> Fields:
    """Bedrock reports the latency mode next to the usage object."""
    served = body.get("performanceConfig")
    return {**usage, "performanceConfig": served} if isinstance(served, dict) else usage


def provider_of(body: Fields, model: Optional[str]) -> Optional[str]:
    """Infers the provider from the response's shape, model or id. If None, the service infers it from the model."""
    if body.get("type") == "message" and body.get("role") == "assistant":
        return "anthropic"
    if "usageMetadata" in body or "modelVersion" in body or "model_version" in body:
        return "google"
    name, response_id = (model or "").lower(), _text(body.get("id")) or ""
    for pattern, owner in MODEL_OWNERS:
        if pattern.search(name):
            return owner
    for pattern, owner in ID_OWNERS:
        if pattern.search(response_id):
            return owner
    return None


class StreamReader:
    """Collects the fields of a response from stream events."""

    def __init__(
        self,
        provider: Optional[str] = None,
        model: Optional[str] = None,
        response_id: Optional[str] = None,
        prompt: Any = None,
    ) -> None:
        """`prompt`: body of the request or its messages, for estimates. Parsed only if the stream ends early."""
        self._provider, self._hint, self._prompt = provider, model, prompt
        self._passed = 0.0
        self._first: Optional[Fields] = None
        self._id = response_id
        self._model: Optional[str] = None
        self._usage: Optional[Fields] = None
        self._tier: Optional[str] = None
        self._tools: BilledTools = {}
        self._blocks: list = []
        self._is_final = False
        self._is_free = False

    def take(self, event: Any) -> None:
        if not isinstance(event, dict):
            return
        self._passed += piece_weight(event)
        message, response = event.get("message"), event.get("response")
        body = message if event.get("type") == "message_start" and isinstance(message, dict) else event
        if isinstance(response, dict):
            body = response
        if self._first is None:
            self._first = body
        self._id = self._id or _text(body.get("id")) or _text(body.get("responseId")) or _text(body.get("response_id"))
        self._model = self._model or _text(body.get("model")) or _text(body.get("modelVersion")) or _text(body.get("model_version"))
        last = event.get("metadata")
        self._tier = _tier_of(body) or (_tier_of(last) if isinstance(last, dict) else None) or self._tier
        self._tools = largest_counts(self._tools, count_billed_tools(body))
        if event.get("type") == "content_block_start":
            self._blocks.append(event.get("content_block"))
        found = _usage_in(body, event)
        if found is not None:
            self._usage = {**(self._usage or {}), **{name: value for name, value in found.items() if value is not None}}
        if event.get("type") == "response.failed" and found is None:
            self._is_free = True
        self._is_final = self._is_final or (found is not None and _is_end(event))

    def finish(self, has_ended: bool) -> Optional[Reading]:
        """`has_ended`: the provider ended the stream itself. Returns None if nothing was billed."""
        if self._is_free and self._usage is None:
            return None
        first = self._first or {}
        needs_an_end = first.get("type") == "message" or first.get("object") == "response" or "candidates" in first
        model = self._model or self._hint
        is_whole = self._is_final or (has_ended and self._usage is not None and not needs_an_end)
        return Reading(
            provider=self._provider or provider_of(first, model),
            id=self._id,
            model=_plain_model(model),
            usage=self._usage,
            service_tier=self._tier,
            billed_tools=largest_counts(self._tools, count_billed_tools({"content": self._blocks, "usage": self._usage})),
            is_whole=is_whole,
            estimate=None
            if is_whole
            else (estimate_tokens(prompt_weight(self._prompt), model), estimate_tokens(self._passed, model)),
        )


ENDS = {"message_delta", "message-end", "response.completed", "response.incomplete", "response.failed"}


def _is_end(event: Fields) -> bool:
    # Last event of Bedrock's Converse.
    if event.get("type") in ENDS or isinstance(event.get("metadata"), dict):
        return True
    choices, candidates = event.get("choices"), event.get("candidates")
    if isinstance(choices, list):
        return all(isinstance(one, dict) and one.get("finish_reason") for one in choices)
    if isinstance(candidates, list):
        return any(isinstance(one, dict) and (one.get("finishReason") or one.get("finish_reason")) for one in candidates)
    feedback = event.get("promptFeedback") or event.get("prompt_feedback")
    return isinstance(feedback, dict) and bool(feedback.get("blockReason") or feedback.get("block_reason"))


def _usage_in(body: Fields, event: Fields) -> Optional[Fields]:
    for holder in (body, event, event.get("delta"), event.get("x_groq"), event.get("metadata")):
        if isinstance(holder, dict):
            for name in ("usage", "usageMetadata", "usage_metadata"):
                if isinstance(holder.get(name), dict):
                    return _served(holder, holder[name])
    return None


def _plain_model(model: Optional[str]) -> Optional[str]:
    return None if model is None else MODEL_PATH.sub("", model)


def _text(value: Any) -> Optional[str]:
    return value if isinstance(value, str) and value != "" else None
