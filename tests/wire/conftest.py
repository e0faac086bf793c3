from support.anthropic_server import anthropic_server
from support.gemini_server import gemini_server
from support.openai_server import openai_server

__all__ = ["anthropic_server", "gemini_server", "openai_server"]
