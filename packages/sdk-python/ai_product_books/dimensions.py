"""Converts a caller's tags to metadata that the service accepts. An invalid value becomes text or is dropped; the event is kept."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Callable, Optional

#: Names that the service reads for pricing. A tag with such a name would change the price, so it is refused.
RESERVED = frozenset(
    """
    attachment_searches audio_seconds batch billable_audio_seconds billed_tools billed_units cache_creation
    cache_creation_1h_input_tokens cache_creation_input_tokens cache_read_input_tokens cache_read_tokens
    cache_tokens_details cache_write_input_tokens cache_write_tokens cacheCreationInputTokens cached_content_token_count
    cached_input_tokens cached_prompt_text_tokens cached_tokens cached_tokens_by_modality cachedContentTokenCount
    cachedContentTokens cacheDetails cachedInputTokenCount cachedInputTokens cachedTokensByModality cacheReadInputTokenCount
    cacheReadInputTokens cacheTokensDetails cacheWriteInputTokenCount cacheWriteInputTokens candidates_token_count
    candidates_tokens_details candidatesTokenCount candidatesTokensDetails citation_tokens code_executions
    code_sessions code_sessions_16g code_sessions_4g code_sessions_64g completion_tokens completion_tokens_details
    connector_tokens connectors cost cost_details cost_in_usd_ticks document_pages duration eval_count
    gen_ai.usage.cache_creation.input_tokens gen_ai.usage.cache_creation_input_tokens
    gen_ai.usage.cache_read.audio_tokens gen_ai.usage.cache_read.input_tokens gen_ai.usage.cache_read_input_tokens
    gen_ai.usage.cache_write.input_tokens
    gen_ai.usage.convention gen_ai.usage.input_tokens gen_ai.usage.output_tokens
    gen_ai.usage.reasoning.output_tokens gen_ai.usage.reasoning_tokens gen_ai.usage.total_tokens generated_images
    generated_videos grounded_prompts incomplete inference_geo input_token_details input_tokens_by_modality
    input_tokens_cache_read input_tokens_cache_write
    input_tokens_details inputTokenDetails inputTokens inputTokensByModality inputTokensDetails is_byok iterations
    llm.token_count.completion llm.token_count.completion_details.audio llm.token_count.completion_details.reasoning
    llm.token_count.prompt llm.token_count.prompt_details.audio llm.token_count.prompt_details.cache_read
    llm.token_count.prompt_details.cache_write llm.token_count.total maps_prompts native_tokens_cached
    native_tokens_completion native_tokens_prompt native_tokens_reasoning no_input num_cached_tokens num_search_queries
    num_server_side_tools_used num_sources_used only_total output_token_details output_tokens_by_modality output_tokens_details
    outputTokenDetails outputTokens outputTokensByModality outputTokensDetails page_fetches pages_processed
    performanceConfig plugins premium_searches prompt_audio_seconds prompt_cache_hit_tokens prompt_cache_miss_tokens
    prompt_eval_count prompt_token_count prompt_token_details prompt_tokens prompt_tokens_details promptTokenCount
    promptTokenDetails promptTokensDetails reasoning_output_tokens reasoning_tokens
    reasoningTokenCount reasoningTokens reported_cost reported_tool_cost requests response_token_count response_tokens_details responseTokenCount responseTokensDetails retrieval_prompts
    search_context_size search_queries search_sources search_units server_side_tool_usage_details server_tool_use
    server_tools service_tier serviceTier serving_region speech_requests speed stated_cached_tokens storage_searches
    thoughts_token_count thoughtsTokenCount thoughtsTokens tokenUsage tool_calls_details tool_usage
    tool_use_prompt_token_count tool_use_prompt_tokens_details tool_use_tokens_by_modality toolUsePromptTokenCount
    toolUsePromptTokensDetails toolUseTokensByModality total_cached_tokens total_input_tokens total_output_tokens
    total_thought_tokens total_token_count total_tokens total_tool_use_tokens totalCachedTokens totalInputTokens
    totalOutputTokens totalThoughtTokens totalTokenCount totalTokens totalToolUseTokens traffic_type trafficType
    transcriptions unit units unread_counts unsplit_cache_writes usage usage_info usage_metadata usageMetadata vertex_location
    web_search_previews web_searches x_searches
    """.split()
)
DIMENSIONS_MAX = 64
BYTES_MAX = 12 * 1024
SMALLEST_NUMBER = 1e-308
LARGEST_INTEGER = 2**53
LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def to_dimensions(dimensions: Any, report: Callable[[BaseException], None]) -> dict:
    """`report` is called for tags that are left out."""
    if dimensions is None:
        return {}
    if not isinstance(dimensions, dict):
        report(TypeError("dimensions must be a dict: ignored"))
        return {}
    kept: dict = {}
    reserved, dropped, size = [], [], 0
    for key, value in dimensions.items():
        if value is None:
            continue
        name = well_formed(str(key))
        if name in RESERVED:
            reserved.append(name)
            continue
        tag = _to_tag(value)
        length = 0 if tag is None else len(json.dumps([name, tag], ensure_ascii=False).encode())
        if tag is None or len(kept) >= DIMENSIONS_MAX or size + length > BYTES_MAX:
            dropped.append(name)
            continue
        size += length
        kept[name] = tag
    if reserved:
        names = ", ".join(reserved)
        report(ValueError(f"dimensions must not contain {names}: tags never change a price. State tier, speed or geo instead"))
    if dropped:
        report(ValueError(f"Values of dimensions that cannot be sent are ignored: {', '.join(dropped)}"))
    return kept


def to_text(value: Any) -> Optional[str]:
    """Returns None if the value has no text."""
    try:
        if isinstance(value, str):
            return well_formed(str(value))
        if isinstance(value, (dict, list, tuple)):
            return well_formed(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
        return well_formed(str(value))
    except Exception:
        return None


def well_formed(text: str) -> str:
    """Removes what databases cannot store as text: NUL and lone surrogates."""
    return LONE_SURROGATE.sub("\ufffd", text.replace("\0", ""))


def _to_tag(value: Any) -> Any:
    if type(value) is bool:
        return value
    if type(value) is int and abs(value) <= LARGEST_INTEGER:
        return value
    if type(value) is float and (value == 0 or (math.isfinite(value) and abs(value) >= SMALLEST_NUMBER)):
        return value
    return to_text(value)
