"""Counts the billed tool calls in a provider's response, as the service and the Node library do. Numbers only, no content."""

from __future__ import annotations

import re
from typing import Any, Optional

#: By unit name of rate cards. Zeros are left out.
BilledTools = dict

#: Calls in the output that are counted below, are free, or are executed by the caller.
KNOWN_CALLS = frozenset(
    f"{name}_call"
    for name in (
        "web_search file_search image_generation code_interpreter shell x_search function custom_tool mcp computer local_shell "
        "apply_patch tool_search azure_function openapi"
    ).split()
)
MISTRAL_TOOLS = {
    "web_search": "web_searches",
    "web_search_premium": "premium_searches",
    "code_interpreter": "code_executions",
    "image_generation": "generated_images",
}
EXECUTIONS = ("code_execution", "bash_code_execution", "text_editor_code_execution")


def count_billed_tools(response: Any) -> BilledTools:
    """Returns {} for a response without tool calls, and for anything that is not a response."""
    fields = _object(response)
    counts: BilledTools = {}

    def add(name: str, count: int) -> None:
        if count > 0:
            counts[name] = counts.get(name, 0) + count

    _count_output(fields, add)
    _count_grounding(fields, add)
    _count_content(fields, add)
    _count_server_tools(fields, add)
    return counts


def largest_counts(one: BilledTools, other: BilledTools) -> BilledTools:
    """Parts of a response repeat the same tool calls, so the largest count of each kind is the total."""
    return {name: max(one.get(name, 0), other.get(name, 0)) for name in {**one, **other}}


def _count_output(response: dict, add: Any) -> None:
    """OpenAI's Responses API and compatible ones: `output`, and the counts of `tool_usage`, which take precedence."""
    output = [call for call in _list(response.get("output")) if call.get("status") != "failed"]

    def of_type(name: str) -> list:
        return [call for call in output if call.get("type") == name]

    # Opening a page and searching within it are free.
    searches = sum(_object(call.get("action")).get("type") in (None, "search") for call in of_type("web_search_call"))
    usage = _object(response.get("tool_usage"))
    stated = _count(_object(usage.get("web_search")).get("num_requests"))
    tools = _list(response.get("tools"))
    types = [tool.get("type") for tool in tools if isinstance(tool.get("type"), str)]
    is_preview = any(name.startswith("web_search_preview") for name in types) and "web_search" not in types
    add("web_search_previews" if is_preview else "web_searches", searches if stated is None else stated)
    add("storage_searches", len(of_type("file_search_call")))
    images = len(of_type("image_generation_call"))
    add("generated_images", images or min(1, _count(_object(usage.get("image_gen")).get("total_tokens")) or 0))
    containers = {
        call.get("container_id") or _object(call.get("environment")).get("container_id") or ""
        for call in [*of_type("code_interpreter_call"), *of_type("shell_call")]
        # A shell that the caller runs is not billed.
        if call["type"] == "code_interpreter_call" or call.get("container_id") or _object(call.get("environment")).get("container_id")
    }
    limits = [_object(tool.get("container")).get("memory_limit") for tool in tools]
    sizes = [limit for limit in limits if isinstance(limit, str) and re.match(r"^(?:4|16|64)g$", limit)]
    add(f"code_sessions_{sizes[0]}" if sizes else "code_sessions", len(containers))
    add("x_searches", len(of_type("x_search_call")))
    add("server_tools", sum(str(call.get("type")).endswith("_call") and call["type"] not in KNOWN_CALLS for call in output))


def _count_grounding(response: dict, add: Any) -> None:
    """Gemini: distinct queries of a response count once each; a grounded prompt counts once."""
    holders = [response, *_list(response.get("candidates"))]
    grounded = [_object(holder.get("groundingMetadata") or holder.get("grounding_metadata")) for holder in holders]
    names = ("webSearchQueries", "web_search_queries", "imageSearchQueries", "image_search_queries")
    queries = {
        query for one in grounded for name in names for query in (one.get(name) or []) if isinstance(query, str) and query.strip()
    }
    chunks = [chunk for one in grounded for chunk in _list(one.get("groundingChunks") or one.get("grounding_chunks"))]
    is_of_web = bool(queries) or any(isinstance(chunk.get(name), dict) for chunk in chunks for name in ("web", "image"))
    add("search_queries", max(len(queries), 1) if is_of_web else 0)
    add("grounded_prompts", 1 if is_of_web else 0)
    widgets = ("googleMapsWidgetContextToken", "google_maps_widget_context_token")
    has_widget = any(isinstance(one.get(name), str) for one in grounded for name in widgets)
    contexts = [_object(chunk.get("retrievedContext")) for chunk in chunks]
    is_of_store = any(isinstance(one.get("ragChunk"), dict) for one in contexts) or any(
        isinstance(query, str) and query.strip() for one in grounded for query in (one.get("retrievalQueries") or [])
    )
    add("retrieval_prompts", 1 if is_of_store else 0)
    add("maps_prompts", 1 if has_widget or any(isinstance(chunk.get("maps"), dict) for chunk in chunks) else 0)


def _count_content(response: dict, add: Any) -> None:
    """Anthropic: its usage counts searches; code is billed by time unless the call also searches or fetches pages."""
    content = _list(response.get("content"))
    uses = [block.get("name") for block in content if block.get("type") == "server_tool_use"]
    used = _object(_object(response.get("usage")).get("server_tool_use"))
    stated, fetches = _count(used.get("web_search_requests")), _count(used.get("web_fetch_requests"))
    searches = uses.count("web_search") if stated is None else stated
    fetches = uses.count("web_fetch") if fetches is None else fetches
    add("web_searches", searches - sum(map(_is_failed_search, content)) if stated is None else stated)
    add("code_executions", sum(name in EXECUTIONS for name in uses) if searches + fetches == 0 else 0)


def _is_failed_search(block: dict) -> bool:
    """A search that returned an error is free."""
    content = block.get("content")
    results = content if isinstance(content, list) else [content]
    is_error = any(_object(one).get("type") == "web_search_tool_result_error" for one in results)
    return block.get("type") == "web_search_tool_result" and is_error


def _count_server_tools(response: dict, add: Any) -> None:
    """Mistral's conversations, OpenAI's search models, Groq's compound systems, Moonshot's and Nova's search, Cohere's rerank."""
    if not isinstance(_object(response.get("usage")).get("connectors"), dict):
        for output in _list(response.get("outputs")):
            unit = MISTRAL_TOOLS.get(output.get("name")) if output.get("type") == "tool.execution" else None
            if unit is not None:
                add(unit, 1)
    if "-search-preview" in str(response.get("model") or ""):
        add("web_search_previews", 1)
    if "-search-api" in str(response.get("model") or ""):
        add("web_searches", 1)
    message = _object(_object(response.get("output")).get("message"))
    add("web_searches", sum(_object(part.get("toolUse")).get("name") == "nova_grounding" for part in _list(message.get("content"))))
    for choice in _list(response.get("choices")):
        answered = _object(choice.get("message"))
        add("server_tools", len(_list(answered.get("executed_tools"))))
        calls = _list(answered.get("tool_calls"))
        add("web_searches", sum(_object(call.get("function")).get("name") == "$web_search" for call in calls))
    units = _object(_object(response.get("meta")).get("billed_units"))
    add("search_units", _count(units.get("search_units")) or 0)


def _object(value: Any) -> dict:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _count(value: Any) -> Optional[int]:
    """None if not stated."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
